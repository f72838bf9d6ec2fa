"""FIO's job files: bytes and calls as FIO's manual says, or refused by the option's name."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cli.main import run
from striate.cli.programs import find_workload
from striate.errors import WorkloadError
from striate.importers.block_order import MOST_LISTED, at_random
from striate.importers.kinds import from_command_line
from striate.workload import Spmd
from striate.workload.summary import summary_of
from striate.workload.transforms.unfold import unfold

K, M, G = 2**10, 2**20, 2**30

# options after `fio`, ranks, files, bytes written, bytes read
UNDERSTOOD = [
    ("--name=a --size=1m", 1, 1, 0, M),  # reads of 4k
    ("--name=a --rw=write --bs=64k --size=1m --numjobs=4 --group_reporting", 4, 4, 4 * M, 0),
    (
        "--name=a --rw=randread --bs=4k --size=256m --ioengine=libaio --iodepth=32 --direct=1",
        1,
        1,
        0,
        256 * M,
    ),
    ("--name=a --rw=randwrite --bs=4k --size=1g --numjobs=2 --filename=/mnt/x", 2, 1, 2 * G, 0),
    ("--rw=write --bs=1m --name=a --size=10m --name=b --size=20m", 2, 2, 30 * M, 0),
    ("--name=a --rw=randrw --rwmixread=70 --bs=4k --size=40000k", 1, 1, 12000 * K, 28000 * K),
    ("--name=a --rw=rw --rwmixwrite=25 --bs=1k --size=400k", 1, 1, 100 * K, 300 * K),
    ("--name=a --rw=write --bs=1m --size=8m --nrfiles=4", 1, 4, 8 * M, 0),
    ("--name=a --rw=write --bs=1m --filesize=2m --nrfiles=4", 1, 4, 8 * M, 0),
    ("--name=a --rw=read --bs=1m --size=4m --io_size=10m", 1, 1, 0, 10 * M),
    ("--name=a --rw=read --bs=1m --size=4m --loops=3", 1, 1, 0, 12 * M),
    ("--name=a --rw=write --bs=3k --size=10k", 1, 1, 9 * K, 0),  # whole blocks
    ("--name=a --rw=read --bs=4k,64k --size=1m", 1, 1, 0, M),
    ("--name=a --rw=write --bs=4k,64k --size=1m", 1, 1, M, 0),
]
REFUSED = [
    ("--name=a --size=1m --runtime=60 --time_based", "runtime is not supported: a time"),
    ("--name=a --size=1m --rw=trim", "fio's rw='trim' is not supported"),
    ("--name=a --size=1m --ioengine=rados", "fio's ioengine='rados' is not supported"),
    ("--name=a --rw=read", "the number of bytes of a fio job is missing; give the option size - at a.size"),
    ("--name=a --size=10%", "expected a size such as 4k, 2m or 1g, got '10%' - at a.size"),
    ("--name=a --size=1m --bssplit=4k/50:8k/50", "bssplit is not supported: blocks of different sizes"),
    ("--name=a --size=1m --unheard=1", "unknown option 'unheard' - at a.unheard"),
    ("--name=a --size=1m --numjobs=${N}", "expected a fio option without variables"),
    (
        "--name=a --size=1m --numjobs=0",
        "expected the fio option numjobs to be at least 1, got 0 - at a.numjobs",
    ),
    ("--name=a --size=1k --bs=4k", "one block of 4096 bytes, got files of 1024 bytes - at a.size"),
    ("--size=1m", "expected a fio job"),
    ("a.fio b.fio", "expected one fio job file"),
    (
        "--name=a --size=1m --rw=write --fsync=1000 --iodepth=999 --ioengine=io_uring",
        "repeat after at most 1024",
    ),
]


@pytest.mark.parametrize(("line", "ranks", "files", "written", "read"), UNDERSTOOD)
def test_a_job_moves_as_many_bytes_as_fio(line, ranks, files, written, read):
    (found,) = summary_of(from_command_line(f"fio {line}", None)).applications

    assert (found.ranks, found.files, found.bytes_written, found.bytes_read) == (ranks, files, written, read)


@pytest.mark.parametrize(("line", "message"), REFUSED)
def test_what_is_not_understood_is_refused_by_name(line, message):
    with pytest.raises(WorkloadError) as refused:
        from_command_line(f"fio {line}", None)

    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def job_file(tmp_path, text):
    path = tmp_path / "job.fio"
    path.write_text(text)
    return f"fio:{path}"


def test_a_job_file_has_global_sections_and_jobs_that_wait(tmp_path, capsys):
    text = (
        "; a comment\n[global]\nbs=1m\nsize=4m\ndirectory=/scratch\n\n[first]\nrw=write\nnumjobs=2\nend_fsync=1\n"
        "[second]\nstonewall\nrw=read\n# another\nfilename=x\n"
    )
    name = job_file(tmp_path, text)
    workload, _ = find_workload(name, ranks=None)
    (found,) = summary_of(workload).applications

    assert (found.ranks, found.files, found.bytes_written, found.bytes_read) == (3, 3, 8 * M, 4 * M)
    assert found.calls["barrier"] == 3
    assert found.calls["sync"] == 2
    assert found.phases == ("first", "second")
    assert run(["workload", "show", name]) == 0
    assert "3 ranks" in capsys.readouterr().out
    with pytest.raises(WorkloadError, match=r"expected --ranks 3, the number of processes .*, got --ranks 4"):
        find_workload(name, ranks=4)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bs=4k\n", "expected a section before 'bs=4k' - at line 1"),
        ("[a\n", r"expected \[section\], got '\[a' - at line 1"),
        ("[a]\n=4\n", "expected a key"),
        ("[a]\nsize\n", "expected a value after the fio option, found none - at a.size"),
        ("[global]\nbs=4k\n", "expected a fio job"),
    ],
)
def test_a_broken_job_file_is_one_line_with_its_place(text, message, tmp_path):
    with pytest.raises(WorkloadError, match=message):
        find_workload(job_file(tmp_path, text), ranks=None)


def offsets(workload, rank=0):
    (application,) = workload.applications
    return [step.operands["offset"] for step in unfold(application, rank) if "offset" in step.operands]


@pytest.mark.parametrize("size", [64 * K, 4 * M, 33 * M + 5 * K])
def test_a_random_job_meets_every_block_once(size):
    found = offsets(from_command_line(f"fio --name=a --rw=randread --bs=1k --size={size}", None))

    assert sorted(found) == list(range(0, size, K))
    steps = np.abs(np.diff(found))
    assert np.median(steps) > size / 64  # and two in a row lie far apart


@given(blocks=st.integers(1, 3 * MOST_LISTED), batch=st.integers(1, 40))
def test_leaps_cover_any_number_of_blocks(blocks, batch):
    body = Spmd(1)
    at_random(body, blocks, batch, lambda place, _: body.read("x", offset=place, size=1))

    assert sorted(offsets(body.workload())) == list(range(blocks))


def test_as_many_accesses_are_under_way_as_the_depth_says():
    line = "fio --name=a --rw=write --bs=4k --size=40k --ioengine=io_uring --iodepth=4 --fsync=3"
    (application,) = from_command_line(line, None).applications
    under_way = most = syncs = writes = 0
    for step in unfold(application, 0):
        kind = step.kind.label
        writes += kind == "write"
        under_way = 0 if kind == "waitall" else under_way + (kind == "write")
        most = max(most, under_way)
        if kind == "sync":
            syncs += 1
            assert (under_way, writes) == (0, 3 * syncs)

    assert (most, syncs, writes) == (3, 3, 10)


def test_processes_of_a_shared_file_begin_at_their_offsets():
    workload = from_command_line(
        "fio --name=a --rw=write --bs=1m --size=2m --numjobs=3 --filename=x --offset=1m --offset_increment=2m",
        None,
    )

    assert [offsets(workload, rank) for rank in range(3)] == [
        [(1 + 2 * rank + block) * M for block in range(2)] for rank in range(3)
    ]


@pytest.mark.parametrize(
    ("options", "buffer"),
    [
        ("--name=a --size=1m", 4 * K),
        ("--name=a --rw=rw --bs=64k --size=1m --iodepth=32", 64 * K),  # psync has one access at a time
        ("--name=a --bs=4k,64k --size=1m", 64 * K),  # a buffer is as large as the largest block
        ("--name=a --bs=64k --size=1m --ioengine=libaio --iodepth=32", 2 * M),
        ("--name=a --bs=64k --size=1m --name=b --bs=1m --size=2m", M),
    ],
)
def test_accesses_use_a_buffer_each_as_far_as_the_depth_goes(options, buffer):
    assert from_command_line(f"fio {options}", None).reused_buffer == buffer
