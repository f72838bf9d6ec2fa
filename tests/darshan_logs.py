"""A writer of Darshan's log format, and records with counters that fit together: logs of runs that never were."""

import struct
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field

import xxhash

from striate.formats.readers.darshan.layouts import SHAPES
from striate.trace.records import SIZE_LIMITS, SIZES

MAGIC = 6567223
MODULES = [
    "NULL",
    "POSIX",
    "MPI-IO",
    "H5F",
    "H5D",
    "PNETCDF_FILE",
    "PNETCDF_VAR",
    "BG/Q",
    "LUSTRE",
    "STDIO",
    "DXT_POSIX",
    "DXT_MPIIO",
    "MDHIM",
    "APXC",
    "APMPI",
    "HEATMAP",
    "DFS",
    "DAOS",
]
VERSIONS = {
    "POSIX": 4,
    "MPI-IO": 3,
    "STDIO": 2,
    "H5F": 3,
    "H5D": 2,
    "PNETCDF_FILE": 3,
    "PNETCDF_VAR": 1,
    "DFS": 1,
}
KIB, MIB, GIB = 2**10, 2**20, 2**30
ALL = -1


def record_id(name):
    return xxhash.xxh64_intdigest(name.encode("utf-8", "surrogateescape"))


@dataclass
class Log:
    """A log under construction: counters by module, stripes, heat maps and single accesses."""

    ranks: int = 4
    seconds: float = 100.0
    program: str = "./app input.nml"
    mounts: tuple = (("/scratch", "lustre"), ("/home", "nfs"))
    records: dict = field(default_factory=dict)  # module -> [(file, rank, counters)]
    stripes: list = field(default_factory=list)  # (file, [(unit, start, end, targets)])
    heat: list = field(default_factory=list)  # (module, rank, bin seconds, read, written)
    accesses: dict = field(default_factory=dict)  # DXT module -> [(file, rank, host, writes, reads)]

    def add(self, module, file, rank, **counters):
        """One record of a module; counters that are not given are zero."""
        self.records.setdefault(module, []).append((file, rank, counters))
        return self

    def stripe(self, file, unit=MIB, targets=(0,), start=0, end=-1):
        self.stripes.append((file, [(unit, start, end, tuple(targets))]))
        return self

    def save(self, path, *, order="<", cut=None):
        path.write_bytes(packed(self, order=order)[:cut])
        return path


def packed(log, *, order="<"):
    """The bytes of the log: format 3.41, each region packed by zlib."""
    regions = {name: _records(name, rows, order) for name, rows in log.records.items()}
    if log.stripes:
        regions["LUSTRE"] = b"".join(_stripes(file, parts, order) for file, parts in log.stripes)
    if log.heat:
        regions["HEATMAP"] = b"".join(_heat(row, order) for row in log.heat)
    for module, rows in log.accesses.items():
        regions[module] = b"".join(_accesses(row, order) for row in rows)
    names = b"".join(
        struct.pack(order + "Q", record_id(name)) + name.encode("utf-8", "surrogateescape") + b"\0"
        for name in _names(log)
    )
    length = 32 + 16 + 16 * 64 + 4 * 64
    parts = [zlib.compress(_job(log, order)), zlib.compress(names)]
    spans = {"job": (length, len(parts[0])), "names": (length + len(parts[0]), len(parts[1]))}
    at = length + sum(map(len, parts))
    for name, content in regions.items():
        parts.append(zlib.compress(content))
        spans[name] = (at, len(parts[-1]))
        at += len(parts[-1])
    return _header(spans, order) + b"".join(parts)


def _header(spans, order):
    versions = {**VERSIONS, "LUSTRE": 2, "HEATMAP": 1, "DXT_POSIX": 1, "DXT_MPIIO": 2}
    maps = [spans["names"]] + [spans.get(name, (0, 0)) for name in MODULES] + [(0, 0)] * (64 - len(MODULES))
    head = struct.pack(order + "8sqB7xQ", b"3.41", MAGIC, 0, 0)
    head += struct.pack(f"{order}{2 * len(maps)}Q", *(number for span in maps for number in span))
    numbers = [versions.get(name, 0) if name in spans else 0 for name in MODULES] + [0] * (64 - len(MODULES))
    return head + struct.pack(order + "64I", *numbers)


def _job(log, order):
    begin = 1_700_000_000
    whole = int(log.seconds)
    rest = round((log.seconds - whole) * 1e9)
    numbers = struct.pack(order + "7q", 1000, begin, 0, begin + whole, rest, log.ranks, 4711)
    text = log.program + "".join(f"\n{kind}\t{path}" for path, kind in log.mounts)
    return (
        numbers
        + b"lib_ver=3.5.0\nh=romio_no_indep_rw=true\n".ljust(1024, b"\0")
        + text.encode("utf-8", "surrogateescape")
    ).ljust(4096, b"\0")


def _names(log):
    names = [file for rows in log.records.values() for file, _, _ in rows]
    names += [
        file.split(":", 1)[0]
        for module in ("H5D", "PNETCDF_VAR")
        for file, _, _ in log.records.get(module, ())
    ]
    names += [file for file, _ in log.stripes] + [f"heatmap:{module}" for module, *_ in log.heat]
    names += [row[0] for rows in log.accesses.values() for row in rows]
    return list(dict.fromkeys(names))


