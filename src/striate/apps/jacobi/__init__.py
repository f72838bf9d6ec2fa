"""A Jacobi solver on strips of a grid: real under MPI, and emulated."""

from striate.apps.jacobi.emulated import workload
from striate.apps.jacobi.solve import GridStrip, solve

__all__ = ["GridStrip", "solve", "workload"]
