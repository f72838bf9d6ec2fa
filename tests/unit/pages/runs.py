"""Small runs for tests of pages."""

import numpy as np

from striate.trace.columns import operations
from striate.trace.header import Flag, Header, TracedCommunicator, TracedFile
from striate.trace.kinds import KINDS, LEVELS
from striate.trace.trace import Trace

MS = 1_000_000


def trace(rows, *, ranks=2, files=("data.bin",), regions=("step",), program="solver", flags=(), **header):
    """A trace of (rank, level, kind, start ms, end ms, more columns) rows."""
    defaults = {"bytes": 0, "file": -1, "offset": -1, "peer": -1, "tag": -1, "region": -1, "communicator": -1}
    defaults["resource"] = -1
    columns = {
        "rank": np.array([row[0] for row in rows]),
        "level": np.array([LEVELS.index(row[1]) for row in rows]),
        "kind": np.array([KINDS.index(row[2]) for row in rows]),
        "start": np.array([round(row[3] * MS) for row in rows]),
        "end": np.array([round(row[4] * MS) for row in rows]),
    }
    columns |= {
        name: np.array([(row[5] if len(row) > 5 else {}).get(name, default) for row in rows])
        for name, default in defaults.items()
    }
    names = [f"call_{row[2]}" for row in rows]
    functions = sorted(set(names))
    columns["function"] = (np.array([functions.index(name) for name in names]), functions)
    head = Header(
        ranks=ranks,
        program=program,
        files=tuple(TracedFile(name) for name in files),
        regions=tuple(regions),
        communicators=(TracedCommunicator("world"),),
        flags=tuple(Flag("note", text) for text in flags),
        **header,
    )
    return Trace.of(operations(len(rows), columns), head)


def small(*, slower=1.0, program="solver", **more):
    """Two ranks: a region around a write that is made of two system calls, a message, a read."""
    rows = []
    for rank in range(2):
        rows += [
            (rank, "program", "region", 0, 60 * slower, {"region": 0}),
            (
                rank,
                "mpi-io",
                "write",
                10,
                10 + 40 * slower,
                {"bytes": 1 << 20, "file": 0, "offset": rank << 20},
            ),
            (rank, "posix", "write", 11, 11 + 10 * slower, {"bytes": 1 << 19, "file": 0, "offset": 0}),
            (
                rank,
                "posix",
                "write",
                12 + 10 * slower,
                12 + 30 * slower,
                {"bytes": 1 << 19, "file": 0, "offset": 9},
            ),
            (rank, "mpi-io", "read", 70 * slower, 90 * slower, {"bytes": 4096, "file": 0, "offset": 0}),
        ]
    rows += [
        (0, "mpi", "send", 62 * slower, 63 * slower, {"peer": 1, "tag": 7, "bytes": 512, "communicator": 0}),
        (1, "mpi", "recv", 61 * slower, 65 * slower, {"peer": 0, "tag": 7, "bytes": 512, "communicator": 0}),
    ]
    return trace(rows, program=program, **more)


def busy(operations_, *, ranks=4, seed=0):
    """Many short operations of random lengths on few ranks."""
    rng = np.random.default_rng(seed)
    rows = []
    for rank in range(ranks):
        at = 0.0
        for _ in range(operations_ // ranks):
            at += rng.exponential(0.05)
            length = rng.exponential(0.1)
            kind = ("read", "write", "sync")[rng.integers(3)]
            rows.append(
                (rank, "posix", kind, at, at + length, {"bytes": int(rng.integers(1, 9999)), "file": 0})
            )
            at += length
    return trace(rows, ranks=ranks)


def flooded(*, calls=2000, messages=40_000, links=4):
    """Two ranks with short calls, and so many messages on links that a page cannot hold them one by one."""
    rng = np.random.default_rng(3)
    rows = [
        (rank, "mpi", "send", at, at + 0.5, {"peer": 1 - rank}) for rank in range(2) for at in range(calls)
    ]
    start = np.sort(rng.uniform(0, calls, messages))
    rows += [
        (
            number % 2,
            "network",
            "transfer",
            at,
            at + 0.01,
            {"resource": number % links, "bytes": 100 + number % 17},
        )
        for number, at in enumerate(start.tolist())
    ]
    return trace(rows, source="simulated", resources=tuple(f"link {number}" for number in range(links)))


def launched(**header):
    """Two ranks that need 5 s to leave MPI_Init, write for 2 s, and wait for 3 s in MPI_Finalize."""
    calls = []
    for rank in range(2):
        calls += [
            (rank, "mpi", "init", 0, 5000 + 100 * rank),
            (rank, "mpi-io", "write", 5200, 7000, {"file": 0, "bytes": 1 << 20, "offset": 0}),
            (rank, "mpi", "finalize", 7000 + 100 * rank, 10_000),
        ]
    return trace(calls, **header)
