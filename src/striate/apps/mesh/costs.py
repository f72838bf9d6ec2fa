"""What the steps of the program and of the runtime cost on one core of this machine: measured by doing them once."""

from __future__ import annotations

import mmap
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

import striate.runtime as runtime
from striate.apps.mesh.generate import NODE, Mesh
from striate.apps.mesh.sweep import Sweep
from striate.cluster.cluster import Cluster
from striate.errors import TuningError
from striate.predict.server_ways import server_ways
from striate.runtime.codec import pipeline_from
from striate.runtime.frame import as_records

REPEATS = 3  # the best of these counts: what is slower was disturbed
MAPPED_BYTES = 16 * 2**20
SMALL_CHUNK, LARGE_CHUNK = 64 * 2**10, 4 * 2**20
SMALL_BUFFER = 4 * 2**20


@dataclass(frozen=True, slots=True)
class CodecCost:
    """Seconds a byte to compress and to restore, and the share of the bytes that is left."""

    encode: float
    decode: float
    share: float


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of one core: an edge, a record or a byte at a time, and a commit."""

    setup_edge: float  # reading an edge and finding its nodes
    sweep_edge: float
    schedule_record: float
    move_byte: float  # a byte of a record into a window
    load_byte: float  # a byte of an earlier dump, still in the system's memory
    checksum_byte: float
    write_byte: float  # into the system's memory
    window_byte: float  # memory that the ranks of a node share, the first time
    round: float  # beyond what its bytes cost
    commit: float
    commit_chunk: float
    codecs: dict[str, CodecCost] = field(default_factory=dict)

    @classmethod
    def from_table(cls, table: dict[str, Any]) -> Costs:
        """The costs of a TOML table; raises TuningError with the path of the mistake."""
        try:
            return msgspec.convert(table, cls)
        except msgspec.ValidationError as error:
            message, _, at = str(error).partition(" - at `$")
            raise TuningError(message, at=f"$.costs{at.rstrip('`')}") from None

    def beyond(self, cluster: Cluster) -> Costs:
        """The costs that a prediction on `cluster` does not count itself: its writes pass through a network."""
        if not cluster.servers:
            return self
        ways = server_ways(cluster, cluster.place(1))
        return replace(self, write_byte=max(0.0, self.write_byte - float(ways.seconds_per_byte.mean())))


def measure_costs(mesh: Mesh, ranks: int, *, codecs: Iterable[str] = (), folder: Path | None = None) -> Costs:
    """Do the first rank's share of a sweep and of two dumps, alone, and look at the clock; takes a few seconds."""
    begin = time.process_time()
    sweep = Sweep(mesh, 0, ranks)
    setup = time.process_time() - begin
    edges = max(1, mesh.edges // ranks)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        whole = 4 * mesh.nodes * NODE.itemsize
        small, large = (_dumps(sweep, Path(scratch), chunk, whole) for chunk in (SMALL_CHUNK, LARGE_CHUNK))
        rounds = _dumps(sweep, Path(scratch), SMALL_CHUNK, SMALL_BUFFER)
    total, moved = mesh.nodes * NODE.itemsize, max(1, len(sweep.indices) * NODE.itemsize)
    more = max(1, small["chunks"] - large["chunks"])
    commit_chunk = max(0.0, (small["commit"] - large["commit"]) / more)
    return Costs(
        setup_edge=setup / edges,
        sweep_edge=_best(sweep.step) / edges,
        schedule_record=large["schedule"] / max(1, len(sweep.indices)),
        move_byte=large["exchange"] / moved,
        load_byte=large["load"] / total,
        checksum_byte=large["compress"] / total,
        write_byte=large["write"] / total,
        window_byte=_best(_map_shared) / MAPPED_BYTES,
        round=max(0.0, (rounds["all"] - small["all"]) / max(1, rounds["rounds"] - 1)),
        commit=max(0.0, large["commit"] - commit_chunk * large["chunks"]),
        commit_chunk=commit_chunk,
        codecs={name: _codec(name, sweep) for name in codecs if name != "none"},
    )


def _dumps(sweep: Sweep, folder: Path, chunk: int, buffer: int) -> dict[str, float]:
    """The best seconds of each stage, and of all, of the dumps after the first, by one process."""
    mesh = sweep.mesh
    best: dict[str, float] = {}
    settings: dict[str, Any] = {"chunk": chunk, "buffer": buffer}
    with runtime.create(None, folder / "dump", (mesh.nodes,), NODE, **settings) as dataset:
        for repeat in range(1 + REPEATS):
            schedule = dataset.schedule(sweep.indices)
            scheduled = dataset.report.seconds["schedule"]
            begin, busy = time.perf_counter(), time.process_time()
            report = dataset.write_all(schedule, sweep.values)
            spent = time.process_time() - busy
            alone = min(1.0, spent / (time.perf_counter() - begin))  # below 1 where others had the core
            found = {name: value * alone for name, value in report.seconds.items()}
            found |= {"schedule": scheduled * alone, "all": spent}
            if repeat:  # the first has nothing to load
                best = {name: min(value, best.get(name, value)) for name, value in found.items()}
    return best | {"chunks": -(-mesh.nodes * NODE.itemsize // chunk), "rounds": report.rounds}


def _codec(name: str, sweep: Sweep) -> CodecCost:
    """Compress a chunk of real records, in the order of the file."""
    size = NODE.itemsize
    pipeline = pipeline_from(name, size)
    order = sweep.indices.argsort()[: max(1, 2**20 // size)]
    raw = as_records(sweep.values[order].view("u1"), size)
    stored = pipeline.encode(raw)
    plain = raw.nbytes
    encode = _best(lambda: pipeline.encode(raw)) / plain
    return CodecCost(encode, _best(lambda: pipeline.decode(stored, plain)) / plain, stored.size / plain)


def _map_shared() -> None:
    folder = Path("/dev/shm")
    with tempfile.TemporaryFile(dir=folder if folder.is_dir() else None) as file:
        os.posix_fallocate(file.fileno(), 0, MAPPED_BYTES)
        flags = mmap.MAP_SHARED | getattr(mmap, "MAP_POPULATE", 0)
        mmap.mmap(file.fileno(), MAPPED_BYTES, flags=flags).close()


def _best(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        begin, busy = time.perf_counter(), time.process_time()
        work()
        spent = time.process_time() - busy
        seconds.append(
            min(time.perf_counter() - begin, spent)
        )  # threads together may spend more than the clock
    return min(seconds)
