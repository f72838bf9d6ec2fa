"""Striate: one laboratory for parallel I/O - trace, predict, tune, run and show."""

__version__ = "0.1.0"
