"""What the applications' own work costs: CPU time of their kernels in one process, for several amounts of work.

CPU time, for it hardly depends on who else uses the machine; no run of the matrix is looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from striate.interval import Interval
from striate.probe.deadline import Deadline
from striate.probe.samples import spread

_ENDS = {"fast": "low", "middle": "estimate", "slow": "high"}
Kernel = Callable[[], float]  # does the work and says what CPU seconds it took


@dataclass(frozen=True, slots=True)
class Costs:
    """For each kernel, amounts of work (ascending) and the CPU seconds of each."""

    tables: dict[str, tuple[tuple[float, Interval], ...]]
    factors: Mapping[str, Interval] = field(
        default_factory=dict
    )  # by application: what programs add to kernels

    def seconds(self, kernel: str, amount: float, end: str) -> float:
        """CPU seconds for that amount, on a straight line in logarithms; `end` is "fast", "middle" or "slow"."""
        factor = self.factors.get(kernel.split()[0], Interval.exactly(1.0))
        return float(getattr(factor, _ENDS[end])) * self._bare(kernel, amount, end)

    def _bare(self, kernel: str, amount: float, end: str) -> float:
        table = self.tables[kernel]
        x = np.log([known for known, _ in table])
        y = np.log([max(getattr(value, _ENDS[end]), 1e-9) for _, value in table])
        at = float(np.log(amount))
        if (
            at <= x[0] or at >= x[-1]
        ):  # beyond the table: as the last two go on, but never faster than in proportion
            near, far = (0, 1) if at <= x[0] else (-1, -2)
            slope = float(np.clip((y[near] - y[far]) / (x[near] - x[far]), 0.0, 1.0))
            return float(np.exp(y[near] + slope * (at - x[near])))
        return float(np.exp(np.interp(at, x, y)))


def calibrate(folder: Path, seconds: float, *, apps: Collection[str]) -> Costs:
    """Time every kernel of these applications at every amount; the scratch files lie in `folder`."""
    kernels = {name: kernel for name, kernel in _KERNELS.items() if name.split()[0] in apps}
    share = seconds / sum(len(amounts) for _, amounts in kernels.values())
    tables = {}
    for name, (make, amounts) in kernels.items():
        known = []
        for amount in amounts:
            act = make(folder / f"{name}-{amount}", amount)
            known.append((float(amount), _samples(act, share)))
        tables[name] = tuple(known)
    return Costs(tables)


def _samples(act: Kernel, seconds: float) -> Interval:
    act()  # memory is touched, files exist
    deadline, found = Deadline(seconds), list[float]()
    while len(found) < 6 or (len(found) < 200 and not deadline.over):
        found.append(act())
    return spread(found)


def _timed(act: Callable[[], object]) -> Kernel:
    def once() -> float:
        before = time.process_time()
        act()
        return time.process_time() - before

    return once


def _sweep(path: Path, cells: int) -> Kernel:
    from striate.apps.jacobi import Strip

    return _timed(Strip(cells // 1024, 1024, 0, 1).sweep)


def _step(path: Path, size: int) -> Kernel:
    from striate.apps.checkpoint.solve import advance, made_state

    state = made_state(0, size)
    return _timed(lambda: advance(state, 1))


def _mesh(edges: int) -> Any:
    from striate.apps.mesh import Mesh, Sweep

    return Sweep(Mesh(edges * 2 // 3), 0, 1)


def _mesh_step(path: Path, edges: int) -> Kernel:
    sweep = _mesh(edges)
    return _timed(lambda: sweep.step())


def _mesh_write(stages: tuple[str, ...]) -> Callable[[Path, int], Kernel]:
    """CPU time of some stages of a write by one process without MPI: the write's, shared out by their seconds."""

    def make(path: Path, nodes: int) -> Kernel:
        import striate.runtime as runtime
        from striate.apps.mesh import NODE

        sweep = _mesh(nodes * 3 // 2)
        dataset = runtime.create(None, path, (nodes,), NODE)
        schedule = dataset.schedule(sweep.indices)

        def once() -> float:
            before = time.process_time()
            report = dataset.write_all(schedule, sweep.values)
            spent = time.process_time() - before
            told = {name: took for name, took in report.seconds.items() if name != "read"}  # a part of "load"
            return spent * sum(told[name] for name in stages) / sum(told.values())

        return once

    return make


def _mesh_schedule(path: Path, nodes: int) -> Kernel:
    import striate.runtime as runtime
    from striate.apps.mesh import NODE

    sweep = _mesh(nodes * 3 // 2)
    dataset = runtime.create(None, path, (nodes,), NODE)
    return _timed(lambda: dataset.schedule(sweep.indices))


def _generation(path: Path, chains: int) -> Kernel:
    """A generation of runs of at most four chains, its samples written, in one process without MPI."""
    from striate.apps.pmc3.lines import describe
    from striate.apps.pmc3.sampler import Alone, Sampler, Settings
    from striate.apps.pmc3.stores import PlainStore
    from striate.apps.pmc3.writers import MappedWriter, headers
    from striate.validate.programs import made_matrix

    runs = max(1, chains // 4)
    settings, matrix = Settings(runs, chains // runs, 10_000, 1), made_matrix()
    sampler = Sampler(matrix, settings, Alone())
    described = describe(settings.model, matrix.names, settings.runs, settings.generations, 1)
    writer = MappedWriter(PlainStore(path), described, headers(matrix.names, settings), Alone(), 1)
    writer.start_all(0)
    numbers = iter(range(10_000))

    def one() -> None:
        sampler.advance()
        number = next(numbers)
        writer.put_all(number, sampler.cold_lines(number))

    return _timed(one)


_KERNELS: dict[str, tuple[Callable[[Path, int], Kernel], tuple[int, ...]]] = {
    "jacobi sweep": (_sweep, (32 * 1024, 200 * 1024, 1000 * 1024, 4000 * 1024)),  # cells
    "checkpoint step": (_step, (1024**2, 3 * 1024**2, 12 * 1024**2)),  # bytes
    "mesh step": (_mesh_step, (60_000, 200_000, 700_000, 2_000_000)),  # edges
    "mesh exchange": (_mesh_write(("exchange",)), (40_000, 200_000, 1_000_000)),  # nodes touched
    "mesh write": (
        _mesh_write(("load", "compress", "wait", "commit")),
        (40_000, 200_000, 1_000_000),
    ),  # nodes owned
    "mesh schedule": (_mesh_schedule, (40_000, 200_000, 1_000_000)),
    "pmc3 generation": (_generation, (1, 3, 12, 20)),  # chains
}
