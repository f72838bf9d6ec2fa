"""A budget of CPU time is kept, also where a rung takes longer than it was expected to."""

import math
import sys
import time

import pytest

import striate
from darshan_logs import MIB, Log, posix
from striate.errors import PredictionError
from striate.ladder.program_subject import ProgramSubject
from striate.ladder.request import Request
from striate.rungs.memory.fit import NotEnoughMemoryError
from striate.trace.trace import Trace
from striate.workload import Spmd


def endless():
    """Plays for hours: every step differs from the previous one."""
    body = Spmd(8, name="endless")
    with body.repeat(10**7) as step:
        body.compute(instructions=step)
        body.write("data", offset=(step * 8 + body.rank) * 65_537, size=65_537)
    return body.workload()


def expects_little_of(monkeypatch, *rungs):
    """The ladder takes these rungs for cheap."""
    told = ProgramSubject.expected_seconds
    monkeypatch.setattr(
        ProgramSubject, "expected_seconds", lambda self, rung: 0.01 if rung in rungs else told(self, rung)
    )


def counter_log(folder, *, ranks, size, **more) -> Trace:
    """Every rank writes 512 MiB to a file of its own on four targets, by small calls."""
    log = Log(ranks=ranks, seconds=900)
    for rank in range(ranks):
        log.add("POSIX", f"/scratch/f.{rank}", rank, **posix("write", 512 * MIB // size, size, 200.0))
        log.stripe(f"/scratch/f.{rank}", targets=[(rank + part) % 64 for part in range(4)])
    return striate.read_trace(log.save(folder / "log.darshan"))


@pytest.mark.parametrize("rung", ["fine", "micro"])
def test_a_rung_by_name_is_ended_at_its_budget(monkeypatch, rung):
    expects_little_of(monkeypatch, rung)
    begun = time.process_time()

    with pytest.raises(
        PredictionError,
        match="the budget of 300 ms of CPU time was spent before any forecasting method",
    ):
        striate.predict(endless(), "westmere", rung=rung, budget="0.3 s")
    assert time.process_time() - begun < 4


@pytest.mark.parametrize("given", ["1 s", None])
def test_what_cheaper_rungs_said_stands_when_the_budget_ends_a_finer_one(monkeypatch, given):
    expects_little_of(monkeypatch, "fine")
    monkeypatch.setattr(sys.modules["striate.ladder.predict"], "USUAL_BUDGET", 1.0)
    begun = time.process_time()

    forecast = striate.predict(endless(), "westmere", budget=given)
    assert forecast.rung != "fine"
    assert math.isfinite(forecast.bounds.high)
    assert any("fine was ended when the budget was spent" in note for note in forecast.notes)
    assert time.process_time() - begun < 4


def test_34_million_writes_to_files_with_stripes_of_their_own_cost_little(tmp_path):
    trace = counter_log(tmp_path, ranks=64, size=1000)

    forecast = striate.predict(trace, "lustre-64", budget="20 s")
    assert forecast.spent.cpu_seconds < 3


def test_the_answer_stands_where_the_other_reading_of_a_log_does_not_fit_into_memory(tmp_path, monkeypatch):
    trace = counter_log(tmp_path, ranks=2, size=MIB)
    again, asked = Request.again, []

    def without_memory(self, found, machine, workload=None, **more):
        asked.append(found.rung)
        if workload is not None and len(asked) == 1:
            raise NotEnoughMemoryError("no room")
        return again(self, found, machine, workload, **more)

    monkeypatch.setattr(Request, "again", without_memory)
    forecast = striate.predict(trace, "lustre-64", rung="fine")
    assert asked == ["fine", "resource"]
    assert any("forecast as waiting by resource" in note for note in forecast.notes)
    assert forecast.bounds.low < 700 < forecast.bounds.high
