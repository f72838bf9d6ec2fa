"""`mpiexec -n 4 python -m striate.probe.microbenchmarks [--json]`: measure this machine and print it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any

from striate.probe.microbenchmarks.comms1 import ping_pong
from striate.probe.microbenchmarks.comms3 import saturation_bytes_per_second
from striate.probe.microbenchmarks.machine import Machine, line_through
from striate.probe.microbenchmarks.poly1 import operations_per_second
from striate.units import about_count, about_rate, about_seconds


def measure(comm: Any, *, rounds: int = 30) -> Machine:
    """All three programs, one after another; every rank gets the result."""
    rate = comm.allreduce(operations_per_second()) / comm.size
    sizes, seconds = comm.bcast(ping_pong(comm, rounds=rounds))
    startup, transfer = line_through(sizes, seconds)
    saturation = saturation_bytes_per_second(comm, rounds=rounds)
    return Machine(comm.size, rate, startup, transfer, saturation)


def main(arguments: list[str]) -> int:
    try:
        from mpi4py import MPI
    except ImportError:
        print("striate: measuring needs mpi4py: pip install 'striate[mpi]'", file=sys.stderr)
        return 1
    if MPI.COMM_WORLD.size < 2:
        print("striate: measuring needs two ranks: mpiexec -n 2 python -m ...", file=sys.stderr)
        return 1
    machine = measure(MPI.COMM_WORLD)
    if MPI.COMM_WORLD.rank == 0:
        print(json.dumps(document(machine)) if "--json" in arguments else described(machine), flush=True)
    return 0


def document(machine: Machine) -> dict[str, Any]:
    return (
        {"schema": "striate.machine/1"} | asdict(machine) | {"largest_contention": machine.largest_contention}
    )


def described(machine: Machine) -> str:
    return "\n".join(
        [
            f"processors            {machine.processors}",
            f"rate of one (POLY1)   {about_count(machine.operations_per_second)}Flop/s",
            f"start-up (COMMS1)     {about_seconds(machine.startup_seconds)}",
            f"transfer (COMMS1)     {about_rate(machine.bytes_per_second)}",
            f"saturation (COMMS3)   {about_rate(machine.saturation_bytes_per_second)}",
            f"contention at most    {machine.largest_contention:.3g}",
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
