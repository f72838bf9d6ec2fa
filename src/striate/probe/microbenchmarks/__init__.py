"""Programs that measure a machine as paper 000, section 5.1, did: rate, start-up, transfer rate, saturation.

Run them under MPI: `mpiexec -n 4 python -m striate.probe.microbenchmarks`.
"""

from striate.probe.microbenchmarks.machine import Machine, line_through

__all__ = ["Machine", "line_through"]
