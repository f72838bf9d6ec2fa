"""Queueing surfaces of 512 x 64 points and fits of 42: seconds, beside plain NumPy and LINE in the same run."""

import sys
import time
from collections.abc import Callable

import numpy as np

from striate.queueing import Model, SpmdParameters, fit, from_columns, surface

PROCESSORS, DISKS = np.arange(1, 513), np.arange(1, 65)
PROGRAM = SpmdParameters(
    parallel_seconds=4,
    serial_seconds=0.05,
    message_startup_seconds=0.002,
    transfer_seconds=0.3,
    io_startup_seconds=0.01,
    io_transfer_seconds=2,
    bursts_per_io=5,
    contention=0.3,
)
TARGETS = {  # kind, solver -> seconds
    ("bus-aio", "paper"): 0.005,
    ("sio", "paper"): 0.003,
    ("sio", "exact"): 0.5,
    ("clu-aio", "exact"): 0.06,
}
FIT_TARGET = 0.3


def best_of(action: Callable[[], object], tries: int) -> float:
    action()  # warm up
    laps = []
    for _ in range(tries):
        before = time.process_time()
        action()
        laps.append(time.process_time() - before)
    return min(laps)


def demands() -> tuple[np.ndarray, np.ndarray]:
    return PROGRAM.delay_seconds(PROCESSORS), PROGRAM.bus_seconds(PROCESSORS)


def numpy_bus() -> np.ndarray:
    """Mean value analysis, all points at once; a point stops when its population is reached."""
    delay, bus = (5 * column[:, None] for column in demands())
    disk = 0.01 + 2 / (PROCESSORS[:, None] * DISKS)
    at_bus, at_disk, times = np.zeros_like(disk), np.zeros_like(disk), np.zeros_like(disk)
    for jobs in range(1, 513):
        active = slice(jobs - 1, None)
        bus_time, disk_time = bus[active] * (1 + at_bus[active]), disk[active] * (1 + at_disk[active])
        cycle = delay[active] + bus_time + disk_time
        times[jobs - 1] = cycle[0]
        at_bus[active], at_disk[active] = jobs / cycle * bus_time, jobs / cycle * disk_time
    return times


def numpy_sio() -> np.ndarray:
    delay, bus = demands()
    waiting, total = np.zeros(512), np.zeros(512)
    for jobs in range(1, 513):
        active = slice(jobs - 1, None)
        response = bus[active] * (1 + waiting[active])
        total[active] += (delay[active] + response) / jobs
        waiting[active] = jobs / (delay[active] + response) * response
    return 5 * total[:, None] + (0.01 + 2 / DISKS)


def numpy_sio_exact() -> np.ndarray:
    """The absorbing chain, all rows at once, one state after another."""
    delay, bus = demands()
    ratio, result = np.maximum(bus / delay, 1e-300), np.zeros(512)
    hours, alpha, beta = (np.zeros((513, 512)) for _ in range(3))
    for alive in range(1, 513):
        active = slice(alive - 1, None)
        rho = ratio[active]
        constant, rest = 1 / (alive * rho), np.zeros(513 - alive)
        alpha[0, active], beta[0, active] = constant, 1.0
        for queued in range(1, alive + 1):
            escape = 0.2 + 0.8 * rest
            inverse = 1 / ((alive - queued) * rho + escape)
            constant = (1 + 0.8 * constant + 0.2 * hours[queued - 1, active]) * inverse
            rest = escape * inverse
            alpha[queued, active], beta[queued, active] = constant, (alive - queued) * rho * inverse
        value = constant
        hours[alive, active] = value
        for queued in range(alive - 1, -1, -1):
            value = alpha[queued, active] + beta[queued, active] * value
            hours[queued, active] = value
        result[alive - 1] = bus[alive - 1] * hours[0, alive - 1]
    result[0] = 5 * delay[0]  # one processor does not communicate
    return result[:, None] + (0.01 + 2 / DISKS)


