"""A million ranks, written once for all: the program table takes a few hundred bytes, and every number is checked."""

import striate
from striate.units import MiB, about_seconds, about_size

body = striate.Spmd(ranks=1_000_000, name="checkpoint")
with body.repeat(100) as step:
    body.compute("12 ms")
    body.write("state", offset=(step * body.ranks + body.rank) * 4 * MiB, size="4 MiB")
workload = body.workload()
workload.check()

programs = workload.applications[0].programs
forecast = striate.predict(workload, "lustre-64", within=None)

print(f"{workload.ranks:,} ranks in {programs.rows} rows")
print(f"{about_size(100 * workload.ranks * 4 * MiB)} written on {forecast.cluster}")
print(
    f"{about_seconds(forecast.seconds.estimate)} at a guess; the most work is on {forecast.bottleneck.busiest}"
)
