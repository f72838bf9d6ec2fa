"""Fixtures and profiles that all tests share."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every CI run; more and random ones by hand with STRIATE_HYPOTHESIS=explore.
settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "explore", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("STRIATE_HYPOTHESIS", "ci"))

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True, scope="session")
def calibration(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A user's calibration of its own, so that forecasts do not depend on whose account runs the tests."""
    path = tmp_path_factory.mktemp("calibration") / "calibration.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRIATE_CALIBRATION", str(path))
        yield path


@pytest.fixture(scope="session")
def data() -> Path:
    """The reference values and logs that tests compare with; SOURCES.md says where they come from."""
    return ROOT / "tests" / "data"


@pytest.fixture
def benchmark_ratio():
    """A function of two callables: how many times longer the first takes, each at its best of a few runs in turn."""
    from time import perf_counter

    def ratio(slow, fast, rounds: int = 7) -> float:
        best = [float("inf"), float("inf")]
        for _ in range(rounds):
            for which, run in enumerate((slow, fast)):
                start = perf_counter()
                run()
                best[which] = min(best[which], perf_counter() - start)
        return best[0] / best[1]

    return ratio
