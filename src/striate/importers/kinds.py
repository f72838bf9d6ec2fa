"""The kinds of descriptions that `predict` takes in place of a program, and how one is recognised."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from striate.errors import WorkloadError
from striate.importers.command_options import count_of

if TYPE_CHECKING:
    from striate.workload import Workload

DLIO = "dlio:"
# Programs of command lines: the modules of these names have `from_words`, which takes words and the number of ranks.
COMMANDS = ("ior", "mdtest", "fio", "h5bench", "io500")
# What stands before a file's name: the modules have `from_file`, which takes a path and the number of ranks.
DESCRIPTIONS = ("fio:", "h5bench:", "io500:")
# What stands before the file of a machine's sheet; several are joined by " + ". `striate.importers.sheets` reads them.
SHEETS = ("lustre", "beegfs", "gluster", "slurm", "lstopo", "mlperf", "io500")
LAUNCHERS = ("mpirun", "mpiexec", "srun", "aprun", "orterun")
RANK_OPTIONS = ("-n", "-np", "--np", "--ntasks")


def is_dlio(text: str) -> bool:
    """True for `dlio:FILE`, with or without ` x 4 hosts x 8 accelerators` after it."""
    return text.startswith(DLIO)


def is_sheet(name: str) -> bool:
    """True for `lustre:FILE` and its relatives, and for several of them joined by ` + `."""
    return name.partition(":")[0] in SHEETS


def is_command_line(text: str) -> bool:
    """True for the command line of a program in COMMANDS, with or without a launcher before it."""
    words = text.split()
    return len(words) > 1 and (_name(words[0]) in COMMANDS or _name(words[0]) in LAUNCHERS)


def described(text: str) -> tuple[Path, Callable[[Path, int | None], Workload]] | None:
    """The file of `fio:FILE` and its relatives, and what reads it; None for any other text."""
    prefix = text[: text.find(":") + 1]
    if prefix not in DESCRIPTIONS:
        return None
    return Path(text.removeprefix(prefix)), _importer(prefix.removesuffix(":")).from_file


def _importer(name: str) -> Any:
    """The module that knows a tool; none is loaded before it is needed."""
    return importlib.import_module(f"striate.importers.{name}")


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
    started = launched_ranks(words[:place])
    if started is not None and ranks not in (None, started):
        raise WorkloadError(f"the launcher says {started} ranks and --ranks {ranks}", source=text[:60])
    made: Workload = _importer(_name(words[place])).from_words(
        words[place + 1 :], started if started is not None else ranks
    )
    return made


def _name(word: str) -> str:
    return Path(word).name


def launched_ranks(words: list[str]) -> int | None:
    """The number of ranks that a launcher is told; None where none is."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        value = value if equals else following
        if name in RANK_OPTIONS and (ranks := count_of(value)):
            return ranks
    return None
