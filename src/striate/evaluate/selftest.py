"""A smoke suite for an installed package: every part does one small thing whose right answer is known.

It needs no source tree, no compiler, no network and no MPI. A failed check names what was found; a part whose optional
package is missing says which one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import numpy as np


@dataclass(frozen=True)
class InstallationCheck:
    """One check and what came of it: `found` is None when it passed."""

    name: str
    seconds: float
    found: str | None


def checks() -> Iterator[InstallationCheck]:
    """Run every check, one after the other, in a directory that is removed afterwards."""
    for name, check in _CHECKS.items():
        started = perf_counter()
        with tempfile.TemporaryDirectory(prefix="striate-selftest-") as folder:
            try:
                found = check(Path(folder))
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
        yield InstallationCheck(name, perf_counter() - started, found)


def extras() -> dict[str, bool]:
    """The optional packages, and whether each is installed."""
    names = ("mpi4py", "plotly", "cairosvg", "otf2", "distributed", "optuna", "h5py", "zarr", "xarray")
    return {name: find_spec(name) is not None for name in names}


def _every_byte_has_one_place(folder: Path) -> str | None:
    from striate.layout import SimpleStripe

    layout = SimpleStripe(servers=3, unit=64)
    logical = np.arange(1000, dtype=np.int64)
    servers, places = layout.locate(logical)
    wanted = (logical // 64 % 3, logical // 192 * 64 + logical % 64)
    same = np.array_equal(servers, wanted[0]) and np.array_equal(places, wanted[1])
    return None if same else f"byte 999 is on server {servers[999]} at {places[999]}"


def _bundled_clusters_load(folder: Path) -> str | None:
    from striate.cluster import bundled, load_cluster

    names = list(bundled())
    for name in names:
        load_cluster(name)
    return None if names else "no cluster is bundled"


def _forecasts_obey_the_proved_floor(folder: Path) -> str | None:
    from striate.apps import checkpoint
    from striate.ladder.predict import predict

    forecast = predict(checkpoint.workload(ranks=4), "westmere", within=None, rung="fine")
    if forecast.contradictions:
        return "; ".join(map(str, forecast.contradictions))
    return None if forecast.seconds.estimate > 0 else f"forecast of {forecast.seconds} s"


def _traces_come_back(folder: Path) -> str | None:
    from striate.apps import checkpoint
    from striate.formats.read import read_trace
    from striate.ladder.predict import predict

    forecast = predict(checkpoint.workload(ranks=2), "westmere", within=None, rung="fine", timeline=True)
    timeline = forecast.timeline
    assert timeline is not None
    timeline.save(folder / "run.parquet")
    again = read_trace(folder / "run.parquet")
    return (
        None
        if again.to_arrow().equals(timeline.to_arrow())
        else f"{len(again)} of {len(timeline)} operations came back"
    )


def _pages_are_written(folder: Path) -> str | None:
    from striate.apps import checkpoint
    from striate.ladder.predict import predict
    from striate.pages.show import show

    page = show(predict(checkpoint.workload(ranks=2), "westmere", within=None))
    size = len(page)
    return None if "</html>" in page[-20:] else f"a page of {size} characters that does not end"


def _datasets_come_back(folder: Path) -> str | None:
    from striate import runtime

    order = np.random.default_rng(1).permutation(1000)
    with runtime.create(None, folder / "data", (1000,), "f8") as dataset:
        dataset.write_all(order, order * 0.5)
    with runtime.open_serial(folder / "data") as dataset:
        found = np.asarray(dataset[:])
    damaged = runtime.verify(folder / "data").findings
    wrong = int((found != np.arange(1000) * 0.5).sum())
    return None if not (wrong or damaged) else f"{wrong} of 1000 records differ; {list(damaged)}"


def _the_tracer_is_here(folder: Path) -> str | None:
    from striate.record.launch import tracer_path

    path = tracer_path()
    return None if path.read_bytes()[:4] == b"\x7fELF" else f"{path} is not a shared library"


_CHECKS: dict[str, Callable[[Path], str | None]] = {
    "layout: every byte has one place": _every_byte_has_one_place,
    "clusters: the bundled ones load": _bundled_clusters_load,
    "forecast: fine obeys the proved floor": _forecasts_obey_the_proved_floor,
    "trace: saved and read back": _traces_come_back,
    "page: written whole": _pages_are_written,
    "runtime: a dataset written and verified": _datasets_come_back,
    "tracer: its library is installed": _the_tracer_is_here,
}
