"""IOR command lines as people write them: bytes as IOR's rules give them, or refused by the option's name."""

import json

import numpy as np
import pytest

from striate.cli.main import run
from striate.cli.programs import find_workload
from striate.errors import WorkloadError
from striate.importers.kinds import from_command_line, is_command_line
from striate.workload.summary import summary_of
from striate.workload.transforms.unfold import unfold

K, M, G = 2**10, 2**20, 2**30

# command line, ranks, bytes written, bytes read, files; in the style of tutorials and of IO500, not quoted;
# bytes are counted by hand from IOR's rule, and verification/ior.py holds lines like these against IOR itself
UNDERSTOOD = [
    ("ior", 2, 2 * M, 2 * M, 1),
    ("ior -a MPIIO -c -t 1m -b 16m -s 8", 4, 512 * M, 512 * M, 1),
    ("ior -t 1m -b 16m -s 16", 64, 16 * G, 16 * G, 1),  # the tutorial's first steps
    ("ior -t 1m -b 16m -s 16 -F", 64, 16 * G, 16 * G, 64),
    ("ior -t 1m -b 16m -s 16 -F -C", 64, 16 * G, 16 * G, 64),
    ("ior -t 1m -b 16m -s 16 -F -C -e", 64, 16 * G, 16 * G, 64),
    ("ior -w -t 1m -b 16m -s 16 -k -F -o file", 4, G, 0, 4),
    ("ior -r -t 1m -b 16m -s 16 -F -o file", 4, 0, G, 4),
    ("mpirun -n 64 ./ior -t 1m -b 16m -s 16 -F -C -e", 64, 16 * G, 16 * G, 64),
    ("srun -N 2 -n 8 ior -a POSIX -w -r -t 4m -b 64m -F -o /scratch/t", 8, 512 * M, 512 * M, 8),
    ("mpiexec -np 16 /opt/ior/bin/ior -a MPIIO -b 1g -t 4m -c -C -w -r -i 3", 16, 48 * G, 48 * G, 1),
    ("ior -b 4g -t 1m -w -o /lustre/x -k -g", 8, 32 * G, 0, 1),
    ("ior -a posix -N 4 -b 8k -t 8k -s 1000", 8, 4 * 8 * K * 1000, 4 * 8 * K * 1000, 1),
    ("ior -wrk -t 256k -b 1m -s 4", 2, 8 * M, 8 * M, 1),
    ("ior -W -b 2m -t 1m -w", 3, 6 * M, 6 * M, 1),  # what was written is read back
    ("ior -w -r -W -R -b 2m -t 1m -G 27", 3, 6 * M, 12 * M, 1),
    ("ior -R -G 1 -b 1m", 2, 0, 2 * M, 1),
    ("ior -t 47008 -b 47008 -s 1000 -C -Q 1 -g -G 27 -k -e -w", 10, 470_080_000, 0, 1),  # IO500's hard
    ("ior -t 2m -b 992m -F -w -k -e -g -C -Q 1 -G 271", 10, 9920 * M, 0, 10),  # and easy, without deadlines
    ("ior -i 5 -m -t 1m -b 4m", 2, 40 * M, 40 * M, 5),
    ("ior -z -t 4k -b 64k -F", 4, 256 * K, 256 * K, 4),
    ("ior -z -t 1k -b 8m -F", 2, 16 * M, 16 * M, 2),  # too many transfers for a list
    ("ior -a MPIIO -V -H -c -t 8m -b 64m -s 2 -vv", 4, 512 * M, 512 * M, 1),
    ("ior --posix.odirect -t 1m -b 1g -F -w -E", 1, G, 0, 1),
    ("ior -Y -w -t 4k -b 40k -u -F", 2, 80 * K, 0, 2),
    ("ior -c -w -t 1m -b 1m", 2, 2 * M, 0, 1),  # POSIX has no collective calls; IOR goes on without
    ("ior -i 1000000000 -w -b 1m", 1, 10**9 * M, 0, 1),  # repetitions are a loop, not a list
    ("ior -d 2 -i 2 -w -b 1m -l random -x -K", 1, 2 * M, 0, 1),
    ("ior -t64k -b128k -wr", 2, 256 * K, 256 * K, 1),
    ("ior -t64k -b128kib -wr", 1, 2**17 * 128 * K, 2**17 * 128 * K, 1),  # -i=128k, as IOR reads it
    ("ior -i2 -t1m -b4m", 2, 16 * M, 16 * M, 2),  # and -m=1: a file for each repetition
    ("ior -w=1 -s 1k -t8 -b=8", 2, 16 * K, 0, 1),
    ("ior -w -r=0 -F=2 -t 1m", 2, 2 * M, 0, 2),
    ("ior -wrt 64k -b 128k", 2, 256 * K, 256 * K, 1),
]
REFUSED = [
    ("ior -D 300 -w -t 2m -b 9920000m -F", "-D is not supported: a deadline"),
    ("ior -O stoneWallingWearOut=1 -w", "the IOR directive 'stoneWallingWearOut' is not supported - at -O"),
    ("ior -O blockSizes=0", "the IOR directive 'blockSizes' is not supported - at -O"),
    ("ior -O blockSize", "expected an IOR directive such as blockSize=1m, got 'blockSize' - at -O"),
    (
        "ior -O filePerProc=yes",
        "expected the IOR directive filePerProc=0 or filePerProc=1, got 'yes' - at -O",
    ),
    ("ior -O blockSize=huge", "expected a size such as 4k, 2m or 1g, got 'huge' - at -b"),
    ("ior -a HDF5 -b 16m", "IOR's -a 'HDF5' is not supported; expected one of POSIX, MPIIO"),
    ("ior -f nowhere.ior", "No such file"),
    ("ior -Z -F", "-Z is not supported"),
    ("ior -b 3m -t 2m", "multiple of the transfer size"),
    ("ior -b 0", "for -b, got '0' - at -b"),
    ("ior -b 1x", "expected a size such as 4k, 2m or 1g, got '1x' - at -b"),
    ("ior -s 1x", "expected a whole number, or one such as 4k, got '1x' - at -s"),
    ("ior -b= -w", "expected a value after -b"),
    ("ior -o/scratch/x", "ior reads -s in '-o/scratch/x' as an option, too; write -o and its value as two"),
    ("ior -aMPIIO -c", "ior reads -M in '-aMPIIO' as an option, too; write -a and its value as two words"),
    ("ior -t", "expected a value after -t"),
    ("ior --unheard", "unknown option '--unheard'"),
    ("ior 16m", "expected a command-line option of ior, got '16m'"),
    ("ior -z -z -F", "-z given twice is not supported"),
    ("ior -z -C", "IOR refuses -z together with -C"),
    ("ior -m -i 5000 -b 1m", "expected at most 1000 repetitions with -m or -d, got 5000 - at -i"),
    ("ior -o 'a", "not a command line"),
    ("mpirun -n 4 ./ior -T 5 -b 1m", "-T is not supported"),
]


