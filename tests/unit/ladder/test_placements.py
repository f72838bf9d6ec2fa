"""What a forecast claims of more than one machine: strips placed by hash, and measured ranges."""

import msgspec
import pytest

import striate
from striate.cluster.build import build
from striate.cluster.description.ends import at_end
from striate.cluster.description.tables import MeasuredTable
from striate.ladder.placements import DRAWS, MOST_DRAWS, draws
from striate.ladder.program_subject import ProgramSubject
from striate.ladder.proofs import Proof
from striate.trace.analysis.span import run_span
from striate.workload import Workload
from striate.workload import operations as op


def writes(rank, ranks):
    for turn in range(3):
        yield op.write("shared", offset=(turn * ranks + rank) * 300_000, size=300_000)
        yield op.allreduce(8)


@pytest.fixture
def hashed():
    description = striate.load_cluster("pvs-cluster").description
    settings = msgspec.structs.replace(description.settings, distribution="hash")
    return build(msgspec.structs.replace(description, settings=settings))


def test_the_median_of_placements_keeps_tests_precision_and_proof(hashed):
    forecast = striate.predict(Workload.from_program(writes, 4), hashed)
    played = [
        striate.predict(Workload.from_program(writes, 4), machine, rung="fine", exact=True).bounds.estimate
        for machine in (hashed, *draws(Workload.from_program(writes, 4), hashed, MOST_DRAWS))
    ]

    assert forecast.within == 0.10
    assert {check.name for check in forecast.checks} >= {"machine parts", "contention"}
    assert "fine" in forecast.stopped
    assert forecast.proved.low <= min(played)
    assert forecast.proved.reason.endswith("with file accesses that take no time")
    assert forecast.bounds.estimate == sorted(played)[MOST_DRAWS // 2]


def test_the_watchdog_sees_every_placement(hashed, monkeypatch):
    monkeypatch.setattr(ProgramSubject, "proved", lambda self: Proof(1.0, None, "a wish"))

    forecast = striate.predict(Workload.from_program(writes, 4), hashed)

    assert len(forecast.contradictions) == 1 + MOST_DRAWS  # one of each placement
    assert not forecast.reached


def test_fewer_placements_of_an_expensive_program_are_played(hashed, monkeypatch):
    monkeypatch.setattr(ProgramSubject, "expected_seconds", lambda self, rung: 0.3)

    forecast = striate.predict(Workload.from_program(writes, 4), hashed, rung="fine")

    (placement,) = (spread for spread in forecast.spreads if spread.source == "placement")
    assert placement.how == f"{1 + DRAWS} placements of the strips by hash"


def test_the_timeline_is_that_of_the_median_placement(hashed):
    forecast = striate.predict(Workload.from_program(writes, 4), hashed, timeline=True)

    _, end = run_span(forecast.timeline)
    assert end / 1e9 == pytest.approx(forecast.bounds.estimate, rel=1e-5)


def test_a_claim_holds_at_both_ends_of_measured_ranges():
    description = striate.load_cluster("westmere").description
    ranges = (MeasuredTable(key="node[0].instructions_per_second", low="1.33 G", high="5.32 G"),)
    cluster = build(msgspec.structs.replace(description, measured=ranges))
    forecast = striate.predict(Workload.from_program(counts, 4), cluster)
    played = [
        striate.predict(Workload.from_program(counts, 4), at_end(cluster, fast=fast), rung="fine", exact=True)
        for fast in (True, False)
    ]

    assert forecast.proved.low <= played[0].bounds.estimate < played[1].bounds.estimate
    assert played[1].bounds.estimate <= forecast.proved.high


def counts(rank, ranks):
    yield op.compute(instructions=10_000_000)
    yield op.barrier()
