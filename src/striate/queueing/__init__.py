"""Queueing models of SPMD programs: speedup surfaces in milliseconds, and their fit to observations."""

from striate.queueing.curves import Function, Power, Table, constant, hyperperimeter, inverse
from striate.queueing.derive.from_workload import Derived, from_workload
from striate.queueing.derive.traces import TracedRun, from_runs, from_trace, observe
from striate.queueing.effects import effects
from striate.queueing.fitting.fit import Fit, fit
from striate.queueing.fitting.observations import Observations, from_columns, read_observations
from striate.queueing.model import Bounds, Components, Model, Utilisation
from striate.queueing.parameters import SpmdParameters
from striate.queueing.percentiles import cycle_percentiles
from striate.queueing.program import Program
from striate.queueing.read import load_model
from striate.queueing.sharing import Sharing, on_unequal_disks, together
from striate.queueing.surface import Surface, SurfacePoint, surface

__all__ = [
    "Bounds",
    "Components",
    "Derived",
    "Fit",
    "Function",
    "Model",
    "Observations",
    "Power",
    "Program",
    "Sharing",
    "SpmdParameters",
    "Surface",
    "SurfacePoint",
    "Table",
    "TracedRun",
    "Utilisation",
    "constant",
    "cycle_percentiles",
    "effects",
    "fit",
    "from_columns",
    "from_runs",
    "from_trace",
    "from_workload",
    "hyperperimeter",
    "inverse",
    "load_model",
    "observe",
    "on_unequal_disks",
    "read_observations",
    "surface",
    "together",
]
