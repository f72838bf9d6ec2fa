"""How long a solver takes that writes a checkpoint every ten steps, on a cluster that comes with Striate."""

import striate
from striate.units import MiB, about_seconds
from striate.workload.operations import allreduce, compute, sendrecv, write_all


def solver(rank, ranks):
    for step in range(100):
        yield compute("12 ms")
        if rank > 0:
            yield sendrecv(rank - 1, "64 KiB")
        if rank < ranks - 1:
            yield sendrecv(rank + 1, "64 KiB")
        yield allreduce(8)
        if step % 10 == 9:
            yield write_all("checkpoint", offset=(step // 10 * ranks + rank) * 4 * MiB, size="4 MiB")


workload = striate.Workload.from_program(solver, ranks=16)
forecast = striate.predict(workload, "westmere", within=None)

print(workload)
print(f"{forecast.workload} on {forecast.cluster}, {forecast.ranks} ranks, by the {forecast.rung} rung:")
print(f"  {about_seconds(forecast.seconds.estimate)}", end="")
print(f" (80 % of the runs: {about_seconds(forecast.seconds.low)} to {about_seconds(forecast.seconds.high)})")
for use in forecast.uses:
    print(f"  {use.count:3} x {use.kind:9} the busiest works {about_seconds(use.busiest_seconds)}")
