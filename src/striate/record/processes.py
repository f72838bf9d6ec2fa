"""Processes without MPI as ranks: every thread that does I/O is one, and the header says whose it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from striate.record.files import ENDED, FORKED, REPLACED, RankFile
from striate.trace.header import Flag, TracedProcess
from striate.units import about_size, counted

_SPAWNED = ("multiprocessing.spawn", "multiprocessing-fork")  # in the command line of a worker of Python


def threads_as_ranks(parts: Sequence[RankFile]) -> list[dict[int, int]]:
    """Of each process: thread -> rank, in the order of processes and of threads within them."""
    found, last = [], 0
    for part in parts:
        threads = np.unique(part.events["thread"]).tolist()
        found.append({thread: last + number for number, thread in enumerate(threads)})
        last += len(threads)
    return found


def with_ranks(table: pa.Table, ranks: dict[int, int]) -> pa.Table:
    """The rows of a process with its threads' ranks."""
    rank_of = np.full(1 + max(ranks, default=0), -1, np.int32)
    rank_of[list(ranks)] = list(ranks.values())
    numbers = rank_of[table.column("thread").to_numpy()]
    return _with(_with(table, "rank", numbers), "thread", np.zeros(len(numbers), np.int32))


def with_threads(table: pa.Table, first: int) -> pa.Table:
    """The rows of a rank's child as those of further threads of the rank."""
    return _with(table, "thread", table.column("thread").to_numpy() + np.int32(first))


def described(parts: Sequence[RankFile], ranks: Sequence[dict[int, int]]) -> tuple[TracedProcess, ...]:
    """Who the processes were."""
    launched = {(part.host, part.process.parent) for part in parts if part.process.launch_rank >= 0}
    return tuple(
        TracedProcess(
            part.process.number,
            part.process.parent,
            _program(part),
            _role(part, part.process.launch_rank < 0 and (part.host, part.process.number) in launched),
            tuple(threads.values()),
            part.process.launch_rank,
        )
        for part, threads in zip(parts, ranks, strict=True)
    )


def processes(number: int) -> str:
    """A number of them in words."""
    return f"{number:,} process" + ("" if number == 1 else "es")


def program_of(parts: Sequence[RankFile]) -> str:
    """The command line of the process that began first."""
    return _program(min(parts, key=lambda part: part.wall - part.clock + part.process.begun))


def ended(part: RankFile) -> int:
    """When the process ended on its own clock; of one that was killed, the last that was recorded."""
    last = int(part.events["end"].max(initial=0))
    return max(part.process.ended, last)


def process_flags(parts: Sequence[RankFile], broken: int) -> list[Flag]:
    """What to keep in mind of ranks that are threads of processes."""
    flags = [Flag("ranks-inferred", "threads of processes stand for ranks, in the order they began")]
    if sum(len(np.unique(part.events["thread"])) for part in parts) > 1:
        flags.append(Flag("messages-missing", "communication between processes and threads was not recorded"))
    killed = [part.process.number for part in parts if part.finished not in (ENDED, REPLACED)]
    if killed:
        flags.append(
            Flag("crashed", f"{processes(len(killed))} ended by a signal, the first is process {killed[0]}")
        )
    if broken:
        flags.append(Flag("damaged", f"{processes(broken)} ended while the tracer began"))
    return flags


def mapped_flags(table: pa.Table) -> list[Flag]:
    """Files that were read or written through memory: their accesses take no call."""
    kind = np.asarray(table.column("kind").cast(pa.string()).to_pylist(), object)
    size, status = table.column("bytes").to_numpy(), table.column("status").to_numpy()
    done, unmapped = (kind == "map") & (status == 0), kind == "unmap"
    if not done.any():
        return []
    files = len(np.unique(table.column("file").to_numpy()[done]))
    unknown = int((unmapped & (status != 0)).sum())
    more = f"; of {counted(unknown, 'mapping')} that is not known" if unknown else ""
    return [
        Flag(
            "mapped",
            f"{counted(files, 'file')} mapped into memory ({about_size(int(size[done].sum()))}): pages of "
            f"{about_size(int(size[unmapped].sum()))} were touched{more}; the time of such accesses is not seen",
        )
    ]


def _role(part: RankFile, launches: bool) -> str:
    command = part.names["program"].get(0, b"").decode("utf-8", "replace")
    if part.process.how == FORKED or any(word in command for word in _SPAWNED):
        return "worker"
    if launches:
        return "launcher"
    return "rank" if part.process.launch_rank >= 0 else "program"


def _program(part: RankFile) -> str:
    return part.names["program"].get(0, b"").replace(b"\0", b" ").decode("utf-8", "replace").strip()


def _with(table: pa.Table, name: str, values: object) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(
        place, table.schema.field(place), pa.array(values, table.schema.field(place).type)
    )
