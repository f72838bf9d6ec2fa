"""A solver that computes, agrees on a residual, and now and then writes its state into one shared file."""

from __future__ import annotations

from striate import units
from striate.errors import WorkloadError
from striate.workload import Spmd, Workload


def workload(
    ranks: int = 16,
    *,
    steps: int = 200,
    every: int = 20,
    step: units.Quantity = "25 ms",
    state: units.Quantity = "16 MiB",
    collective_calls: int = 0,
) -> Workload:
    """`steps` steps of `step` each; after every `every` of them each rank writes `state` bytes of its own.

    Each checkpoint goes behind the one before it; ranks lie side by side in it. MPI-IO makes so many collective calls
    on each write.
    """
    if every < 1 or steps < every:
        raise WorkloadError(
            "expected `every`, the number of steps between checkpoints, "
            f"from 1 to {steps} (all steps of the run), got {every}"
        )
    size = units.size(state)
    body = Spmd(ranks, name="checkpoint")
    body.open_file("state.ckpt", create=True)
    with body.repeat(steps // every) as checkpoint:
        with body.region("solve"), body.repeat(every):
            body.compute(step)
            body.allreduce(8)
        with body.region("checkpoint"):
            for _ in range(collective_calls):
                body.allgather(16)
            body.write_all("state.ckpt", offset=(checkpoint * ranks + body.rank) * size, size=size)
            body.sync_file("state.ckpt")
    body.close_file("state.ckpt")
    return body.workload()
