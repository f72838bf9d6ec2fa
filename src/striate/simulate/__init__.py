"""Unmodified mpi4py programs on a simulated machine: their Python code runs, their messages and files are simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from striate.simulate.record import record_program as record_program

__all__ = ["record_program"]


def __getattr__(name: str) -> Any:
    """`record_program`, imported when it is asked for: the processes of ranks need this package and not that."""
    if name != "record_program":
        raise AttributeError(f"module 'striate.simulate' has no attribute {name!r}")
    from striate.simulate.record import record_program

    return record_program
