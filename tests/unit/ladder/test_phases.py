"""Phases of a program: cut where all wait for all, each with its own rung, times and bounds added up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import striate
from striate.ladder import predict
from striate.ladder.by_phase import NAME, climb_phases
from striate.ladder.climb import climb
from striate.ladder.program_subject import ProgramSubject
from striate.provenance import Provenance
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.phases import phases_of
from striate.workload.transforms.unfold import unfold
from toys import HARD, toy


def steps(application, rank):
    return [(step.kind, step.communicator, step.operands) for step in unfold(application, rank)]


@st.composite
def programs(draw):
    moves = st.sampled_from(["compute", "barrier", "loop", "write", "isend", "agree"])
    chosen = draw(st.lists(moves, min_size=1, max_size=8))

    def program(rank, ranks):
        for number, what in enumerate(chosen):
            if what == "compute":
                yield op.compute(1e-3 * (1 + rank))
            elif what == "barrier":
                yield op.barrier()
            elif what == "agree":
                yield op.allreduce(8)
            elif what == "loop":
                for step in range(3):
                    yield op.write(f"own{rank}", offset=step * 100, size=100)
                    yield op.barrier()
            elif what == "write":
                yield op.write("shared", offset=(number * ranks + rank) * 64, size=64)
            else:
                sent = op.isend(1 - rank, 10, tag=number)
                yield sent
                yield op.recv(1 - rank, 10, tag=number)
                yield op.wait(sent)

    return Workload.from_program(program, 2)


@given(programs())
def test_the_phases_are_the_whole_program_in_order(workload):
    parts = phases_of(workload)

    for rank in range(2):
        whole = steps(workload.applications[0], rank)
        assert whole == [step for part in parts for step in steps(part.workload.applications[0], rank)]


@settings(max_examples=30)
@given(programs())
def test_every_phase_but_the_last_ends_with_all_waiting_for_all_and_can_run_alone(workload):
    parts = phases_of(workload)

    for part in parts:
        part.workload.check()
    for part in parts[:-1]:
        last = steps(part.workload.applications[0], 0)[-1][0]
        assert last.label in ("barrier", "allreduce")


def test_no_cut_is_made_while_a_message_is_under_way():
    def program(rank, ranks):
        sent = op.isend(1 - rank, 10)
        yield sent
        yield op.barrier()
        yield op.recv(1 - rank, 10)
        yield op.wait(sent)
        yield op.barrier()
        yield op.compute("1 ms")

    parts = phases_of(Workload.from_program(program, 2))

    assert len(parts) == 2


def test_regions_name_the_phases():
    def program(rank, ranks):
        yield op.region_begin("set up")
        yield op.compute("1 ms")
        yield op.region_end("set up")
        yield op.barrier()
        yield op.compute("1 ms")

    assert [part.name for part in phases_of(Workload.from_program(program, 2))] == ["set up", "phase 2"]


def seeking(rank, ranks):
    """Much computing, and a short phase in which ranks share disks that seek."""
    yield op.compute("2 s")
    yield op.barrier()
    for step in range(40):
        yield op.write("shared", offset=(step * ranks + rank) * 5000, size=5000)
    yield op.barrier()
    yield op.compute("2 s")


def test_one_difficult_phase_does_not_drag_the_others_to_the_finest_rung():
    machine = toy(nodes=2, servers=1, disk=HARD, stripe_unit=5000)
    workload = Workload.from_program(seeking, 2)

    whole_cost = ProgramSubject(workload, machine).expected_seconds("fine")

    forecast = predict(workload, machine, within=0.05, budget=0.99 * whole_cost)

    assert forecast.rung == NAME
    assert [phase.rung == "fine" for phase in forecast.phases] == [False, True, False]
    assert forecast.reached
    whole = predict(workload, machine, rung="fine").seconds.estimate
    assert forecast.bounds.low <= whole * (1 + 1e-6)
    assert whole <= forecast.bounds.high * (1 + 1e-6)
    total = sum(phase.seconds.estimate for phase in forecast.phases)
    assert forecast.bounds.estimate == pytest.approx(total)
    assert all(phase.why for phase in forecast.phases)


def met_then_read(rank, ranks):
    """After the barrier one of two ranks is a microsecond ahead, which decides whether the disk seeks."""
    yield op.compute("40 ms")
    yield op.barrier()
    yield op.read("shared", offset=rank * 65536, size=65536)


def test_a_phase_that_was_played_gets_a_range_that_holds_other_starts():
    workload, machine = Workload.from_program(met_then_read, 2), striate.load_cluster("lustre-64")
    budget = 0.9 * ProgramSubject(workload, machine).expected_seconds("fine")

    forecast = predict(workload, machine, within=1.0, budget=budget)
    played = predict(workload, machine, rung="fine", exact=True).seconds.estimate

    assert (forecast.rung, forecast.phases[1].rung, forecast.reached) == (NAME, "fine", True)
    assert abs(played - forecast.bounds.estimate) > 4e-3  # a seek, which the phase alone does not have
    assert played in forecast.bounds


def test_a_phase_that_is_too_expensive_to_play_again_is_not_trusted():
    workload, machine = Workload.from_program(met_then_read, 2), striate.load_cluster("lustre-64")
    subject = ProgramSubject(workload, machine)

    def fine(part):
        return climb(part, within=None, rung="fine", budget=0.0, provenance=Provenance.of(None))

    cheap, expensive = (
        climb_phases(subject, fine, Provenance.of(None), affordable=seconds) for seconds in (10.0, 0.0)
    )

    assert (cheap.trusted, expensive.trusted) == (True, False)


@pytest.mark.parametrize("second", ["read", "read_all", "write_all", "sync"])
@pytest.mark.parametrize("machine", ["lustre-64", "laptop", "westmere"])
def test_what_caches_hold_passes_from_one_phase_to_the_next(machine, second):
    def program(rank, ranks):
        yield op.write("data", offset=rank * 65536, size=65536)
        yield op.allreduce(8)
        if second == "sync":
            yield op.sync_file("data")
        else:
            yield getattr(op, second)("data", offset=rank * 65536, size=65536)

    workload = Workload.from_program(program, 16)
    forecast = predict(workload, machine, within=0.2)
    played = predict(workload, machine, rung="fine").seconds.estimate

    assert not forecast.reached or played in forecast.bounds
    assert len(phases_of(workload)) == 1
