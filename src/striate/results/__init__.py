"""The results store: every forecast, probe, validation and tuning run in one SQLite file (thesis 003, A.5.5).

>>> striate.results.append("results.db", Entry("predict", workload="jacobi", cluster="westmere"))
>>> striate.results.entries("results.db", Filter(kind="predict"))
"""

from striate.results.entry import Entry, Filter
from striate.results.store import append, entries

__all__ = ["Entry", "Filter", "append", "entries"]
