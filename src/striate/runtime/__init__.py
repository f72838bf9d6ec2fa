"""Collective I/O for irregular programs: records addressed by index arrays, in global order, over mpi4py."""

from striate.runtime.check import Verdict, repair, verify
from striate.runtime.dataset import Dataset, Pending
from striate.runtime.front import create, open  # noqa: A004
from striate.runtime.hints import directory_attributes, hints
from striate.runtime.loop_cache import LoopCache
from striate.runtime.move.schedule import Schedule
from striate.runtime.report import Report
from striate.runtime.serial import SerialDataset, open_serial
from striate.runtime.settings import read_settings
from striate.runtime.write_behind import WriteBehind

__all__ = [
    "Dataset",
    "LoopCache",
    "Pending",
    "Report",
    "Schedule",
    "SerialDataset",
    "Verdict",
    "WriteBehind",
    "create",
    "directory_attributes",
    "hints",
    "open",
    "open_serial",
    "read_settings",
    "repair",
    "verify",
]
