"""QCRD stage 2 on the Intel Paragon: paper 000's second study (Table 4), its surface, and what a fit can tell."""

import numpy as np

from striate.queueing import Model, SpmdParameters, fit, from_columns, surface

PROCESSORS, DISKS = (8, 16, 32, 64, 128, 256, 512), (2, 4, 8, 16, 32, 64)


def qcrd() -> SpmdParameters:
    """Table 4, in units of the time on one processor and one disk; g(p) = 1/p, c = 1."""
    return SpmdParameters(
        parallel_seconds=0.71,
        message_startup_seconds=0.049,
        transfer_seconds=0.41,
        io_transfer_seconds=0.001,
        contention=0.19,
        scale="inverse",
        reference_seconds=1,
    )


def main() -> None:
    model = Model(qcrd(), "bus-aio")
    print("speedup at d = 1:", ", ".join(f"p = {p}: {model.speedup(p, 1):.3f}" for p in (2, 8, 32, 128, 512)))
    lone = model.speedup(1, 1)
    print(
        f"limit 1 / (w S_R) = {1 / (0.19 * 0.41):.3f}; at p = 1 the table's sum is 0.711, so s = {lone:.3f}"
    )
    grid = surface(model, range(1, 513), range(1, 65))
    spread = grid.speedup.max(axis=1) / grid.speedup.min(axis=1) - 1
    print(f"more disks change the speedup by {spread[1:].max():.2%} at most")
    knee = grid.knee(1)
    print(f"the knee is at p = {knee.processors}, speedup {knee.speedup:.2f}")
    print(f"bottleneck at p = 512: {grid.bottleneck[-1, 0]}")
    print()
    print("a fit to 42 speedups with 1 % of noise, seed 1:")
    p, d = (axis.ravel() for axis in np.meshgrid(PROCESSORS, DISKS, indexing="ij"))
    noise = 1 + 0.01 * np.random.default_rng(1).standard_normal(p.size)
    found = fit(from_columns({"p": p, "d": d, "speedup": model.speedup(p, d) * noise}), scale="inverse")
    print(f"average error {found.error:.2%}, RMS {found.rms:.1%}")
    for name, interval in list(found.combinations.items())[:3]:
        print(f"  {name} = {interval.estimate:.3f} ({interval.low:.3f} to {interval.high:.3f})")
    for sentence in found.undetermined:
        print(f"  {sentence}")
    low, high = found.contention_range
    print(
        f"  every contention from {low:.2f} to {high:.2f} fits equally well: the table's 0.19 is one of them"
    )


if __name__ == "__main__":
    main()
