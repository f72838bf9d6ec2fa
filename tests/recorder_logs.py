"""Writes traces as Recorder does, in each of its layouts, from calls given as text: what its reader is tested with."""

import itertools
import struct
import zlib
from dataclasses import dataclass

FUNCTIONS = (
    "creat", "open", "close", "write", "read", "lseek", "pread", "pwrite", "fopen", "fwrite", "fread", "fclose",
    "fsync", "__xstat", "unlink", "writev",
    "MPI_File_open", "MPI_File_close", "MPI_File_set_view", "MPI_File_write_at", "MPI_File_write_at_all",
    "MPI_File_write", "MPI_File_read_all", "MPI_File_seek", "MPI_File_iwrite_at", "MPI_File_write_shared",
    "MPI_Barrier", "MPI_Bcast", "MPI_Allreduce", "MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait",
    "MPI_Waitall", "MPI_Test", "MPI_Sendrecv", "MPI_Comm_split", "MPI_Gather", "MPI_Scatter",
    "H5Fcreate", "H5Dwrite",
)  # fmt: skip
LAYOUTS = ("2.3", "2.5", "2.5 shared", "3.0", "3.0 shared", "new", "combined")
RESOLUTION = 1e-7


@dataclass(frozen=True)
class Made:
    """One call of a rank, times in ticks since the start."""

    name: str
    arguments: tuple
    start: int
    end: int
    thread: int = 0
    depth: int = 0


def made(name, *arguments, at, took=5, **more):
    return Made(name, arguments, at, at + took, **more)


def write_log(folder, ranks, layout, *, started=1.7e9, packed_times=True, messages=True, functions=FUNCTIONS):
    """Write the calls of every rank, lists of `Made` ordered by start, as a trace of `layout`."""
    folder.mkdir(parents=True, exist_ok=True)
    narrow = layout.startswith("2.")
    shared = layout.endswith("shared") or layout == "combined"
    tables = _tables(ranks, functions, narrow=narrow, shared=shared)
    grammars = [_grammar(numbers) for _, numbers in tables]
    times = [_times(calls) for calls in ranks]
    head = (started, RESOLUTION, 1 << 18)
    names = "".join(f"{name}\n" for name in functions).encode()
    if narrow:
        _write_early(folder, ranks, layout, tables, grammars, times, head, names)
        return folder
    options = (packed_times, shared, False, False)
    tracked = (True, messages, True, True, False, False, False, True)
    if layout.startswith("3.0"):
        (folder / "VERSION").write_text("3.0.0")
        block = struct.pack("<i8?4xddi4?", len(ranks), *tracked, *head, *options)
        metadata = block.ljust(1024, b"\0") + names
    else:
        block = struct.pack("<5i8?4xddi4?", 3, 1, 2, len(ranks), len(functions), *tracked, *head, *options)
        metadata = block + b"".join(name.encode().ljust(64, b"\0") for name in functions)
    parts = {(0, -1): metadata, (1, -1): _all_times(times, packed=packed_times)}
    if shared:
        parts |= _shared_parts(tables, grammars)
    else:
        for rank, ((table, _), grammar) in enumerate(zip(tables, grammars, strict=True)):
            parts |= {(5, rank): _packed(_serialized(table, counted=True)), (6, rank): _packed(grammar)}
    _write_parts(folder, parts, combined=layout == "combined")
    return folder


def _write_early(folder, ranks, layout, tables, grammars, times, head, names):
    shared = layout.endswith("shared")
    (folder / "VERSION").write_text(f"{layout.split()[0]}.0")
    more = b"" if layout == "2.3" else struct.pack("<i4x", shared)
    (folder / "recorder.mt").write_bytes(struct.pack("<i4xddii", len(ranks), *head, 0) + more + names)
    unique = list(dict.fromkeys(grammars)) if shared else grammars
    for rank, time in enumerate(times):
        (folder / f"{rank}.ts").write_bytes(time)
        if rank == 0 or not shared:
            (folder / f"{rank}.cst").write_bytes(_serialized(tables[rank][0], counted=layout != "2.3"))
    for number, grammar in enumerate(unique):
        (folder / f"{number}.cfg").write_bytes(grammar)
    if shared:
        which = [unique.index(grammar) for grammar in grammars]
        (folder / "ug.mt").write_bytes(struct.pack(f"<{len(which) + 1}i", *which, len(unique)))


