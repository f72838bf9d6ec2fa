"""Strips of the file system from lambda: what a rank writes at a time lies on one server (thesis 003, section 6.3)."""

from __future__ import annotations

from striate.apps.pmc3.format import SampleFormat
from striate.errors import LayoutError
from striate.layout.distributions.varstrip import VarStrip
from striate.layout.mapped.temporal import is_balanced


def strips_of(samples: SampleFormat, ranks: int) -> VarStrip:
    """A round of one strip per rank, each of the lines that the rank keeps before a write, on a server of its own.

    Refuses runs that the ranks cannot share evenly: cold chains would move between ranks, and their lines to other
    servers.
    """
    if not is_balanced(samples.runs, ranks):
        raise LayoutError(
            f"expected a number of runs that is a multiple of the {ranks} ranks, got {samples.runs} runs"
        )
    return VarStrip([(rank, samples.round_bytes // ranks) for rank in range(ranks)])
