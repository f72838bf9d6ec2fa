"""How far the queueing models' approximations are from their exact solutions: the numbers of the guide."""

import sys
from pathlib import Path

import numpy as np

from striate import _core
from striate.queueing import Model, Spmd, fit, from_columns
from striate.queueing.bounds import asymptotic_bounds, balanced_job_bounds
from striate.queueing.fixed_loops import fixed_loop_seconds

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from parity.queueing_chains import simulated_fork_join

ONE = np.array([1.0])


def paper_sum() -> None:
    """Eq. 16 against the absorbing chain: the worst over loads rho = K x / z from 0.01 to 100."""
    print("eq. 16 above the exact time, worst over loads, percent")
    print("     K" + "".join(f"   n = {loops:<4d}" for loops in (1, 2, 5, 10, 50)))
    loads = np.logspace(-2, 2, 41)
    for jobs in (4, 16, 64, 256, 1024):
        cells = []
        for loops in (1, 2, 5, 10, 50):
            rows = (
                np.full(loads.size, jobs),
                np.ones(loads.size),
                loads / jobs,
                np.full(loads.size, float(loops)),
            )
            cells.append(100 * (_core.fork_join(*rows, False) / _core.fork_join(*rows, True) - 1).max())
        print(f"{jobs:6d}" + "".join(f"{cell:10.3f} " for cell in cells))


def linearizer_and_bounds() -> None:
    """Random networks: N 1-16 and d 2-64 for clusters, K 1-512 for the bus; demands over four decades."""
    random = np.random.default_rng(3)
    count = 2000
    jobs, disks = random.integers(1, 17, count), random.integers(2, 65, count)
    delay, bus, disk = (10 ** random.uniform(low, low + 2, count) for low in (-1, -3, -2))
    exact = sum(_core.clustered_split(jobs, disks, delay, bus, disk))
    fast = sum(_core.linearizer_split(1.0 * jobs, 1.0 * disks, delay, bus, disk))
    off = 100 * np.abs(fast / exact - 1)
    most = np.percentile(off, 95)
    print(
        f"Linearizer, clusters: mean {off.mean():.3f} %, 95th percentile {most:.2f} %, worst {off.max():.2f} %"
    )
    low, high = asymptotic_bounds(jobs * disks, jobs, delay, bus, disk)
    said("asymptotic bounds, clusters", low, exact, high)
    jobs = random.integers(1, 513, count)
    exact = _core.bus_times(jobs, delay, bus, np.arange(count + 1), disk)
    low, high = balanced_job_bounds(jobs, delay, bus, disk)
    said("balanced job bounds, bus", low, exact, high)


def said(label: str, low: np.ndarray, exact: np.ndarray, high: np.ndarray) -> None:
    below, above = 100 * (low / exact - 1), 100 * (high / exact - 1)
    assert below.max() < 1e-9
    assert above.min() > -1e-9
    print(f"{label}: low {below.mean():.1f} % (worst {below.min():.1f})", end=", ")
    print(f"high +{above.mean():.1f} % (worst +{above.max():.1f})")


def fixed_loops() -> None:
    """The approximation for a fixed number of bursts against simulations."""
    cases = [(9, 0.88, 0.0098, 5), (64, 0.22, 0.00736, 5), (16, 1, 0.01, 5), (16, 1, 0.1, 5), (16, 1, 0.5, 5)]
    cases += [(64, 1, 0.02, 10), (64, 1, 0.05, 2), (256, 1, 0.02, 5), (4, 1, 1, 5), (16, 1, 0.05, 20)]
    off = []
    for jobs, delay, bus, loops in cases:
        mean, _ = simulated_fork_join(jobs, delay, bus, loops, fixed=True, runs=300, seed=1)
        off.append(
            100 * (fixed_loop_seconds(np.array([jobs]), delay * ONE, bus * ONE, float(loops))[0] / mean - 1)
        )
    print(f"fixed loops against {len(cases)} simulations: {min(off):+.1f} % to {max(off):+.1f} %")


def fits(draws: int = 200) -> None:
    """Table 4 with 1 % of noise on 42 points."""
    spmd = Spmd(
        parallel_seconds=0.71,
        message_startup_seconds=0.049,
        transfer_seconds=0.41,
        io_transfer_seconds=0.001,
        contention=0.19,
        scale="inverse",
        reference_seconds=1,
    )
    p, d = (axis.ravel() for axis in np.meshgrid(2 ** np.arange(3, 10), 2 ** np.arange(1, 7), indexing="ij"))
    truth, sums = Model(spmd).speedup(p, d), (0.71 + 0.81 * 0.41, 0.049, 0.19 * 0.41)
    errors, covered, right, widths = [], np.zeros(3), 0, np.zeros(3)
    for seed in range(draws):
        speedup = truth * (1 + 0.01 * np.random.default_rng(seed).standard_normal(p.size))
        found = fit(from_columns({"p": p, "d": d, "speedup": speedup}), scale="inverse")
        intervals = list(found.combinations.values())[:3]
        errors.append(found.error)
        right += found.error <= np.sqrt(((truth / speedup - 1) ** 2).sum()) / p.size
        covered += [value in interval for value, interval in zip(sums, intervals, strict=True)]
        widths += [100 * interval.width / 2 / value for value, interval in zip(sums, intervals, strict=True)]
    rates, widths = covered / draws, widths / draws
    print(f"{draws} fits: average error {100 * np.mean(errors):.3f} %, the right minimum in {right}")
    print("  coverage of 95 % intervals " + ", ".join(f"{rate:.3f}" for rate in rates), end="; ")
    print("half-widths " + ", ".join(f"{width:.2f} %" for width in widths))


def main() -> int:
    paper_sum()
    linearizer_and_bounds()
    fixed_loops()
    fits()
    return 0


if __name__ == "__main__":
    sys.exit(main())
