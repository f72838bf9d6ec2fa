"""Collective I/O for irregular programs: records addressed by index arrays, in global order, over mpi4py."""

from striate.runtime.check import DatasetCheck, repair, verify
from striate.runtime.dataset import Dataset
from striate.runtime.front import create, open  # noqa: A004
from striate.runtime.group_front import create_group, open_group
from striate.runtime.hdf5_link import link_hdf5
from striate.runtime.hints import directory_attributes, hints
from striate.runtime.loop_cache import LoopCache
from striate.runtime.move.groups.row_schedule import RowSchedule
from striate.runtime.move.schedules.schedule import Schedule
from striate.runtime.pending import Pending, PendingRead
from striate.runtime.plan.ragged import Ragged
from striate.runtime.report import Report
from striate.runtime.serial import SerialDataset, open_serial
from striate.runtime.settings import read_settings
from striate.runtime.variable_group import VariableGroup
from striate.runtime.variables import Variable
from striate.runtime.write_behind import WriteBehind

__all__ = [
    "Dataset",
    "DatasetCheck",
    "LoopCache",
    "Pending",
    "PendingRead",
    "Ragged",
    "Report",
    "RowSchedule",
    "Schedule",
    "SerialDataset",
    "Variable",
    "VariableGroup",
    "WriteBehind",
    "create",
    "create_group",
    "directory_attributes",
    "hints",
    "link_hdf5",
    "open",
    "open_group",
    "open_serial",
    "read_settings",
    "repair",
    "verify",
]
