"""Programs of ranks against PIOsimHD: point-to-point, exchange, congestion and compute scenarios."""

import json

import pytest

from reference.piosimhd_engine import cases, play


@pytest.fixture(scope="module")
def reference(data):
    return json.loads((data / "reference" / "piosimhd_scenarios.json").read_text())


def ends_ns(scenario, model):
    return (play(scenario, model, heap_ties=False).rank_end // 1000).tolist()


def scenarios(reference, *groups):
    chosen = [
        scenario
        for scenario in cases(reference)
        if scenario["group"] in groups and "experiment" not in scenario
    ]
    assert chosen
    return chosen


def test_every_rank_of_point_to_point_ends_at_the_known_nanosecond(reference):
    chosen = scenarios(reference, "pingpong", "granularity", "nic", "sendrecv", "compute")
    model = reference["model_westmere"]

    assert {s["id"]: ends_ns(s, model) for s in chosen} == {s["id"]: s["rank_end_ns"] for s in chosen}


def test_congestion_ends_within_two_nanoseconds_whoever_wins_a_tie(reference):
    for scenario in scenarios(reference, "congestion"):
        last = max(ends_ns(scenario, reference["model_westmere"]))

        assert last == pytest.approx(scenario["virtual_time_ns"], abs=2), scenario["id"]
