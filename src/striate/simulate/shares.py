"""What ranks spent their time on, from the timeline of a played run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from striate.trace.kinds import COLLECTIVES, IO, KINDS, MESSAGES
from striate.trace.trace import Trace

GROUPS: Mapping[str, tuple[str, ...]] = {
    "computing": ("compute",),
    "messages": MESSAGES,
    "collectives": COLLECTIVES,
    "files": IO,
}


def time_shares(timeline: Trace) -> dict[str, float]:
    """The share of the ranks' time, all ranks together, that each group of calls took; the rest is waiting to end."""
    rows = timeline.of_ranks()
    kind, lasted = rows.column("kind"), rows.column("end") - rows.column("start")
    whole = timeline.seconds * 1e9 * timeline.ranks
    if not whole:
        return {}
    return {
        name: float(lasted[np.isin(kind, [KINDS.index(one) for one in kinds])].sum() / whole)
        for name, kinds in GROUPS.items()
    }


def shares_words(shares: Mapping[str, float]) -> str:
    """One line: "time of ranks: 60 % computing, 5 % messages"."""
    told = [f"{share:.0%} {name}" for name, share in shares.items() if share >= 0.005]
    return "time of ranks: " + (", ".join(told) or "less than 1 % in any kind of call")
