"""Measures a machine: messages, memory, files and CPUs, each number with its range, as a cluster description.

>>> report = measure(ProbeOptions(directory=Path("."), budget_seconds=60))
>>> print(cluster_to_toml(describe(report, name="here")))
"""

from striate.probe.describe import describe
from striate.probe.measure import ProbeOptions, measure
from striate.probe.report import ProbeReport

__all__ = ["ProbeOptions", "ProbeReport", "describe", "measure"]
