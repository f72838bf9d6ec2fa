"""Mapped files in replays: what was touched is read where the file was mapped."""

from striate.workload import Workload
from striate.workload.summary import summary_of
from striate.workload.transforms.unfold import unfold
from toy_traces import row, trace_of


def mapped(start, size, *, rank=0, offset=0, **more):
    return row(rank, "map", start, start + 1, level="posix", file=0, offset=offset, bytes=size, **more)


def unmapped(start, size, *, rank=0, offset=0, **more):
    return row(rank, "unmap", start, start + 1, level="posix", file=0, offset=offset, bytes=size, **more)


def opened(rows, ranks=1):
    around = [row(0, "open", 0, 1, level="posix", file=0), row(0, "close", 90, 91, level="posix", file=0)]
    return trace_of([*around, *rows], ranks=ranks)


def reads_of(trace):
    workload = Workload.from_trace(trace)
    (application,) = workload.applications
    steps = [step for rank in range(workload.ranks) for step in unfold(application, rank)]
    return [(s.operands["offset"], s.operands["bytes"]) for s in steps if s.kind.label == "read"], workload


def test_touched_bytes_are_read_where_the_file_was_mapped():
    found, workload = reads_of(
        opened([mapped(10, 4096 * 8, offset=4096), unmapped(20, 4096 * 3, offset=4096)])
    )

    assert found == [(4096, 4096 * 3)]
    assert summary_of(workload).applications[0].bytes_read == 4096 * 3
    assert any("12 KiB of mapped files are read" in note for note in workload.notes)


def test_parts_are_added_up_and_never_more_than_was_mapped():
    parts = [mapped(10, 8192), unmapped(20, 4096), unmapped(30, 4096, offset=4096), unmapped(40, 4096)]

    assert reads_of(opened(parts))[0] == [(0, 8192)]


def test_a_thread_may_unmap_what_another_one_mapped():
    found, _ = reads_of(opened([mapped(10, 8192, rank=1), unmapped(20, 4096)], ranks=2))

    assert found == [(0, 4096)]


def test_mappings_that_failed_or_were_not_touched_are_no_reads():
    rows = [mapped(10, 8192, status=22), mapped(11, 8192), unmapped(20, 0), unmapped(30, 4096, offset=65536)]
    found, workload = reads_of(opened(rows))

    assert found == []
    assert workload.notes == ()
