"""Feeds mutated logs and traces to every reader: `python verification/fuzz_readers.py [COUNT] [SEED]`.

What is read is summarised as `info` does; where it has counters, `advise` looks at them.

Every outcome must be a trace or a StriateError, within seconds of CPU time and a few gigabytes; prints how far it
is now and then, one line per reader at the end, and exits with 1 when anything else happened. What caused it is kept
beside the report.
"""

from __future__ import annotations

import gzip
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from fuzzing.mutations import mutated, mutated_table

if TYPE_CHECKING:
    from striate.trace.trace import Trace

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS = 20  # of CPU time
LONGEST_WAIT = 600  # seconds, however busy the machine: a hang, and not only slow
MOST_BYTES = 6 << 30  # of address space, libraries included
EACH_ARCHIVE = 250  # one file in so many is an OTF2 archive
EACH_REPORT = 500  # files between two lines on how far it is
Seeds = dict[str, list[bytes]]


def mutated_inside(content: bytes, random_: random.Random) -> bytes:
    """A sound packed file whose content was changed."""
    return gzip.compress(mutated(gzip.decompress(content), random_), 1)


def unpacked_darshan(content: bytes) -> bytes:
    """The same log with its modules stored plain, so that mutations reach the records and not only their packing."""
    import struct
    import zlib

    wide = content[:4] >= b"3.4"
    count, at = (64, 32) if wide else (16, 24)
    maps = struct.unpack_from(f"<{2 * count + 2}Q", content, at)
    length = at + 16 + 20 * count
    head, body, new = bytearray(content[:length]), b"", []
    head[16] = 2

    def plain(start: int, size: int) -> bytes:
        rest, out = content[start : start + size], b""
        while rest:
            stream = zlib.decompressobj()
            out += stream.decompress(rest)
            rest = stream.unused_data
        return out

    body = plain(length, maps[0] - length)
    for number in range(count + 1):
        start, size = maps[2 * number], maps[2 * number + 1]
        part = plain(start, size) if size else b""
        new += [length + len(body) if size else 0, len(part)]
        body += part
    struct.pack_into(f"<{2 * count + 2}Q", head, at, *new)
    return bytes(head) + body


def seeds() -> Seeds:
    """Sound files to start from, by the ending of their names."""
    from toy_traces import two_ranks, watched

    found: Seeds = {".parquet": [], ".darshan": [], ".pfw": [], ".pfw.gz": []}
    with tempfile.TemporaryDirectory() as folder:
        for trace in (two_ranks(), watched()):
            trace.save(Path(folder) / "toy.parquet")
            found[".parquet"].append((Path(folder) / "toy.parquet").read_bytes())
    log = (ROOT / "tests" / "data" / "dftracer-2.2.pfw").read_bytes()
    found[".pfw"].append(log)
    found[".pfw.gz"].append(gzip.compress(log))
    found[".darshan"] += synthetic_logs()
    found[".txt"] = [parsed_text()]
    old = sorted((ROOT / "tests" / "data" / "darshan").glob("*.darshan.gz"))
    found[".darshan.gz"] = [path.read_bytes() for path in old]
    for path in darshan_logs():
        content = path.read_bytes()
        if len(content) < 20_000:
            found[".darshan"] += [content, unpacked_darshan(content)]
    return {ending: files for ending, files in found.items() if files}


def synthetic_logs() -> list[bytes]:
    """Darshan logs of every module, with their regions unpacked."""
    from advice_corpus import corpus
    from darshan_logs import packed

    return [unpacked_darshan(packed(case.log)) for case in corpus() if case.log.ranks <= 8]


def parsed_text() -> bytes:
    """What darshan-parser prints of a small log."""
    head = "# darshan log version: 3.41\n# nprocs: 2\n# start_time: 1\n# run time: 9.5\n# mount entry:\t/s\tlustre\n"
    counters = {
        "OPENS": 3,
        "WRITES": 50,
        "BYTES_WRITTEN": 5000,
        "F_WRITE_TIME": 1.5,
        "F_WRITE_START_TIMESTAMP": 0.5,
    }
    lines = [f"POSIX\t-1\t77\tPOSIX_{name}\t{value}\t/s/a\t/s\tlustre\n" for name, value in counters.items()]
    stripes = {"COMP1_STRIPE_SIZE": 1048576, "COMP1_EXT_END": "EOF", "COMP1_OST_ID_0": 7}
    lines += [
        f"LUSTRE\t-1\t77\tLUSTRE_{name}\t{value}\t/s/a\t/s\tlustre\n" for name, value in stripes.items()
    ]
    lines += ["# DXT, file_id: 78, file_name: /s/b\n# DXT, rank: 1, hostname: n\n"]
    return (
        head + "".join(lines) + " X_POSIX 1 write 0 4096 100 1.5 1.6 [7]\n X_POSIX 1 read 0 0 5 2.5 2.75\n"
    ).encode()