def _records(module, rows, order):
    shape = SHAPES[module, VERSIONS[module]]
    parts = []
    for file, rank, counters in rows:
        unknown = set(counters) - {*shape.counters, *shape.times}
        assert not unknown, f"{module} has no counter {unknown}"
        parts.append(struct.pack(order + "Qq", record_id(file), rank))
        if shape.inner:
            parts.append(struct.pack(order + "Q", record_id(file.split(":", 1)[0])))
        parts.append(
            struct.pack(
                f"{order}{len(shape.counters)}q", *(int(counters.get(name, 0)) for name in shape.counters)
            )
        )
        parts.append(
            struct.pack(f"{order}{len(shape.times)}d", *(counters.get(name, 0.0) for name in shape.times))
        )
        parts.append(bytes(shape.tail))
    return b"".join(parts)


def _stripes(file, parts, order):
    targets = [target for *_, mine in parts for target in mine]
    content = struct.pack(order + "Qqqq", record_id(file), ALL, len(parts), len(targets))
    for unit, start, end, mine in parts:
        content += struct.pack(order + "7q16s", unit, len(mine), 1, 0, start, end, 0, b"")
    return content + struct.pack(f"{order}{len(targets)}q", *targets)


def _heat(row, order):
    module, rank, width, read, written = row
    content = struct.pack(order + "QqdqQQ", record_id(f"heatmap:{module}"), rank, width, len(read), 0, 0)
    return content + struct.pack(f"{order}{2 * len(read)}q", *written, *read)


def _accesses(row, order):
    file, rank, host, writes, reads = row
    content = struct.pack(
        order + "Qqq64sqq", record_id(file), rank, 0, host.encode(), len(writes), len(reads)
    )
    return content + b"".join(struct.pack(order + "qqdd", *one) for one in (*writes, *reads))


def accesses(kind, calls, size, seconds, *, aggregate="", start=1.0, end=None, **more):
    """Counters of `calls` accesses of `size` bytes that took `seconds` in all; sequential and aligned unless told."""
    bucket = SIZES[bisect_right(SIZE_LIMITS, size)]
    said = "bytes_read" if kind == "read" else "bytes_written"
    found = {
        said: calls * size,
        f"size_{kind}_{aggregate}{bucket}": calls,
        f"{kind}_time": seconds,
        f"max_{kind}_time": 2 * seconds / max(calls, 1),
        f"max_{kind}_time_size": size,
        f"{kind}_start_timestamp": start,
        f"{kind}_end_timestamp": end if end is not None else start + seconds,
        "access1_access": size,
        "access1_count": calls,
    }
    return found | more


def posix(kind, calls, size, seconds, *, sequential=1.0, consecutive=1.0, unaligned=0.0, extent=None, **more):
    """Counters of a POSIX record with accesses of one kind."""
    found = accesses(kind, calls, size, seconds, **{k: v for k, v in more.items() if k in ("start", "end")})
    verb = "read" if kind == "read" else "written"
    found |= {
        f"{kind}s": calls,
        f"seq_{kind}s": round(sequential * max(calls - 1, 0)),
        f"consec_{kind}s": round(consecutive * max(calls - 1, 0)),
        f"max_byte_{verb}": (extent if extent is not None else calls * size) - 1,
        "file_not_aligned": round(unaligned * calls),
        "file_alignment": 4096,
        "mem_alignment": 8,
        "opens": 1,
        "open_start_timestamp": 0.5,
    }
    return found | {k: v for k, v in more.items() if k not in ("start", "end")}


def mpiio(kind, calls, size, seconds, *, collective=True, **more):
    """Counters of an MPI-IO record with accesses of one kind."""
    found = accesses(kind, calls, size, seconds, aggregate="agg_")
    form = "coll" if collective else "indep"
    return found | {f"{form}_{kind}s": calls, f"{form}_opens": 1} | more


def merged(counters, *, ranks, slowest=None, fastest=None, slowest_rank=0, fastest_rank=1, same_bytes=False):
    """What a record becomes when it is merged over `ranks` ranks that all did the same; times of two of them.

    Each rank has a part of the file of its own, unless all of them access the `same_bytes`.
    """
    spent = sum(counters.get(f"{kind}_time", 0.0) for kind in ("read", "write", "meta"))
    kept = ("_timestamp", "_access", "_stride", "_alignment", "_size", "max_")
    found = {
        name: value if name.endswith(kept) or name.startswith(("max_", "chunk_", "use_")) else value * ranks
        for name, value in counters.items()
    }
    if not same_bytes:
        found |= {name: found[name] * ranks for name in found if name.startswith("max_byte_")}
    mean_bytes = counters.get("bytes_read", 0) + counters.get("bytes_written", 0)
    return found | {
        "slowest_rank": slowest_rank,
        "fastest_rank": fastest_rank,
        "slowest_rank_bytes": mean_bytes,
        "fastest_rank_bytes": mean_bytes,
        "slowest_rank_time": spent if slowest is None else slowest,
        "fastest_rank_time": spent if fastest is None else fastest,
    }
