"""What programs ask for: operations, programs, workloads."""

from striate.workload.application import Application, Communicator, File
from striate.workload.spmd import Spmd
from striate.workload.workload import Workload

__all__ = ["Application", "Communicator", "File", "Spmd", "Workload"]