def darshan_logs() -> list[Path]:
    from peers import pydarshan_logs

    return sorted((ROOT / "tests" / "data" / "darshan").glob("*.darshan")) + pydarshan_logs()


def part_seeds() -> list[tuple[bytes, bytes, bytes]]:
    """The two files of a traced process, events and names, and the samples of its host."""
    import struct

    import numpy as np

    from striate.record.files import EVENT, KINDS, MAGIC, PAGE

    functions = ["MPI_File_open", "MPI_File_set_view", "MPI_File_write_all", "MPI_Sendrecv", "half", "MPI_Isend",
                 "MPI_Wait", "complete", "region_begin", "region_end", "pwrite", "MPI_Alltoallv"]  # fmt: skip
    events = np.zeros(len(functions), EVENT)
    events["function"] = np.arange(1, len(functions) + 1)
    events["start"], events["end"] = np.arange(len(functions)) * 10, np.arange(len(functions)) * 10 + 5
    events["bytes"], events["received"], events["request"] = 64, 8, [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]
    events["bytes"][1] = 1
    head = struct.pack(
        "<8s4i5Q48s256s256s", MAGIC, 0, 2, 7, 1, len(events), 0, 2**30, 10**18, 0, b"b", b"h", b"l"
    )
    names = b""

    def name(kind: str, number: int, text: bytes) -> bytes:
        return struct.pack("<IIq", KINDS.index(kind) + 1, len(text), number) + text

    for number, function in enumerate(functions):
        names += name("function", number + 1, function.encode())
    vector = [4, 8, 20, 0, 3, 2, 4, 16, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0]
    names += name("file", 0, b"/data\0cb_nodes=1\n") + name("path", 0, b"/data") + name("region", 0, b"solve")
    names += name("type", 1, np.array(vector, np.int64).tobytes()) + name("list", 0, np.arange(2).tobytes())
    names += name("communicator", 1, np.arange(2, dtype=np.int32).tobytes()) + name("program", 0, b"a\0b")
    samples = np.arange(33, dtype=np.int64).reshape(3, 11)
    return [(head.ljust(PAGE, b"\0") + events.tobytes(), names, head + samples.tobytes())]


def archive_seed() -> dict[str, bytes]:
    """The files of an OTF2 archive, by their names in it; none without the otf2 package."""
    from toy_traces import two_ranks

    try:
        from striate.formats.writers.otf2 import write

        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "run.otf2"
            write(two_ranks(), target)
            found = [path for path in target.rglob("*") if path.is_file()]
            return {str(path.relative_to(target)): path.read_bytes() for path in found}
    except OSError:  # OutputError: the package is not there
        return {}


def recorder_seeds() -> list[dict[str, bytes]]:
    """The files of a Recorder trace in each of its layouts, by their names."""
    from recorder_logs import LAYOUTS, made, write_log

    calls = [made("MPI_File_open", "MPI_COMM_WORLD", "/data", 5, "%p", "0-0", at=5)]
    for step in range(6):
        at = 20 + 40 * step
        calls.append(made("MPI_File_write_at_all", "0-0", 64 * step, "%p", 8, "MPI_DOUBLE", "", at=at))
        calls.append(made("MPI_Isend", "%p", 3, "MPI_INT", 1, 7, "MPI_COMM_WORLD", 42, at=at + 10))
        calls.append(made("MPI_Wait", 42, "", at=at + 20))
    calls += [made("lseek", "/log", "8*r+16", 0, at=300), made("write", "/log", "%p", 100, at=310)]
    found = []
    for layout in LAYOUTS:
        with tempfile.TemporaryDirectory() as folder:
            written = write_log(Path(folder), [calls, calls], layout, packed_times=layout != "3.0")
            found.append({path.name: path.read_bytes() for path in written.iterdir()})
    return found


