"""Comma-separated values: the table of `Trace.to_arrow`, for whatever reads nothing else."""

from __future__ import annotations

from striate.spreadsheet import csv_of
from striate.trace.trace import Trace


def encode(trace: Trace) -> bytes:
    """The whole file, with a header line; missing names are empty."""
    return csv_of(trace.to_arrow())
