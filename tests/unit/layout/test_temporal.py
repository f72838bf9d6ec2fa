"""Temporal patterns: figures of the thesis by hand, and counts against plain enumeration."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.thesis_formulas import (
    patterns,
    patterns_by_equation,
    reachable_types,
    remainder,
    samples,
    swaps,
    temporal_type,
)
from striate.errors import LayoutError
from striate.layout.mapped.temporal import ChainPlacement, is_balanced

placements = st.builds(ChainPlacement, st.integers(1, 6), st.integers(1, 5), st.integers(1, 8))


def test_figure_4_5_has_three_swaps_and_eight_patterns():
    placement = ChainPlacement(3, 5, 4)  # 15 chains: 4 4 4 3

    assert placement.chains_of_processes.tolist() == [4, 4, 4, 3]
    assert placement.hosts == [[0, 1], [1, 2], [2, 3]]
    assert swaps(placement) == 3
    assert patterns(placement) == patterns_by_equation(placement) == 8
    assert remainder(placement) == 3  # current MrBayes refuses it


def test_equation_5_1_overcounts_when_a_run_spans_three_processes():
    placement = ChainPlacement(2, 6, 6)  # two chains a process: each run on three

    assert patterns(placement) == 9
    assert patterns_by_equation(placement) == 16


@given(placements)
def test_reachable_types_count_what_enumeration_lists(placement):
    counted = Counter()
    for owners in product(*placement.hosts):
        counted[temporal_type([owners.count(rank) for rank in range(placement.processes)])] += 1

    assert reachable_types(placement) == dict(counted)
    assert sum(counted.values()) == patterns(placement)
    assert patterns(placement) <= patterns_by_equation(placement)


@given(placements)
def test_every_chain_has_one_host_and_a_run_lives_where_its_chains_do(placement):
    owners = [rank for rank, count in enumerate(placement.chains_of_processes.tolist()) for _ in range(count)]

    assert len(owners) == placement.runs * placement.chains
    for run, hosts in enumerate(placement.hosts):
        assert hosts == sorted(set(owners[run * placement.chains : (run + 1) * placement.chains]))


def test_very_many_patterns_are_counted_without_listing_them():
    placement = ChainPlacement(60, 3, 90)  # two chains a process: every run has two hosts

    assert patterns(placement) == 2**60
    assert sum(reachable_types(placement).values()) == 2**60


@pytest.mark.parametrize(
    ("writes", "type_", "by_the_letter"),
    [
        ([1, 1, 1], "Complete-1", "Complete-1"),
        ([2, 2], "Complete-1", "Complete+1"),
        ([2, 1], "Complete+1", "Complete+1"),
        ([1, 0, 1], "Partial-1", "Partial-1"),
        ([2, 0], "Partial+1", "Partial+1"),
    ],
)
def test_table_5_1_names_four_types(writes, type_, by_the_letter):
    assert temporal_type(writes) == type_
    assert temporal_type(writes, strict=True) == by_the_letter


@pytest.mark.parametrize("writes", [[], [0, 0], [-1, 2]])
def test_a_sample_nobody_writes_has_no_type(writes):
    with pytest.raises(LayoutError, match="expected writes of at least one process"):
        temporal_type(writes)


def test_a_balanced_placement_never_changes_and_another_does():
    steady = list(samples(ChainPlacement(8, 3, 8), 50, seed=1))
    moving = list(samples(ChainPlacement(9, 3, 8), 50, seed=1))

    assert is_balanced(8, 8)
    assert all(writes == steady[0] for writes in steady)
    assert any(writes != moving[0] for writes in moving)
    assert {tuple(writes) for writes in moving} <= {
        tuple(owners.count(rank) for rank in range(8)) for owners in product(*ChainPlacement(9, 3, 8).hosts)
    }