def _shared_parts(tables, grammars):
    unique = list(dict.fromkeys(grammars))
    which = [unique.index(grammar) for grammar in grammars]
    return {
        (2, -1): _packed(_serialized(tables[0][0], counted=True)),
        (3, -1): b"".join(map(_packed, unique)),
        (4, -1): struct.pack(f"<{len(which) + 1}i", *which, len(unique)),
    }


def _write_parts(folder, parts, *, combined):
    if not combined:
        files = ("recorder.mt", "recorder.ts", "recorder.cst", "ug.cfg", "ug.mt", "{rank}.cst", "{rank}.cfg")
        for (number, rank), content in parts.items():
            (folder / files[number].format(rank=rank)).write_bytes(content)
        return
    at = 16 + 24 * len(parts)
    index, body = b"", b""
    for (number, rank), content in parts.items():
        index += struct.pack("<IiQQ", number, rank, at + len(body), len(content))
        body += content
    (folder / "recorder.dat").write_bytes(struct.pack("<8sII", b"RECORDER", 1, len(parts)) + index + body)


def _tables(ranks, functions, *, narrow, shared):
    """For every rank: its table of calls, and the numbers of its calls in it."""
    common, found = {}, []
    for calls in ranks:
        table = common if shared else {}
        numbers = [table.setdefault(_key(call, functions, narrow=narrow), len(table)) for call in calls]
        found.append((table, numbers))
    return found


def _key(call, functions, *, narrow):
    text = "".join(f"{argument} " for argument in call.arguments).encode()
    layout = "<QBBBi" if narrow else "<QiBBi"
    function = functions.index(call.name)
    return struct.pack(layout, call.thread, function, call.depth, len(call.arguments), len(text)) + text


def _serialized(table, *, counted):
    content = struct.pack("<i", len(table))
    for key, number in table.items():
        head = struct.pack("<4i", number, 0, len(key), 1) if counted else struct.pack("<2i", number, len(key))
        content += head + key
    return content


def _grammar(numbers):
    """Rules for the sequence: runs as exponents, and the largest repeated pair of runs as a rule of its own."""
    runs = []
    for number in numbers:
        if runs and runs[-1][0] == number:
            runs[-1][1] += 1
        else:
            runs.append([number, 1])
    pairs = {}
    for first, second in itertools.pairwise(runs):
        pairs[(*first, *second)] = pairs.get((*first, *second), 0) + 1
    best = max(pairs, key=pairs.get, default=None)
    if best is None or pairs[best] < 2:
        return _rules({-1: [number for run in runs for number in run]})
    body, at = [], 0
    while at < len(runs):
        if at + 1 < len(runs) and (*runs[at], *runs[at + 1]) == best:
            if body[-2:-1] == [-2]:
                body[-1] += 1
            else:
                body += [-2, 1]
            at += 2
        else:
            body += runs[at]
            at += 1
    return _rules({-1: body, -2: list(best)})


def _rules(rules):
    content = struct.pack("<i", len(rules))
    for rule, body in rules.items():
        content += struct.pack(f"<2i{len(body)}i", rule, len(body) // 2, *body)
    return content


def _times(calls):
    content, before = b"", 0
    for call in calls:
        content += struct.pack("<2I", (call.start - before) % 2**32, (call.end - before) % 2**32)
        before = call.start
    return content


def _all_times(times, *, packed):
    content = (
        [_packed(time[:80]) + (_packed(time[80:]) if time[80:] else b"") for time in times]
        if packed
        else times
    )
    return struct.pack(f"<{len(content)}Q", *map(len, content)) + b"".join(content)


def _packed(content):
    small = zlib.compress(content)
    return struct.pack("<QQ", len(small), len(content)) + small