@pytest.mark.parametrize(
    ("line", "ranks", "written", "read", "files"), UNDERSTOOD, ids=[one[0] for one in UNDERSTOOD]
)
def test_a_command_line_moves_the_bytes_that_ior_says(line, ranks, written, read, files):
    words = line.split()
    (found,) = summary_of(from_command_line(line, None if {"-n", "-np"} & set(words) else ranks)).applications

    assert (found.bytes_written, found.bytes_read, found.files) == (written, read, files)


@pytest.mark.parametrize(("line", "message"), REFUSED, ids=[one[0] for one in REFUSED])
def test_what_is_not_understood_is_refused_by_its_name(line, message):
    with pytest.raises(WorkloadError, match=message):
        from_command_line(line, None if "-n" in line.split() else 2)


def offsets(workload, rank, kind):
    """(file, offset, size) of the rank's accesses, in order."""
    (application,) = workload.applications
    return [
        tuple(operation.operands[name] for name in ("file", "offset", "bytes"))
        for operation in unfold(application, rank)
        if operation.kind.label == kind
    ]


def by_rule(rank, ranks, *, block, transfer, segments, alone=False):
    """WriteOrRead of IOR: segment by segment, transfer by transfer."""
    for segment in range(segments):
        for step in range(block // transfer):
            offset = step * transfer
            offset += segment * block if alone else segment * ranks * block + rank * block
            yield (rank if alone else 0, offset, transfer)


def test_every_transfer_is_where_ior_puts_it():
    random = np.random.default_rng(7)
    for _ in range(40):
        ranks, segments, count = (int(random.integers(1, 5)) for _ in range(3))
        transfer = int(random.integers(1, 100))
        alone, shift = bool(random.integers(2)), int(random.integers(0, 3))
        flags = ("-F " if alone else "") + (f"-C -Q {shift} " if shift else "")
        line = f"ior {flags}-t {transfer} -b {count * transfer} -s {segments}"
        made = from_command_line(line, ranks)
        rule = {"block": count * transfer, "transfer": transfer, "segments": segments, "alone": alone}

        for rank in range(ranks):
            assert offsets(made, rank, "write") == list(by_rule(rank, ranks, **rule)), line
            reads = list(by_rule((rank + shift) % ranks, ranks, **rule))
            assert offsets(made, rank, "read") == reads, line


def test_the_number_of_ranks_comes_from_the_launcher_ior_or_the_command():
    assert from_command_line("ior -N 3 -b 1m", None).ranks == 3
    assert from_command_line("srun --ntasks=5 ior -b 1m", 5).ranks == 5
    with pytest.raises(WorkloadError, match="number of ranks is missing"):
        from_command_line("ior -b 1m", None)
    with pytest.raises(WorkloadError, match=r"expected --ranks 5, the number .* starts, got --ranks 4"):
        from_command_line("srun -n 5 ior -b 1m", 4)
    with pytest.raises(WorkloadError, match="expected a command line that runs one of ior"):
        from_command_line("mpirun -n 4 ./solver", None)
    assert not is_command_line("run.py")


@pytest.mark.parametrize(
    "launcher",
    [
        "mpirun -n 128",
        "mpiexec -np 128 -ppn 32",
        "srun -n128 --cpu-bind=cores",
        "srun --ntasks=128 -c 2",
        "srun -N 4 --ntasks-per-node=32",
        "srun --nodes=4 --ntasks-per-node 32",
        "aprun -n 128 -N 32",
        "flux run -N4 --tasks-per-node=32",
        "jsrun -n 4 -a 32 -c 32",
        "jsrun --nrs=128",
        "jsrun -p 128",
        "OMP_NUM_THREADS=1 mpirun -np 128",
    ],
)
def test_every_launcher_says_its_ranks_in_its_own_words(launcher):
    for name in ("./ior", "IOR"):
        line = f"{launcher} {name} -w -b 1m -t 1m"

        assert is_command_line(line)
        assert from_command_line(line, None).ranks == 128


@pytest.mark.parametrize("launcher", ["srun -N 4", "srun --ntasks-per-node=32", "mpirun --npernode 32"])
def test_a_launcher_that_does_not_say_its_ranks_leaves_them_to_the_user(launcher):
    with pytest.raises(WorkloadError, match="number of ranks is missing"):
        from_command_line(f"{launcher} ior -b 1m", None)


def test_commands_show_and_forecast_a_command_line(capsys):
    assert run(["workload", "show", "ior -a MPIIO -c -t 1m -b 4m", "--ranks", "2", "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)["applications"]
    assert shown["bytes_written"] == shown["bytes_read"] == 8 * M
    assert shown["phases"] == ["write", "read"]
    assert shown["calls"]["write_all"] == 8
    assert run(["workload", "show", "jacobi", "--ranks", "2"]) == 0
    assert "jacobi: 2 ranks" in capsys.readouterr().out
    workload, _ = find_workload("ior -t 1m -b 4m", ranks=2)
    assert workload.ranks == 2
    assert run(["predict", "ior -w -t 1m -b 4m", "lustre-64", "--ranks", "2"]) == 0
    assert "ior on lustre-64, 2 ranks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "buffer"),
    [
        ("ior -w -t 256k -b 1m", 256 * K),
        ("ior -a MPIIO -t 1m -b 4m", M),
        ("ior -a MPIIO -c -t 1m -b 4m", None),  # aggregators may have buffers of their own
        ("ior -c -t 1m -b 4m", M),  # POSIX has no collective calls
    ],
)
def test_every_transfer_goes_through_one_buffer_of_its_size(line, buffer):
    assert from_command_line(line, 2).reused_buffer == buffer


def test_the_largest_buffer_of_a_script_counts(tmp_path):
    path = tmp_path / "script"
    path.write_text("IOR START\nblockSize=1m\ntransferSize=64k\nRUN\ntransferSize=256k\nRUN\nIOR STOP\n")
    assert from_command_line(f"ior -f {path}", 2).reused_buffer == 256 * K
    path.write_text("IOR START\nblockSize=1m\nRUN\napi=MPIIO\ncollective=1\nRUN\nIOR STOP\n")
    assert from_command_line(f"ior -f {path}", 2).reused_buffer is None


SCRIPT = """# two tests
IOR START
  api=POSIX, blockSize = 1m   # in one line
  transferSize=256k
  filePerProc=1
  testFile = /scratch/a
  summaryFormat=JSON
  maxTimeDuration=0
  writeFile=1
RUN
  readFile=1
  writeFile=0
  segmentCount=2
RUN
ior stop
nonsense after the end
"""


def test_a_script_is_its_tests_one_after_the_other(tmp_path):
    path = tmp_path / "tests.ior"
    path.write_text(SCRIPT)

    (total,) = summary_of(from_command_line(f"ior -f {path}", 4)).applications

    assert (total.bytes_written, total.bytes_read) == (4 * M, 8 * M)
    assert total.files == 4  # of the same name in both


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("IOR START", "", "expected a line IOR START"),
        ("RUN", "", "expected a line RUN"),
        (
            "transferSize=256k",
            "transferSize",
            "expected an IOR directive such as blockSize=1m, got 'transferSize' - at line 4",
        ),
        (
            "transferSize=256k",
            "deadlineForStonewalling=300",
            "the IOR directive 'deadlineForStonewalling' is not supported",
        ),
        ("readFile=1", "numTasks=2", "tests with different numbers of tasks"),
    ],
)
def test_a_mistake_in_a_script_is_told_with_its_line(tmp_path, old, new, words):
    path = tmp_path / "tests.ior"
    path.write_text(SCRIPT.replace(old, new))

    with pytest.raises(WorkloadError) as refused:
        from_command_line(f"ior -f {path}", 4)

    assert words in str(refused.value)


def test_directives_say_what_options_say():
    short = from_command_line("ior -F -t 64k -b 128k -i 2 -e -w", 2)
    said = "blockSize=128k,fsync=1 -O repetitions=2 -O writeFile=1 -O summaryFile=x"
    long = from_command_line(f"ior -O filePerProc=1,transferSize=64k -O {said}", 2)

    assert summary_of(long) == summary_of(short)
