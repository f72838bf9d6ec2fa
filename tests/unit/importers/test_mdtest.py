"""mdtest command lines: as many files, calls and bytes as mdtest makes, or refused by the option's name."""

import numpy as np
import pytest

from striate.errors import WorkloadError
from striate.importers.kinds import from_command_line
from striate.workload.summary import summary_of
from striate.workload.transforms.unfold import unfold

# command line, ranks, files of all ranks, bytes written, bytes read, calls
UNDERSTOOD = [
    ("mdtest -F -n 10", 4, 40, 0, 0, {"open": 80, "close": 80, "stat": 40, "delete": 40}),
    ("mdtest -F -C -n 10 -w 4k", 4, 40, 40 * 4096, 0, {"open": 40, "close": 40, "write": 40}),
    ("mdtest -F -n 5 -w 3901 -e 3901 -N 1 -t -u -L", 2, 10, 39010, 39010, {"stat": 10, "read": 10}),
    ("mdtest -F -T -n 7 -i 3 -R12", 2, 14, 0, 0, {"stat": 42}),
    ("mdtest -F -r -n 7 -B", 3, 21, 0, 0, {"delete": 21}),
    ("mdtest -F -C -I 10 -b 2 -z 3", 2, 300, 0, 0, {"open": 300}),  # 15 folders, as mdtest's manual counts
    ("mdtest -F -C -I 10 -b 2 -z 3 -L", 2, 160, 0, 0, {"open": 160}),  # 8 leaves
    ("mdtest -F -C -n 20 -b 2 -z 2", 1, 14, 0, 0, {"open": 14}),  # 7 folders hold 2 each
    ("mdtest -F -C -c -n 6 -y", 4, 24, 0, 0, {"open": 24, "sync": 24}),
    ("mpirun -np 8 ./mdtest -FCE -n 2 -w 1 -e 1 -d /scratch -G 7", 8, 16, 16, 16, {"open": 32}),
]
REFUSED = [
    ("mdtest -n 10", "mdtest's directory tests are not supported; give -F to test files only - at -F"),
    ("mdtest -F -D -n 1", "-D is not supported: tests of folders"),
    ("mdtest -F", "expected at least one file per rank, got none"),
    ("mdtest -F -n 10 -W 300", "-W is not supported: a deadline"),
    ("mdtest -F -n 10 -S", "-S is not supported: one file"),
    ("mdtest -F -n 10 -a DFS", "mdtest's -a 'DFS' is not supported"),
    ("mdtest -F -n x", "expected a whole number, or one such as 4k, got 'x' - at -n"),
    ("mdtest -F -n 2 -I 2 -z 2", "-n, -I and -z together"),
    ("mdtest -F -n 1 -z 99 -b 99", "expected a tree of at most"),
    ("mdtest -F -n 1 --unheard", "unknown option '--unheard'"),
]


@pytest.mark.parametrize(("line", "ranks", "files", "written", "read", "calls"), UNDERSTOOD)
def test_a_command_line_makes_as_many_files_and_calls_as_mdtest(line, ranks, files, written, read, calls):
    (found,) = summary_of(from_command_line(line, ranks)).applications

    assert (found.ranks, found.files, found.bytes_written, found.bytes_read) == (ranks, files, written, read)
    assert {kind: found.calls.get(kind) for kind in calls} == calls


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_what_is_not_understood_is_refused_by_name(line, message):
    with pytest.raises(WorkloadError) as refused:
        from_command_line(line, 4)

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_each_phase_takes_the_files_of_a_rank_further_away():
    (application,) = from_command_line("mdtest -F -n 2 -N 1", 3).applications
    files = {}
    for rank in range(3):
        for step in unfold(application, rank):
            if step.kind.label in ("open", "stat", "delete"):
                files.setdefault((rank, step.kind.label), []).append(step.operands["file"])

    assert files[0, "open"] == [0, 1, 4, 5]  # its own, and those of rank 2 in the third phase
    assert files[0, "stat"] == [2, 3]
    assert files[0, "delete"] == [0, 1]  # 3 ranks further is itself
    everything = [file for (_, kind), found in files.items() if kind == "stat" for file in found]
    assert sorted(everything) == list(np.arange(6))


@pytest.mark.parametrize(
    ("options", "buffer"), [("-w 3901 -e 100", 3901), ("-w 10 -e 4096", 4096), ("-w 0", None)]
)
def test_all_files_are_written_from_one_buffer(options, buffer):
    assert from_command_line(f"mdtest -F -n 4 {options}", 2).reused_buffer == buffer
