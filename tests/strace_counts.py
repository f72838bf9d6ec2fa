"""What `strace` counts of a program's calls on the files of a folder, thread by thread."""

import re
import shutil
import subprocess
from collections import Counter

import pytest

KINDS = {
    "open": "open", "openat": "open", "creat": "open", "close": "close",
    "read": "read", "pread64": "read", "readv": "read", "preadv": "read", "preadv2": "read",
    "write": "write", "pwrite64": "write", "writev": "write", "pwritev": "write", "pwritev2": "write",
    "lseek": "seek", "fsync": "sync", "fdatasync": "sync", "ftruncate": "resize", "rename": "rename",
    "sendfile": "copy", "mmap": "map",
}  # fmt: skip
_CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+).*$")


def strace(command, folder, out):
    """A counter (kind -> calls, "kind bytes" -> bytes) of each thread that touched files of `folder`, as a list."""
    tool = shutil.which("strace")
    if tool is None:
        pytest.skip("no strace here: Debian's strace")
    out.mkdir()
    words = [tool, "-ff", "-y", "-s", "0", "-e", "trace=" + ",".join(KINDS), "-o", str(out / "calls")]
    ran = subprocess.run([*words, *map(str, command)], capture_output=True, text=True, check=False)
    if "ptrace" in ran.stderr and "Operation not permitted" in ran.stderr:
        pytest.skip("strace may not trace here")
    assert ran.returncode == 0, ran.stderr
    return [found for path in out.iterdir() if (found := _counts(path.read_text(), str(folder)))]


def _counts(text, folder):
    found = Counter()
    for line in text.splitlines():
        match = _CALL.match(line)
        if match is None or folder not in line or "O_DIRECTORY" in line:
            continue
        call, arguments, result = match.groups()
        if result.startswith("-"):
            continue
        if KINDS[call] == "copy":
            target, source, *_ = arguments.split(", ")
            for kind, named in (("read", source), ("write", target)):
                if folder in named:
                    found[kind] += 1
                    found[f"{kind} bytes"] += int(result)
            continue
        kind = KINDS[call]
        found[kind] += 1
        if kind in ("read", "write"):
            found[f"{kind} bytes"] += int(result)
    return found


def recorded(trace):
    """The same of a trace, rank by rank; a program that took the place of another goes on as the same thread."""
    found = {}
    who = {rank: (one.number, at) for one in trace.header.processes for at, rank in enumerate(one.ranks)}
    rows = trace.select(levels=["posix"]).to_pandas()
    for row in rows[rows["status"] == 0].to_dict("records"):
        if row["kind"] not in {*KINDS.values(), "read", "write"}:
            continue
        counts = found.setdefault(who[row["rank"]], Counter())
        counts[row["kind"]] += 1
        if row["kind"] in ("read", "write"):
            counts[f"{row['kind']} bytes"] += row["bytes"]
    return list(found.values())


def in_order(counts):
    """Threads have no names that two runs share: order them by what they did."""
    return sorted(sorted(one.items()) for one in counts)
