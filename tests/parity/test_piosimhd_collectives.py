"""The schedules found for PIOsimHD's collectives give its published times on the twin."""

from __future__ import annotations

import json

import pytest

from parity.piosimhd_cases import cases, difference, shuffled, simulate, spread
from reference.piosimhd_collectives import IMPLEMENTATIONS, NEAREST, collective
from reference.piosimhd_exceptions import TIES as ENGINE_TIES
from reference.piosimhd_programs import Call
from reference.piosimhd_ties import TieHeap, popped, tangled
from striate.collectives import ALGORITHMS

MOST_EVENTS = 30_000  # the rest takes minutes: python -m parity.piosimhd_cases

# Messages that reach a port in the same nanosecond: the original serves them in the order its event heap happens to
# give, the twin in the order of the ranks. The range over starting orders holds the published time.
TIES = (
    "allgather_ring_2n5p_10KiB",
    "gather_MPICH2_4n8p_10KiB",
    "Allreduce_1-8_10240",
    "Gather_1-4_10240",
    "Gather_1-8_10240",
    "Gather_2-9_10240",
    "Gather_4-8_10240",
    "Reduce_1-5_10240",
    "Reduce_1-7_10240",
    "Reduce_1-8_10240",
    "Reduce_1-10_10240",
    "Reduce_2-5_10240",
    "Reduce_2-9_10240",
)

# Starting orders move these too, but never as far as the published time: not explained.
UNEXPLAINED = ("Allreduce_1-11_10240", "Bcast_2-11_10240")


@pytest.fixture(scope="module")
def published(data) -> dict[str, dict]:
    document = json.loads((data / "reference" / "piosimhd_scenarios.json").read_text())
    return {case["id"]: case for case in cases(document)}


@pytest.fixture(scope="module")
def differences(published) -> dict[str, float]:
    small = (case for case in published.values() if case["events"] <= MOST_EVENTS)
    return {case["id"]: difference(case, simulate(case)) for case in small}


def test_nineteen_of_twenty_cases_lie_within_one_per_cent(differences):
    near = [name for name, value in differences.items() if abs(value) <= 1]

    assert len(near) >= 0.95 * len(differences)


def test_half_of_the_cases_are_exact(differences):
    assert sum(value == 0 for value in differences.values()) >= 0.5 * len(differences)


def test_every_case_beyond_one_per_cent_is_listed(differences):
    far = {name for name, value in differences.items() if abs(value) > 1}

    assert far <= {*TIES, *UNEXPLAINED}


@pytest.mark.parametrize("name", TIES)
def test_the_order_of_starting_processes_spans_the_published_time_of_a_tie(published, name):
    low, *_, high = spread(published[name], 30)

    assert low <= 1e-3
    assert high >= -1e-3


@pytest.mark.parametrize("name", ENGINE_TIES)
def test_the_order_of_ties_alone_brings_what_the_engine_misses_within_one_per_cent(published, name):
    values = shuffled(published[name], 20)

    assert values[-1] - values[0] > 1
    assert min(map(abs, values)) < 1


def test_patterns_of_plain_messages_are_exact_to_a_ten_thousandth(published, differences):
    plain = [value for name, value in differences.items() if not published[name]["implementations"]]

    assert max(map(abs, plain), default=0) < 0.01


@pytest.mark.parametrize("name", IMPLEMENTATIONS)
def test_every_message_of_an_implementation_is_received(name):
    for size in (2, 3, 4, 7, 8, 12, 20):
        for size_bytes in (10_240, 10_485_760):
            call = Call(size, size_bytes, 102_400, tuple(rank % 2 for rank in range(size)))
            collective(name, call).check()


def test_every_implementation_has_a_counterpart_of_our_own():
    assert set(NEAREST) == set(IMPLEMENTATIONS)
    assert set(NEAREST.values()) <= set(ALGORITHMS)


def test_equal_times_leave_a_heap_first_then_from_the_back():
    heap = TieHeap()
    for number in range(1, 5):
        heap.push((0, number))

    assert [heap.pop()[1] for _ in range(4)] == [1, 4, 3, 2] == popped([1, 2, 3, 4])


def test_a_tangle_still_names_every_peer_once():
    assert [sorted(order) for order in tangled(9)] == [
        [peer for peer in range(9) if peer != rank] for rank in range(9)
    ]
