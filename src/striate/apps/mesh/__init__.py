"""The irregular edge sweep of paper 002 on an unstructured mesh: real under MPI, and emulated."""

from striate.apps.mesh.emulated import workload
from striate.apps.mesh.generate import NODE, Mesh
from striate.apps.mesh.sweep import Sweep, run

__all__ = ["NODE", "Mesh", "Sweep", "run", "workload"]