def numpy_clu() -> np.ndarray:
    """Eq. (22)'s network for d classes by the integral, twice 256 trapezoids a point: the hill found, then summed."""
    delay, bus = (5 * column for column in demands())
    times = np.full((512, 64), np.nan)
    for row, processors in enumerate(PROCESSORS):
        disk = 0.01 + 2 / processors
        for column, disks in enumerate(DISKS):
            if processors % disks == 0:
                times[row, column] = numpy_clu_point(processors // disks, disks, delay[row], bus[row], disk)
    return times


def numpy_clu_point(jobs: int, disks: int, delay: float, bus: float, disk: float) -> float:
    if bus == 0:
        return float(numpy_hill(np.zeros(1), jobs, disks, delay, bus, disk)[1][0])
    t = np.linspace(0.0, jobs * disks + 9 * np.sqrt(jobs * disks) + 40, 256)
    heights, _ = numpy_hill(t, jobs, disks, delay, bus, disk)
    hill = np.flatnonzero(heights > heights.max() - 40)
    t = np.linspace(t[max(0, hill[0] - 1)], t[min(255, hill[-1] + 1)], 256)
    heights, cycle = numpy_hill(t, jobs, disks, delay, bus, disk)
    weights = np.exp(heights - heights.max())
    weights[[0, -1]] /= 2
    return float((weights * cycle).sum() / weights.sum())


def numpy_hill(
    t: np.ndarray, jobs: int, disks: int, delay: float, bus: float, disk: float
) -> tuple[np.ndarray, np.ndarray]:
    think, waiting, heights = delay + bus * t, np.zeros(t.size), -t
    for count in range(1, jobs + 1):
        response = disk * (1 + waiting)
        cycle = think + response
        heights = heights + (disks - (count == jobs)) * np.log(cycle)
        waiting = count / cycle * response
    return heights, cycle


def line_bus_seconds() -> float | None:
    """LINE's exact MVA, point by point: timed at seven populations, summed over the grid by interpolation."""
    try:
        from line_solver.api.pfqn import pfqn_mva
    except ImportError:
        return None
    samples = [1, 16, 64, 128, 256, 384, 512]
    arguments = np.array([[0.1], [0.2]]), np.array([1.0])
    laps = [
        best_of(lambda jobs=jobs: pfqn_mva(arguments[0], np.array([jobs]), arguments[1]), 3)
        for jobs in samples
    ]
    return float(np.interp(PROCESSORS, samples, laps).sum() * DISKS.size)


TWINS = {
    ("bus-aio", "paper"): (numpy_bus, 3),
    ("sio", "paper"): (numpy_sio, 3),
    ("sio", "exact"): (numpy_sio_exact, 1),
    ("clu-aio", "exact"): (numpy_clu, 1),
}


def time_surfaces() -> int:
    missed = 0
    for (kind, solver), target in TARGETS.items():
        model = Model(PROGRAM, kind, solver=solver)
        spent = best_of(lambda model=model: surface(model, PROCESSORS, DISKS), 5 if target < 0.1 else 2)
        twin, tries = TWINS[kind, solver]
        before = time.process_time()
        wanted = twin()
        plain = min([time.process_time() - before, *(best_of(twin, tries) for _ in range(tries > 1))])
        off = np.nanmax(np.abs(surface(model, PROCESSORS, DISKS).seconds / wanted - 1))
        missed += spent > target
        print(
            f"{kind:8s} {solver:6s} {1e3 * spent:8.2f} ms (at most {1e3 * target:g}); "
            f"NumPy {1e3 * plain:8.1f} ms, x {plain / spent:.0f}; they differ by {off:.0e} at most"
            f"{'' if spent <= target else '  falls short'}"
        )
    return missed


def time_line() -> None:
    spent = best_of(lambda: surface(Model(PROGRAM), PROCESSORS, DISKS), 5)
    line = line_bus_seconds()
    if line is None:
        print("LINE is not installed: pip install 'striate[line]'")
    else:
        print(
            f"bus-aio by LINE's pfqn_mva, point by point: {line:.1f} s (interpolated), x {line / spent:.0f}"
        )


def time_fit() -> int:
    truth = PROGRAM.replace(scale="inverse", reference_seconds=1, parallel_seconds=0.71, serial_seconds=0)
    p, d = (grid.ravel() for grid in np.meshgrid(2 ** np.arange(3, 10), 2 ** np.arange(1, 7), indexing="ij"))
    noise = 1 + 0.01 * np.random.default_rng(1).standard_normal(p.size)
    data = from_columns({"p": p, "d": d, "speedup": Model(truth).speedup(p, d) * noise})
    spent = best_of(lambda: fit(data, scale="inverse"), 3)
    print(f"fit of {p.size} observations {1e3 * spent:.0f} ms (at most {1e3 * FIT_TARGET:.0f})")
    return int(spent > FIT_TARGET)


def main() -> int:
    missed = time_surfaces()
    time_line()
    return missed + time_fit()


if __name__ == "__main__":
    sys.exit(main())
