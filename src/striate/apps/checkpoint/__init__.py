"""A solver that now and then writes its state: real under MPI, and emulated."""

from striate.apps.checkpoint.emulated import workload
from striate.apps.checkpoint.solve import made_state, solve

__all__ = ["made_state", "solve", "workload"]
