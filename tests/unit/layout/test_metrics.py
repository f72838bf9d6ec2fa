"""Measures against sums by hand, advice against the rules it follows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import LayoutError
from striate.layout import Basic, Extents, SimpleStripe, VarStrip
from striate.layout import metrics as measure
from striate.layout.advice import advise_pattern, advise_samples
from striate.layout.patterns import Pattern


def test_a_stripe_of_eight_reaches_as_many_servers_as_strips():
    layout = SimpleStripe(8, 65536)

    assert measure.servers_accessed(layout, Extents([0], [49076])) == 1
    assert measure.servers_accessed(layout, Extents([65535], [2])) == 2
    assert measure.servers_accessed(layout, Extents([0], [10**9])) == 8
    assert measure.servers_accessed(layout, Extents([5], [0])) == 0
    assert measure.servers_accessed(layout, Extents([0, 65536 * 8], [1, 1])) == 1


@given(st.integers(2, 20), st.integers(1, 5000))
def test_the_exact_limit_is_the_largest_unit_that_reaches_every_server(servers, size):
    limit = measure.largest_unit_reaching_all(size, servers)
    reached = [
        unit
        for unit in range(1, size + 1)
        if measure.servers_accessed(SimpleStripe(servers, unit), Extents([0], [size])) == servers
    ]

    assert limit == max(reached, default=0)
    assert limit >= measure.largest_whole_unit(size, servers) or size < servers


def test_locality_counts_bytes_on_the_writers_own_server():
    accesses = [Extents([0], [10]), Extents([10], [10])]

    assert measure.local_share(VarStrip("0:10;1:10"), accesses) == 1.0
    assert measure.local_share(VarStrip("0:10;1:10"), accesses, nodes=[1, 0]) == 0.0
    assert measure.local_share(SimpleStripe(2, 5), accesses) == 0.5


def test_balance_is_one_when_all_carry_the_same():
    assert measure.load_balance([5, 5, 5]) == 1.0
    assert measure.load_balance([12, 0, 0]) == pytest.approx(1 / 3)


def test_times_compare_as_the_thesis_compares_them():
    assert measure.speedup(9.0, 3.0) == 3.0
    assert measure.efficiency(9.6, 16) == pytest.approx(0.6)
    assert measure.time_difference(7.88, 2.22) == pytest.approx(71.8, abs=0.1)  # section 4.2.2: 72 %
    assert measure.time_difference(2.0, 3.0) == -50.0
    assert measure.largest_chunk(13888, 8, 20) == 34720


@pytest.mark.parametrize(
    "call",
    [
        lambda: measure.degree_of_parallelism(9, 8),
        lambda: measure.largest_unit_reaching_all(10, 1),
        lambda: measure.load_balance([0, 0]),
        lambda: measure.local_share(Basic(), [Extents([0], [0])]),
        lambda: measure.speedup(1.0, 0.0),
        lambda: measure.time_difference(float("inf"), 1.0),
    ],
)
def test_measures_of_nothing_are_refused(call):
    with pytest.raises(LayoutError, match="expected"):
        call()


def test_moving_writers_get_a_simple_stripe_over_all_servers():
    advice = advise_samples(9, 8, 8, 8_000_000, servers_on_compute_nodes=True)

    assert advice.layout == SimpleStripe(8, 1_000_000)
    assert "the writers change" in advice.reasons[0]


@pytest.mark.parametrize(("generation_bytes", "buffered"), [(13888, 16), (2 * 2**20, 4), (4 * 2**20, 1)])
def test_steady_writers_with_servers_get_their_own_strips_and_the_shallower_the_more_buffer(
    generation_bytes, buffered
):
    advice = advise_samples(64, 8, 8, generation_bytes, servers_on_compute_nodes=True)

    assert advice.buffered == buffered
    assert advice.layout == VarStrip([(rank, generation_bytes // 8 * buffered) for rank in range(8)])


def test_no_buffer_is_advised_beyond_memory():
    assert advise_samples(8, 8, 8, 100, servers_on_compute_nodes=True, largest_buffering=3).buffered == 3


def test_servers_elsewhere_get_a_simple_stripe():
    assert isinstance(advise_samples(8, 8, 4, 100, servers_on_compute_nodes=True).layout, SimpleStripe)
    assert isinstance(advise_samples(8, 8, 8, 100, servers_on_compute_nodes=False).layout, SimpleStripe)


def test_spatial_patterns_get_what_serves_them():
    own = advise_pattern(Pattern.PARTITIONED, [200, 300], 2, servers_on_compute_nodes=True)

    assert own.layout == VarStrip("0:200;1:300")  # figure 3.3
    assert advise_pattern(Pattern.FILE_PER_PROCESS, [1], 4, servers_on_compute_nodes=True).layout == Basic()
    assert advise_pattern(Pattern.STRIDED, [40, 40], 4, servers_on_compute_nodes=True).layout == SimpleStripe(
        4, 20
    )
    with pytest.raises(LayoutError, match="at least one byte from every rank"):
        advise_pattern(Pattern.PARTIAL, [0, 5], 2, servers_on_compute_nodes=True)
