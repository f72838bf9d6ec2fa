"""The kinds of descriptions that `predict` takes in place of a program, and how one is recognised."""

from __future__ import annotations

import importlib
import itertools
import re
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
LAUNCHERS = ("mpirun", "mpiexec", "srun", "aprun", "orterun", "prun", "flux", "jsrun")
RANK_OPTIONS = ("-n", "-np", "--np", "--ntasks")
# Where the number of ranks is not said itself: options whose values are multiplied, by the launcher.
RANK_FACTORS = {
    "srun": (("-N", "--nodes"), ("--ntasks-per-node", "--tasks-per-node")),
    "flux": (("-N", "--nodes"), ("--tasks-per-node",)),
    "jsrun": (("-n", "--nrs"), ("-a", "--tasks_per_rs")),
}
JSRUN_RANKS = ("-p", "--np")  # its -n counts resource sets
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=", re.ASCII)  # a variable of the environment before the command


def is_dlio(text: str) -> bool:
    """True for `dlio:FILE`, with or without ` x 4 hosts x 8 accelerators` after it."""
    return text.startswith(DLIO)


def is_sheet(name: str) -> bool:
    """True for `lustre:FILE` and its relatives, and for several of them joined by ` + `."""
    return name.partition(":")[0] in SHEETS


def is_command_line(text: str) -> bool:
    """True for the command line of a program in COMMANDS, with or without a launcher before it."""
    words = _after_variables(text.split())
    return len(words) > 1 and _name(words[0]) in (*COMMANDS, *LAUNCHERS)


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
        words = _after_variables(shlex.split(text))
    except ValueError as error:
        raise WorkloadError(f"not a command line: {error}", source=text[:60]) from None
    place = next((place for place, word in enumerate(words) if _name(word) in COMMANDS), None)
    if place is None:
        known = ", ".join(COMMANDS)
        raise WorkloadError(
            f"expected a command line that runs one of {known}, found none of these programs",
            source=text[:60],
        )
    started = launched_ranks(words[:place])
    if started is not None and ranks not in (None, started):
        raise WorkloadError(
            f"expected --ranks {started}, the number of ranks that the launcher starts, got --ranks {ranks}",
            source=text[:60],
        )
    made: Workload = _importer(_name(words[place])).from_words(
        words[place + 1 :], started if started is not None else ranks
    )
    return made


def _name(word: str) -> str:
    return Path(word).name.lower()  # older binaries are called IOR


def _after_variables(words: list[str]) -> list[str]:
    """The words after `NAME=VALUE ...`, with which a shell sets variables of the environment."""
    return list(itertools.dropwhile(lambda word: _ASSIGNED.match(word) is not None, words))


def launched_ranks(words: list[str]) -> int | None:
    """The number of ranks that a launcher is told, also by nodes and ranks of each; None where it is not."""
    launcher = _name(words[0]) if words else ""
    ranks = _told(words, JSRUN_RANKS if launcher == "jsrun" else RANK_OPTIONS)
    if ranks is not None or launcher not in RANK_FACTORS:
        return ranks
    many, each = (_told(words, names) for names in RANK_FACTORS[launcher])
    if launcher == "jsrun" and many is not None:
        return many * (each or 1)
    return many * each if many is not None and each is not None else None


def _told(words: list[str], names: tuple[str, ...]) -> int | None:
    """The first count after one of the options: `-n 4`, `-n4`, `--ntasks=4`."""
    for word, following in zip(words, [*words[1:], ""], strict=False):
        name, equals, value = word.partition("=")
        short = next((one for one in names if len(one) == 2 and word.startswith(one)), None)
        text = value if equals else following
        if name not in names and short is not None:
            name, text = short, word[2:]
        if name in names and (count := count_of(text)):
            return count
    return None
