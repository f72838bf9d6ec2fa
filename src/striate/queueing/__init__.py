"""Queueing models of SPMD programs: speedup surfaces in milliseconds, and their fit to observations."""

from striate.queueing.curves import Function, Power, Table, constant, hyperperimeter, inverse
from striate.queueing.effects import effects
from striate.queueing.model import Bounds, Components, Model, Utilisation
from striate.queueing.parameters import Spmd
from striate.queueing.program import Program
from striate.queueing.surface import Choice, Surface, surface

__all__ = [
    "Bounds",
    "Choice",
    "Components",
    "Function",
    "Model",
    "Power",
    "Program",
    "Spmd",
    "Surface",
    "Table",
    "Utilisation",
    "constant",
    "effects",
    "hyperperimeter",
    "inverse",
    "surface",
]
