"""A million ranks, a hundred passes: described, checked and sent through the resource rung in one process."""

import itertools
import resource
import sys
import time

from striate.ladder import predict
from striate.units import GiB, MiB, about_size
from striate.workload import Spmd, Workload

TARGET_SECONDS, TARGET_BYTES = 5.0, 2 * GiB


def million_ranks() -> Workload:
    body = Spmd(ranks=1_000_000, name="million")
    with body.repeat(100) as step:
        body.compute("12 ms")
        body.sendrecv((body.rank + 1) % body.ranks, "8 KiB", source=(body.rank - 1) % body.ranks)
        body.allreduce(8)
        body.write("checkpoint", offset=(step * body.ranks + body.rank) * 4 * MiB, size="4 MiB")
    return body.workload()


def main() -> int:
    laps = [time.process_time()]
    workload = million_ranks()
    laps.append(time.process_time())
    workload.check()
    laps.append(time.process_time())
    forecast = predict(workload, "lustre-64", rung="resource")
    laps.append(time.process_time())
    described, checked, predicted = (b - a for a, b in itertools.pairwise(laps))
    total, peak = laps[-1] - laps[0], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        f"described {described:.2f} s, checked {checked:.2f} s, checked again and predicted {predicted:.2f} s"
    )
    print(f"in all {total:.2f} s of CPU (at most {TARGET_SECONDS}), {about_size(peak)} (at most 2 GiB)")
    print(f"program table: {about_size(workload.nbytes)}; forecast: {forecast}")
    return int(total > TARGET_SECONDS or peak > TARGET_BYTES)


if __name__ == "__main__":
    sys.exit(main())