def write_archive(files: dict[str, bytes], folder: Path, random_: random.Random) -> None:
    """The archive with one of its files changed."""
    shutil.rmtree(folder, ignore_errors=True)
    victim = random_.choice(sorted(files))
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(mutated(content, random_) if name == victim else content)


INSIDE = {".parquet": mutated_table, ".darshan.gz": mutated_inside}


def looked_at(trace: Trace) -> None:
    """What commands make of a trace."""
    from striate.advice import advise

    str(trace.info())
    if trace.records:
        advise(trace).to_json()


class TooSlowError(Exception):
    """A reader took longer than it may."""


def _late(signal_number: int, frame: object) -> None:
    raise TooSlowError


def attempt(read: Callable[[], object]) -> str:
    """`trace`, `refused`, or what else happened."""
    from striate.errors import StriateError

    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    signal.alarm(LONGEST_WAIT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read()
        return "trace"
    except StriateError:
        return "refused"
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)


def fuzz(count: int, seed: int, *, report: Path | None = None) -> dict[str, dict[str, int]]:
    """Outcomes by kind of file; raises AssertionError, keeping the file in `report`, at the first other one."""
    from striate.formats.read import read_trace
    from striate.record.merge import merge

    random_ = random.Random(seed)
    files = seeds()
    parts = part_seeds()
    recorder = recorder_seeds()
    archive = archive_seed() if count >= EACH_ARCHIVE else {}
    kinds = [*files, "parts", "recorder"]
    outcomes = {kind: {"trace": 0, "refused": 0} for kind in [*kinds, *([".otf2"] if archive else [])]}
    previous = {late: signal.signal(late, _late) for late in (signal.SIGALRM, signal.SIGPROF)}
    folder = Path(tempfile.mkdtemp())
    try:
        for number in range(count):
            kind = kinds[number % len(kinds)]
            if archive and number % EACH_ARCHIVE == EACH_ARCHIVE - 1:  # read by a process of its own: slow
                kind = ".otf2"
                write_archive(archive, folder / "run.otf2", random_)
                outcome = attempt(lambda: str(read_trace(folder / "run.otf2").info()))
            elif kind == "recorder":
                write_archive(random_.choice(recorder), folder / "recorder", random_)
                outcome = attempt(lambda: str(read_trace(folder / "recorder").info()))
            elif kind == "parts":
                events, names, samples = random_.choice(parts)
                pick = random_.randrange(2)
                (folder / "0.0.events").write_bytes(events if pick else mutated(events, random_))
                (folder / "0.0.names").write_bytes(mutated(names, random_) if pick else names)
                (folder / "h.samples").write_bytes(mutated(samples, random_))
                outcome = attempt(lambda: merge(folder, levels=("mpi",)).info())
            else:
                path = folder / f"log{kind}"
                change = INSIDE.get(kind, mutated) if random_.randrange(2) else mutated
                path.write_bytes(change(random_.choice(files[kind]), random_))
                outcome = attempt(lambda path=path: looked_at(read_trace(path)))
            if outcome not in outcomes[kind]:
                if report is not None:
                    shutil.copytree(folder, report, dirs_exist_ok=True)
                raise AssertionError(f"{kind}, number {number} of seed {seed}:\n{outcome}")
            outcomes[kind][outcome] += 1
            if report is not None and (number + 1) % EACH_REPORT == 0:
                print(f"{number + 1:,} of {count:,}: {_counted(outcomes)}", file=sys.stderr, flush=True)
    finally:
        for late, handler in previous.items():
            signal.signal(late, handler)
        shutil.rmtree(folder, ignore_errors=True)
    return outcomes


def _counted(outcomes: dict[str, dict[str, int]]) -> str:
    return ", ".join(f"{kind} {sum(counts.values()):,}" for kind, counts in outcomes.items())


def main(count: int = 50_000, seed: int = 1) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, resource.RLIM_INFINITY))
    report = Path(tempfile.gettempdir()) / f"striate-fuzz-{os.getpid()}"
    started = time.perf_counter()
    try:
        outcomes = fuzz(count, seed, report=report)
    except AssertionError as error:
        print(f"FAILED: {error}\nthe files are in {report}")
        return 1
    for kind, counts in outcomes.items():
        print(f"{kind:10} {counts['trace']:7,} traces, {counts['refused']:7,} refused")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{count:,} files in {time.perf_counter() - started:.0f} s, peak memory {peak:.0f} MiB: no other outcome"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
