"""Options of a tool's command line: each understood, without effect on what is accessed, or refused by name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from striate.errors import WorkloadError
from striate.units import LARGEST

SCALES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}


@dataclass(frozen=True, slots=True)
class OptionTable:
    """The options of one tool, by the names a user writes.

    `understood`: option -> (field, kind of value), where the kind is "flag" (takes none and may be repeated), "bytes",
    "count", "word" or "words" (may be repeated). `without_effect`: option -> whether a value follows. `refused`:
    option -> why. `joined` options have their value in the same word or none (`-R7`).
    """

    tool: str
    understood: Mapping[str, tuple[str, str]]
    without_effect: Mapping[str, bool]
    refused: Mapping[str, str]
    long: Mapping[str, str] = field(default_factory=dict)
    may_be_zero: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()

    def read(self, words: list[str]) -> dict[str, Any]:
        """Fields and their values; raises WorkloadError by the option's name."""
        found: dict[str, Any] = {}
        words = list(words)
        while words:
            option, value = self._next(words)
            if option in self.refused:
                raise self._error(f"{option} is not understood: {self.refused[option]}", option)
            if option in self.without_effect:
                continue
            if option not in self.understood:
                raise self._error(f"unknown option {option!r:.60}", option)
            name, kind = self.understood[option]
            if kind == "flag":
                found[name] = found.get(name, 0) + 1
            elif kind == "words":
                found[name] = [*found.get(name, []), value]
            else:
                found[name] = self.value_of(option, value)
        return found

    def _next(self, words: list[str]) -> tuple[str, str]:
        """Take one option and its value off the words; flags of one letter may stand together (`-wrk`)."""
        word = words.pop(0)
        if not re.match(r"--?[A-Za-z]", word):
            raise WorkloadError(f"expected an option of {self.tool}, got {word!r:.60}", source=self.tool)
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            name = self.long.get(name, name)
            return name, value if equals or not self._takes(name) else self._following(name, words)
        name, rest = word[:2], word[2:].removeprefix("=")
        if name in self.joined:
            return name, rest
        if self._takes(name):
            return name, rest or self._following(name, words)
        if rest and name not in self.refused:
            words.insert(0, f"-{rest}")
        return name, ""

    def _takes(self, name: str) -> bool:
        if name in self.without_effect:
            return self.without_effect[name]
        return self.understood.get(name, ("", "flag"))[1] != "flag"

    def _following(self, name: str, words: list[str]) -> str:
        if not words:
            raise self._error(f"expected a value after {name}", name)
        return words.pop(0)

    def value_of(self, option: str, text: str) -> int | str:
        """The value of an option that is understood and is no flag; raises WorkloadError by the option's name."""
        kind = self.understood[option][1]
        if kind == "word":
            return text
        number = size_of(text) if kind == "bytes" else count_of(text)
        if number is None:
            wanted = "a size such as 4k, 2m or 1g" if kind == "bytes" else "a whole number"
            raise self._error(f"expected {wanted}, got {text!r:.60}", option)
        least = 0 if option in self.may_be_zero else 1
        if not least <= number <= LARGEST:
            raise self._error(f"expected at least {least}, got {text!r:.60}", option)
        return number

    def _error(self, message: str, at: str) -> WorkloadError:
        return WorkloadError(message, at=at, source=self.tool)


def size_of(text: str) -> int | None:
    """Bytes of 4k, 2MiB or 1g, all in powers of two; None for anything else."""
    match = re.fullmatch(r"([0-9]{1,19})\s*([kmgtp]?)i?b?", text.strip(), re.ASCII | re.IGNORECASE)
    return None if match is None else int(match[1]) * SCALES[match[2].lower()]


def count_of(text: str) -> int | None:
    """A whole number; None for anything else."""
    match = re.fullmatch(r"[0-9]{1,19}", text.strip(), re.ASCII)
    return None if match is None else int(match[0])
