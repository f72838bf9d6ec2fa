"""Striate: one laboratory for parallel I/O - trace, predict, tune, run and show.

>>> workload = striate.Workload.from_program(program, ranks=16)
>>> cluster = striate.load_cluster("westmere")
>>> print(striate.predict(workload, cluster, within=0.20))
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from striate.cluster import Cluster as Cluster
    from striate.cluster import load_cluster as load_cluster
    from striate.errors import StriateError as StriateError
    from striate.evaluate.compare import compare as compare
    from striate.formats.read import read_trace as read_trace
    from striate.interval import Interval as Interval
    from striate.ladder import Forecast as Forecast
    from striate.ladder.predict import predict as predict
    from striate.pages.show import show as show
    from striate.record.region import region as region
    from striate.trace.trace import Trace as Trace
    from striate.tuning.tune import tune as tune
    from striate.workload import Spmd as Spmd
    from striate.workload import Workload as Workload

__version__ = "0.1.0"

# The whole public API: name -> module. Modules are imported when a name is first used, so that starting is quick.
_API = {
    "Cluster": "striate.cluster",
    "Forecast": "striate.ladder.forecast",
    "Interval": "striate.interval",
    "Spmd": "striate.workload.spmd",
    "StriateError": "striate.errors",
    "Trace": "striate.trace.trace",
    "Workload": "striate.workload.workload",
    "compare": "striate.evaluate.compare",
    "load_cluster": "striate.cluster",
    "predict": "striate.ladder.predict",
    "read_trace": "striate.formats.read",
    "region": "striate.record.region",
    "tune": "striate.tuning.tune",
    "show": "striate.pages.show",
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
