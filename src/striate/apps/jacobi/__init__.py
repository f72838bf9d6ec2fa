"""A Jacobi solver on strips of a grid: real under MPI, and emulated."""

from striate.apps.jacobi.emulated import workload
from striate.apps.jacobi.solve import Strip, solve

__all__ = ["Strip", "solve", "workload"]
