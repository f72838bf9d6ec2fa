"""Models from TOML: one `[spmd]` table, or several `[[phase]]` tables, in the words of `SpmdParameters`."""

from __future__ import annotations

import difflib
import inspect
from pathlib import Path
from typing import Any

from striate.errors import QueueingError, StriateError
from striate.queueing.model import Model
from striate.queueing.parameters import SpmdParameters
from striate.queueing.program import Program, Solvable
from striate.toml import read_toml

_CHOICES = ("kind", "solver", "loops")
_PARAMETERS = tuple(name for name in inspect.signature(SpmdParameters.__init__).parameters if name != "self")


def load_model(path: str | Path) -> Solvable:
    """The model a TOML file describes; a `Program` when it has `[[phase]]` tables.

    `kind`, `solver` and `loops` may stand at the top, for all phases, or in a phase. Refuses with the path of
    the mistake inside the file.
    """
    path = Path(path)
    try:
        return read_model(read_toml(path, QueueingError))
    except QueueingError as error:
        raise error.in_source(str(path)) from error


def read_model(document: dict[str, Any]) -> Solvable:
    """The model of a document already parsed."""
    _refuse_unknown(document, (*_CHOICES, "spmd", "phase"), at="$")
    if ("spmd" in document) == ("phase" in document):
        raise QueueingError(
            "expected either a table [spmd] or tables [[phase]], found the keys "
            + (", ".join(document) or "none")
        )
    choices = {name: document[name] for name in _CHOICES if name in document}
    if "spmd" in document:
        return _read_phase(document["spmd"], choices, at="$.spmd")
    phases = document["phase"]
    if not isinstance(phases, list):
        raise QueueingError(f"expected a list of tables [[phase]], found {phases!r:.40}", at="$.phase")
    read = [_read_phase(phase, choices, at=f"$.phase[{index}]") for index, phase in enumerate(phases)]
    return Program(tuple(read))


def _read_phase(table: Any, choices: dict[str, Any], *, at: str) -> Model:
    if not isinstance(table, dict):
        raise QueueingError(f"expected a table, got {table!r:.40}", at=at)
    _refuse_unknown(table, (*_CHOICES, *_PARAMETERS), at=at)
    if "parallel_seconds" not in table:
        raise QueueingError(
            "expected parallel_seconds, the compute time that is divided by the number of processors, "
            "found none",
            at=at,
        )
    chosen = choices | {name: table[name] for name in _CHOICES if name in table}
    for name, value in chosen.items():
        if not isinstance(value, str):
            raise QueueingError(f"expected text, got {value!r:.40}", at=f"{at}.{name}")
    try:
        return Model(
            SpmdParameters(**{name: value for name, value in table.items() if name not in _CHOICES}), **chosen
        )
    except StriateError as error:
        raise QueueingError(error.message, at=f"{at}.{error.at}" if error.at else at) from error


def _refuse_unknown(table: dict[str, Any], known: tuple[str, ...], *, at: str) -> None:
    for name in table:
        if name not in known:
            raise QueueingError(f"unknown key {name[:60]!r}; {_hint(name, known)}", at=at)


def _hint(name: str, known: tuple[str, ...]) -> str:
    if name in _PARAMETERS:
        return "it belongs below [spmd], or [[phase]]"
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known keys are {', '.join(known)}"
