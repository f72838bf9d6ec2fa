"""What a forecast costs: a rung's line tells what it would take alone, the first line what the call has taken."""

import pytest

from striate import provenance
from striate.cluster import load_cluster
from striate.ladder import predict
from striate.ladder.climb import _Climb
from striate.ladder.predict import subject_of
from striate.ladder.shared_work import SharedWork
from striate.workload import Workload
from striate.workload.operations import barrier, compute, sendrecv, write


class Clock:
    """Time passes when it is told to."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(provenance.time, "process_time", lambda: self.now)
        monkeypatch.setattr(provenance.time, "perf_counter", lambda: self.now)

    def taking(self, monkeypatch, owner, name, seconds):
        """Let every call of owner.name take so long."""
        plain = getattr(owner, name)

        def slow(*arguments, **named):
            self.now += seconds
            return plain(*arguments, **named)

        monkeypatch.setattr(owner, name, slow)


def work():
    def program(rank, ranks):
        for _ in range(5):
            yield compute("2 ms")
            yield sendrecv(rank ^ 1, 4096)
            yield write("shared", offset=rank * 65_536, size=65_536)
        yield barrier()

    return Workload.from_program(program, 4)


def test_work_inside_other_work_is_counted_once(monkeypatch):
    clock, shared = Clock(monkeypatch), SharedWork()
    with shared.making("path"):
        clock.now += 1
        with shared.making("input"):
            clock.now += 10

    assert shared.cost(["path"]).wall_seconds == 1
    assert shared.cost(["path", "input", "unknown"]).cpu_seconds == 11


def test_a_rung_costs_what_it_takes_alone_though_the_tests_have_done_its_work(monkeypatch):
    from striate.ladder import program_subject
    from striate.rungs import resource

    clock = Clock(monkeypatch)
    clock.taking(monkeypatch, resource, "predict_resource", 1.0)
    clock.taking(monkeypatch, program_subject, "input_of", 10.0)
    clock.taking(monkeypatch, program_subject, "run_program_flows", 100.0)
    subject = subject_of(work(), load_cluster("laptop"))
    subject.checks(0.2)  # makes the sums, the input and the run in which nothing waits
    climb = _Climb(subject, None, 0.0, subject.proved(), {})

    costs = {rung: climb.ask(rung).cost.wall_seconds for rung in ("resource", "macro-rr")}

    assert costs == {"resource": pytest.approx(111), "macro-rr": pytest.approx(210)}
    alone = predict(work(), "laptop", rung="resource").answers[-1].cost.wall_seconds
    assert costs["resource"] == pytest.approx(alone)


def test_the_first_line_tells_all_that_the_call_has_taken(monkeypatch):
    from striate.rungs import fine

    clock = Clock(monkeypatch)
    clock.taking(monkeypatch, fine, "run_packets", 0.125)

    forecast = predict(work(), "laptop", rung="fine")

    assert forecast.answers[-1].cost.wall_seconds == 0.125
    assert forecast.cost.wall_seconds == clock.now == 6 * 0.125  # and five runs with other starts
