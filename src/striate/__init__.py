"""Striate: one laboratory for parallel I/O - trace, predict, tune, run and show.

>>> workload = striate.Workload.from_program(program, ranks=16)
>>> cluster = striate.load_cluster("westmere")
>>> print(striate.predict(workload, cluster, within=0.20))
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from striate.cluster import Cluster as Cluster
    from striate.cluster import load_cluster as load_cluster
    from striate.errors import StriateError as StriateError
    from striate.interval import Interval as Interval
    from striate.predict import Forecast as Forecast
    from striate.predict.compare import compare as compare
    from striate.predict.predict import predict as predict
    from striate.show.show import show as show
    from striate.trace.read import read_trace as read_trace
    from striate.trace.region import region as region
    from striate.trace.timeline import Timeline as Timeline
    from striate.trace.trace import Trace as Trace
    from striate.tune.tune import tune as tune
    from striate.workload import Spmd as Spmd
    from striate.workload import Workload as Workload

__version__ = "0.1.0"

# The whole public API: name -> module. Modules are imported when a name is first used, so that starting is quick.
_API = {
    "Cluster": "striate.cluster",
    "Forecast": "striate.predict.forecast",
    "Interval": "striate.interval",
    "Spmd": "striate.workload.spmd",
    "StriateError": "striate.errors",
    "Timeline": "striate.trace.timeline",
    "Trace": "striate.trace.trace",
    "Workload": "striate.workload.workload",
    "compare": "striate.predict.compare",
    "load_cluster": "striate.cluster",
    "predict": "striate.predict.predict",
    "read_trace": "striate.trace.read",
    "region": "striate.trace.region",
    "tune": "striate.tune.tune",
    "show": "striate.show.show",
}
__all__ = sorted([*_API, "__version__"])


def __getattr__(name: str) -> Any:
    if name not in _API:
        raise AttributeError(f"module 'striate' has no attribute {name!r}")
    value = getattr(import_module(_API[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__


class _Verb(ModuleType):
    """A package with the name of its function (`striate.predict`): once imported, it can be called as well."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module(_API[name]), name)(*arguments, **options)


class _Front(ModuleType):
    """This package; an import that sets one of its parts here must not take the place of a function."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _API and isinstance(value, ModuleType):
            value.__class__ = _Verb
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Front
