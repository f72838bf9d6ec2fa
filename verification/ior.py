"""IOR command lines against IOR itself: every byte and, for independent calls, every call, as `strace` sees them.

    python verification/ior.py /path/to/ior

Needs `mpirun` and `strace`. Each line is run in a scratch folder and imported; reads and writes of the test files are
counted by kind, offset and size.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from striate.importers.kinds import from_command_line
from striate.workload.summary import summary_of
from striate.workload.transforms.unfold import unfold

LINES = (
    (2, "ior"),
    (2, "ior -a MPIIO -c -t 64k -b 256k -s 3"),
    (3, "ior -t 64k -b 128k -s 4 -F"),
    (3, "ior -t 64k -b 128k -s 2 -F -C -e"),
    (2, "ior -w -t 64k -b 1m -k"),
    (2, "ior -wrk -t 256k -b 1m -s 4"),
    (2, "ior -W -b 2m -t 1m -w"),
    (3, "ior -w -r -W -R -b 128k -t 64k -G 27"),
    (2, "ior -t 47008 -b 47008 -s 20 -C -Q 1 -g -G 27 -k -e -w"),
    (2, "ior -i 3 -m -t 64k -b 256k"),
    (2, "ior -z -t 4k -b 64k -F"),
    (2, "ior -Y -w -t 4k -b 40k -u -F"),
    (3, "ior -N 2 -b 64k -t 8k -s 3"),
    (2, "ior -c -w -t 64k -b 64k"),
    (3, "ior -C -t 16k -b 64k -s 2"),
    (3, "ior -F -t 3k -b 9k -s 5"),
    (2, "ior -t 1000 -b 3000 -s 7"),
    (3, "ior -C -Q 2 -F -t 64k -b 128k"),
    (2, "ior -w -W -r -R -t 64k -b 64k -i 2"),
    (2, "ior -i 3 -m -F -t 64k -b 64k -k"),
    (2, "ior -z -F -C -t 8k -b 128k"),
    (2, "ior -w -r -C -g -G 5 -e -t 64k -b 64k -s 2 -k"),
    (4, "ior -a MPIIO -F -t 64k -b 128k"),
    (2, "ior -t=64k -b=128k"),
    (2, "ior -O blockSize=128k,transferSize=64k -O filePerProc=1"),
    (2, "ior -O repetitions=2 -O multiFile=1 -O keepFile=1 -t 64k -b 64k"),
    (3, "ior -O reorderTasksConstant=1 -O taskPerNodeOffset=2 -O fsync=1 -t 64k -b 128k"),
    (2, "ior -O summaryFormat=JSON -X 7 -z -t 4k -b 16k -F"),
    # letters of joined values, which IOR reads as options, too
    (2, "ior -t64k -b128k -wr"),
    (2, "ior -i2 -t1m -b4m"),
    (2, "ior -i2 -t64k -b 4kib -t4k -w"),
    (2, "ior -w=1 -s 1k -t64 -b=64"),
    (2, "ior -w -r=0 -F=2 -t 1m"),
    (2, "ior -wrt 64k -b 128k"),
    (1, "ior -b2kib -t1k -w"),
)
OPENED = re.compile(r'openat\([^,]*, "([^"]*)".* = (\d+)$')
CLOSED = re.compile(r"close\((\d+)\)")
SOUGHT = re.compile(r"lseek\((\d+), (\d+), SEEK_SET")
MOVED = re.compile(r"(p?)(read|write)(?:64)?\((\d+),.*?(?:, (\d+))?\) = (\d+)$")
Calls = Counter[tuple[str, int, int]]


def of_trace(lines: list[str], folder: str) -> Calls:
    """Calls on the test files in one process's trace: kind, offset, bytes."""
    found: Calls = Counter()
    position: dict[str, int] = {}  # of every open test file, by its descriptor
    for line in lines:
        if match := OPENED.match(line):
            path = Path(match[1])  # with -u in a folder of its own
            if path.is_relative_to(folder) and path.name.startswith("test"):
                position[match[2]] = 0
        elif match := CLOSED.match(line):
            position.pop(match[1], None)
        elif (match := SOUGHT.match(line)) and match[1] in position:
            position[match[1]] = int(match[2])
        elif (match := MOVED.match(line)) and match[3] in position:
            moved = int(match[5])
            found[match[2], int(match[4]) if match[1] else position[match[3]], moved] += 1
            position[match[3]] += 0 if match[1] else moved
    return found


def run_ior(ior: str, line: str, ranks: int) -> Calls:
    with tempfile.TemporaryDirectory() as folder:
        words = [ior, *line.split()[1:], "-o", f"{folder}/test"]
        trace = [
            "strace",
            "-ff",
            "-o",
            f"{folder}/trace",
            "-e",
            "openat,close,read,write,pread64,pwrite64,lseek",
        ]
        start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
        subprocess.run([*start, *trace, *words], check=True, capture_output=True, timeout=120)
        traces = [path.read_text(errors="replace").splitlines() for path in Path(folder).glob("trace.*")]
        return sum((of_trace(lines, folder) for lines in traces), Counter())


def imported(line: str, ranks: int) -> tuple[Calls, int, int]:
    workload = from_command_line(line, ranks)
    (application,) = workload.applications
    steps = (step for rank in range(workload.ranks) for step in unfold(application, rank))
    calls = Counter(
        (step.kind.label, step.operands["offset"], step.operands["bytes"])
        for step in steps
        if step.kind.label in ("read", "write")
    )
    (total,) = summary_of(workload).applications
    return calls, total.bytes_written, total.bytes_read


def main(ior: str) -> int:
    wrong = 0
    for ranks, line in LINES:
        theirs = run_ior(ior, line, ranks)
        ours, *totals = imported(line, ranks)
        moved = [
            sum(size * n for (kind, _, size), n in theirs.items() if kind == way) for way in ("write", "read")
        ]
        collective = "MPIIO" in line and " -c" in line  # aggregators merge calls
        same = moved == totals and (collective or ours == theirs)
        wrong += not same
        print(
            f"{'equal ' if same else 'DIFFER'} {line}: ior {moved[0]:,} written, {moved[1]:,} read; here {totals}"
        )
    print(f"{len(LINES) - wrong} of {len(LINES)} lines equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
