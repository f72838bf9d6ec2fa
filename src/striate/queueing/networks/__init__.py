"""Closed queueing networks: one file per kind of machine, their bounds and their solvers."""
