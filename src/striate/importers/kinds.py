"""The kinds of descriptions that `predict` takes in place of a program, and how one is recognised."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from striate.errors import WorkloadError

if TYPE_CHECKING:
    from striate.workload import Workload

DLIO = "dlio:"


def _ior(words: list[str], ranks: int | None) -> Workload:
    from striate.importers import ior

    return ior.from_words(words, ranks)


# The program of a command line -> what makes its workload of its words and the number of ranks.
COMMANDS: dict[str, Callable[[list[str], int | None], Workload]] = {"ior": _ior}
LAUNCHERS = ("mpirun", "mpiexec", "srun", "aprun", "orterun")
RANK_OPTIONS = ("-n", "-np", "--np", "--ntasks")


def is_dlio(text: str) -> bool:
    """True for `dlio:FILE`, with or without ` x 4 hosts x 8 accelerators` after it."""
    return text.startswith(DLIO)


def is_command_line(text: str) -> bool:
    """True for the command line of a program in COMMANDS, with or without a launcher before it."""
    words = text.split()
    return len(words) > 1 and (_name(words[0]) in COMMANDS or _name(words[0]) in LAUNCHERS)


def from_command_line(text: str, ranks: int | None) -> Workload:
    """The workload of a command line; `ranks` is what the launcher before it does not say."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise WorkloadError(f"not a command line: {error}", source=text[:60]) from None
    place = next((place for place, word in enumerate(words) if _name(word) in COMMANDS), None)
    if place is None:
        known = ", ".join(COMMANDS)
        raise WorkloadError(f"expected the command line of one of {known}", source=text[:60])
    started = _launched(words[:place])
    if started is not None and ranks not in (None, started):
        raise WorkloadError(f"the launcher says {started} ranks and --ranks {ranks}", source=text[:60])
    return COMMANDS[_name(words[place])](words[place + 1 :], started if started is not None else ranks)


def _name(word: str) -> str:
    return Path(word).name


def _launched(words: list[str]) -> int | None:
    """The number of ranks that a launcher is told; None where none is."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        value = value if equals else following
        if name in RANK_OPTIONS and value.isdigit() and int(value) > 0:
            return int(value)
    return None
