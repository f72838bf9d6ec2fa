"""Locating bytes and merging byte runs, against plain NumPy in the same run: rates and ratios.

Targets: 100 million offsets a second and core for the simple stripe, 30 million for variable strips; 10 million
byte runs merged within 1.5 s.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

from striate.layout import Extents, Layout, SimpleStripe, VarStrip, parse

COUNT = 10_000_000
TARGETS = {"simple:8:64KiB": 100e6, "simple:7:65537B": 100e6, "varstrip of 8": 30e6, "varstrip of 1024": 30e6}
MERGE_SECONDS = 1.5


def best_seconds(work: Callable[[], object], tries: int = 3) -> float:
    """CPU seconds of this thread: the work runs on one core, whatever else the machine does."""
    spent = []
    for _ in range(tries):
        start = time.thread_time()
        work()
        spent.append(time.thread_time() - start)
    return min(spent)


def numpy_simple(layout: SimpleStripe, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    strips, within = np.divmod(offsets, layout.unit)
    rows, servers = np.divmod(strips, layout.servers)
    return servers, rows * layout.unit + within


def numpy_varstrip(layout: VarStrip, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    starts, owners = np.array(layout.starts), np.array([strip.server for strip in layout.strips])
    sizes = np.array([strip.size for strip in layout.strips])
    shares = np.bincount(owners, weights=sizes).astype(np.int64)
    taken, before = np.zeros(layout.servers, np.int64), np.zeros_like(starts)
    for strip, owner in enumerate(owners):
        before[strip] = taken[owner]
        taken[owner] += sizes[strip]
    rounds, within = np.divmod(offsets, layout.round)
    strips = np.searchsorted(starts, within, side="right") - 1
    servers = owners[strips]
    return servers, rounds * shares[servers] + before[strips] + within - starts[strips]


def numpy_merge(extents: Extents) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(extents.offsets, kind="stable")
    starts = extents.offsets[order]
    reach = np.maximum.accumulate(starts + extents.sizes[order])
    first = np.r_[True, starts[1:] > reach[:-1]]
    return starts[first], reach[np.r_[first[1:], True]] - starts[first]


def compare_locate(name: str, layout: Layout, plain: Callable[..., tuple[np.ndarray, np.ndarray]]) -> bool:
    """Print the rate and the ratio; True when the target is missed."""
    offsets = np.random.default_rng(1).integers(0, 2**40, COUNT)
    for found, wanted in zip(layout.locate(offsets), plain(layout, offsets), strict=True):
        assert np.array_equal(found, wanted)
    ours = COUNT / best_seconds(lambda: layout.locate(offsets))
    theirs = COUNT / best_seconds(lambda: plain(layout, offsets))
    target = TARGETS[name]
    print(
        f"locate {name:17s} {ours / 1e6:5.0f} M/s (at least {target / 1e6:.0f}); "
        f"NumPy {theirs / 1e6:.0f} M/s, x {ours / theirs:.1f}"
    )
    return ours < target


def compare_merge(name: str, largest: int) -> bool:
    """Print the time and the ratio; True when the target is missed."""
    random = np.random.default_rng(2)
    extents = Extents(random.integers(0, largest, COUNT), random.integers(1, 4096, COUNT))
    merged = extents.merged()
    for found, wanted in zip((merged.offsets, merged.sizes), numpy_merge(extents), strict=True):
        assert np.array_equal(found, wanted)
    ours, theirs = best_seconds(extents.merged), best_seconds(lambda: numpy_merge(extents), tries=1)
    print(
        f"merge  {name:17s} {ours:5.2f} s (at most {MERGE_SECONDS}) for {COUNT:,} runs; "
        f"NumPy {theirs:.2f} s, x {theirs / ours:.1f}"
    )
    return ours > MERGE_SECONDS


def varstrip_of(strips: int) -> VarStrip:
    sizes = np.random.default_rng(3).integers(1, 2**20, strips)
    return VarStrip([(server, int(size)) for server, size in enumerate(sizes)])


def main() -> int:
    missed = [
        compare_locate("simple:8:64KiB", parse("simple:8:64KiB"), numpy_simple),
        compare_locate("simple:7:65537B", parse("simple:7:65537B"), numpy_simple),
        compare_locate("varstrip of 8", varstrip_of(8), numpy_varstrip),
        compare_locate("varstrip of 1024", varstrip_of(1024), numpy_varstrip),
        compare_merge("below 2^36", 2**36),
        compare_merge("below 2^62", 2**62),
    ]
    return sum(missed)


if __name__ == "__main__":
    sys.exit(main())
