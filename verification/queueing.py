"""How far the queueing models' approximations are from their exact solutions: the numbers of the guide."""

import sys
from pathlib import Path

import numpy as np

from striate import _core
from striate.queueing import Model, fit, from_columns
from striate.queueing.networks.bounds import asymptotic_bounds, balanced_job_bounds
from striate.queueing.networks.fixed_loops import fixed_loop_seconds

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from paper_000 import table_4
from parity.queueing_chains import fixed_loop_time

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


def fixed_loops(cases: int = 100) -> bool:
    """The simulated mean of a fixed number of bursts against the exact chain, and above n (z + x)."""
    random = np.random.default_rng(16)
    off, below = [], 0
    for _ in range(cases):
        jobs, loops = int(random.integers(1, 5)), int(random.integers(1, 6))
        delay, bus = 10 ** random.uniform(-2, 2, 2) / (1, jobs)
        found = fixed_loop_seconds(np.array([jobs]), delay * ONE, bus * ONE, loops)[0]
        off.append(100 * abs(found / fixed_loop_time(jobs, delay, bus, loops) - 1))
        below += found < loops * (delay + bus) * (1 - 1e-12)
    print(f"fixed loops against {cases} exact chains: worst {max(off):.2f} %, below n (z + x) in {below}")
    return max(off) < 1 and below == 0


def fits(draws: int = 200) -> bool:
    """Table 4 with 1 % of noise on 42 points: the five sums that speedups determine, and a speedup predicted."""
    spmd = table_4()
    p, d = (axis.ravel() for axis in np.meshgrid(2 ** np.arange(3, 10), 2 ** np.arange(1, 7), indexing="ij"))
    truth, far = Model(spmd).speedup(p, d), Model(spmd).speedup(1024, 8)
    sums = (0.71 + 0.81 * 0.41, 0.049, 0.19 * 0.41, 0.0, 0.001)
    covered, widths, errors, right = np.zeros(6), np.zeros(3), [], 0
    for seed in range(draws):
        speedup = truth * (1 + 0.01 * np.random.default_rng(seed).standard_normal(p.size))
        found = fit(from_columns({"p": p, "d": d, "speedup": speedup}), scale="inverse")
        intervals = list(found.combinations.values())
        errors.append(found.error)
        right += found.error <= np.sqrt(((truth / speedup - 1) ** 2).sum()) / p.size
        held = [value in interval for value, interval in zip(sums, intervals, strict=True)]
        covered += [*held, far in found.speedup(1024, 8)]
        widths += [
            50 * interval.width / value for value, interval in zip(sums[:3], intervals[:3], strict=True)
        ]
    rates = covered / draws
    print(f"{draws} fits: average error {100 * np.mean(errors):.3f} %, the right minimum in {right}")
    for name, rate in zip((*found.combinations, "speedup at p = 1024"), rates, strict=True):
        print(f"  95 % interval of {name}: held the truth in {100 * rate:.1f} %")
    print("  half-widths of the first three " + ", ".join(f"{width / draws:.2f} %" for width in widths))
    return bool((rates[:5] >= 0.90).all() and (rates[:5] <= 0.98).all())


def main() -> int:
    paper_sum()
    linearizer_and_bounds()
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    held = [fixed_loops(), fits(draws)]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
