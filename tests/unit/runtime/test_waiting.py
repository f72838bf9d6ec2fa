"""How ranks wait for each other: awake for a moment, then asleep, but never for long."""

from types import SimpleNamespace

import pytest

from striate.runtime.move.communicator import ranks


class Request:
    """Done after so many questions."""

    def __init__(self, questions):
        self.left = questions

    def Test(self):  # as mpi4py calls it
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("stopped", [0.0, 3600.0], ids=["awake", "stopped for an hour"])
def test_naps_grow_and_stay_short(monkeypatch, stopped):
    now, naps = [0.0], []

    def sleep(seconds):
        naps.append(seconds)
        now[0] += seconds + (stopped if len(naps) == 5 else 0.0)

    def clock():
        now[0] += 10e-6  # what a question takes
        return now[0]

    monkeypatch.setattr(
        ranks, "time", SimpleNamespace(sleep=sleep, perf_counter=clock)
    )  # other threads sleep, too

    ranks._await(Request(400))

    assert naps == sorted(naps)
    assert naps[0] == pytest.approx(ranks._AWAKE / ranks._PATIENCE, rel=0.02)
    assert max(naps) == pytest.approx(5e-3)


def test_nobody_sleeps_who_is_answered_at_once(monkeypatch):
    clock = SimpleNamespace(sleep=lambda seconds: pytest.fail("slept"), perf_counter=ranks.time.perf_counter)
    monkeypatch.setattr(ranks, "time", clock)

    ranks._await(Request(0))
