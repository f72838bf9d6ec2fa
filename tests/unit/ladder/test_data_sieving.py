"""Independent accesses with gaps on a machine whose MPI library sieves data."""

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cluster import load_cluster
from striate.cluster.build import build
from striate.ladder import predict
from striate.ladder.data_sieving import carried_out
from striate.workload import Workload
from striate.workload import operations as do
from striate.workload.sieving import MOST_PIECES, ListedRuns, Sieving, StridedRuns

KIB = 1024


def machine(*, sieving: bool):
    description = load_cluster("laptop").description
    settings = msgspec.structs.replace(description.settings, data_sieving=sieving)
    return build(msgspec.structs.replace(description, settings=settings))


def strided(rank, ranks):
    yield do.write("data", offset=rank * 64 * KIB, size=64 * KIB, count=16, stride=ranks * 64 * KIB)
    yield do.barrier()
    yield do.read("data", offset=rank * 64 * KIB, size=64 * KIB, count=16, stride=ranks * 64 * KIB)


def by_hand(rank, ranks):
    """What ROMIO does: 512 KiB are read and written back, and 4 MiB are read."""
    first, last = rank * 64 * KIB, (15 * ranks + rank + 1) * 64 * KIB
    for offset in range(first, last, 512 * KIB):
        length = min(512 * KIB, last - offset)
        yield do.read("data", offset=offset, size=length)
        yield do.write("data", offset=offset, size=length)
    yield do.barrier()
    yield do.read("data", offset=first, size=last - first)


def seconds(program, cluster):
    return predict(Workload.from_program(program, 2), cluster, rung="fine", exact=True).seconds.estimate


def test_gaps_are_read_and_written_back_where_the_library_sieves():
    assert seconds(strided, machine(sieving=True)) == seconds(by_hand, machine(sieving=False))
    assert seconds(strided, machine(sieving=True)) > 1.2 * seconds(strided, machine(sieving=False))


def test_collective_calls_and_accesses_without_gaps_stay_as_they_are():
    def program(rank, ranks):
        yield do.write("data", offset=rank * 9, size=3, count=3, stride=3)
        yield do.write_all("data", offset=rank * 64, size=64, count=4, stride=128)
        later = do.write("data", offset=rank, size=1, count=9, stride=2, blocking=False)
        yield later
        yield do.wait(later)

    workload = Workload.from_program(program, 2)

    assert carried_out(workload, machine(sieving=False)) is workload
    assert seconds(program, machine(sieving=True)) == seconds(program, machine(sieving=False))


def buffers(runs, buffer):
    """As in ADIOI_GEN_WriteStrided: run by run, a new buffer where a byte lies beyond the one before."""
    last, end, found = max(at + size for at, size in runs), -1, []
    for at, size in sorted(runs):
        while size:
            if at >= end:
                end = min(at + buffer, last)
                found.append((at, end - at))
            step = min(size, end - at)
            at, size = at + step, size - step
    return found


@given(st.integers(0, 50), st.integers(1, 30), st.integers(1, 20), st.integers(1, 60), st.integers(1, 40))
def test_buffers_of_equal_blocks_begin_where_data_is(first, count, size, gap, buffer):
    runs = StridedRuns(first, count, size, size + gap)
    wanted = buffers([(first + turn * (size + gap), size) for turn in range(count)], buffer)

    assert [(at, length) for _, at, length in Sieving(read=buffer).pieces("read", runs)] == wanted


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 20)), min_size=1, max_size=20), st.integers(1, 40)
)
def test_buffers_of_any_runs_begin_where_data_is(parts, buffer):
    runs, at = [], 0
    for gap, size in parts:
        runs.append((at + gap, size))
        at += gap + size
    listed = ListedRuns(*(np.array(column) for column in zip(*reversed(runs), strict=True)))
    pieces = list(Sieving(write=buffer).pieces("write", listed))

    assert [(at, length) for kind, at, length in pieces if kind == "read"] == buffers(runs, buffer)
    assert pieces[0::2] == [("read", at, length) for _, at, length in pieces[1::2]]


def test_a_call_over_a_whole_disk_has_few_buffers():
    runs = StridedRuns(0, 10**6, 4, 10**9)

    assert len(list(Sieving(read=4 << 20).pieces("read", runs))) <= MOST_PIECES + 1


@pytest.mark.parametrize("at", [0, 3, 4, 9, 13, 14])
def test_the_next_byte_is_in_a_run_or_the_end(at):
    strided, listed = StridedRuns(0, 2, 4, 10), ListedRuns(np.array([10, 0]), np.array([4, 4]))
    wanted = {0: 0, 3: 3, 4: 10, 9: 10, 13: 13, 14: 14}[at]

    assert strided.next_byte(at) == listed.next_byte(at) == wanted
