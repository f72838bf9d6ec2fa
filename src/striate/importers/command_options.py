"""Options of IOR and mdtest, read as their parser does: each understood, without effect, or refused by name.

Since IOR 3.3 the parser tries every letter of a word as an option, those of a joined value too: `-t64k` is also
`-k=64`, which keeps the files, and `-b128kib` also `-i=128k`, which repeats the test 131,072 times.
"""

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
    option -> why.
    """

    tool: str
    understood: Mapping[str, tuple[str, str]]
    without_effect: Mapping[str, bool]
    refused: Mapping[str, str]
    long: Mapping[str, str] = field(default_factory=dict)
    may_be_zero: frozenset[str] = frozenset()

    def read(self, words: list[str]) -> dict[str, Any]:
        """Fields and their values; raises WorkloadError by the option's name."""
        found: dict[str, Any] = {}
        words = list(words)
        while words:
            word = words.pop(0)
            if not re.match(r"--?[A-Za-z]", word):
                raise WorkloadError(
                    f"expected a command-line option of {self.tool}, got {word!r:.60}", source=self.tool
                )
            if word.startswith("--"):
                name, equals, text = word.partition("=")
                name = self.long.get(name, name)
                given = text if equals else self._following(name, words) if self._takes(name) else None
                self._set(found, name, given)
            else:
                self._read_letters(found, word, words)
        return found

    def _read_letters(self, found: dict[str, Any], word: str, words: list[str]) -> None:
        """Every letter of the word is an option; the first that takes a value takes the rest, or the next word.

        All letters after it are given the same value. What is no option is passed over behind a value, and digits
        everywhere, as IOR passes them over.
        """
        letters, equals, text = word[1:].partition("=")
        value = text or None
        joined = False
        for place, letter in enumerate(letters):
            name = f"-{letter}"
            if not letter.isalpha() or (joined and not self._known(name)):
                continue
            if self._takes(name) and value is None:
                if equals:
                    raise self._error(f"expected a value after {name}", name)
                joined = place == 0 and len(letters) > 1
                value = letters[1:] if joined else self._following(name, words)
                self._set(found, name, value)
                continue
            try:
                self._set(found, name, value)
            except WorkloadError as error:
                if not joined:
                    raise
                begin = f"{self.tool} reads {name} in {word!r:.60} as an option, too"
                hint = f"write {word[:2]} and its value as two words ({error.message})"
                raise self._error(f"{begin}; {hint}", word[:2]) from None

    def _set(self, found: dict[str, Any], option: str, value: str | None) -> None:
        """Take one option into the fields; a flag with a value is as many as its leading digits say."""
        if option in self.refused:
            raise self._error(f"{option} is not supported: {self.refused[option]}", option)
        if option in self.without_effect:
            return
        if option not in self.understood:
            raise self._error(f"unknown option {option!r:.60}", option)
        name, kind = self.understood[option]
        if kind == "flag":
            found[name] = found.get(name, 0) + 1 if value is None else _leading_number(value)
        elif kind == "words":
            found[name] = [*found.get(name, []), value]
        else:
            found[name] = self.value_of(option, value or "")

    def _known(self, name: str) -> bool:
        return name in self.understood or name in self.without_effect or name in self.refused

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
        number = size_of(text)  # of counts, too: `-s 1k` is 1,024 segments
        if number is None:
            wanted = "a size such as 4k, 2m or 1g" if kind == "bytes" else "a whole number, or one such as 4k"
            raise self._error(f"expected {wanted}, got {text!r:.60}", option)
        least = 0 if option in self.may_be_zero else 1
        if not least <= number <= LARGEST:
            raise self._error(
                f"expected a value from {least} to 2^63 - 1 for {option}, got {text!r:.60}", option
            )
        return number

    def _error(self, message: str, at: str) -> WorkloadError:
        return WorkloadError(message, at=at, source=self.tool)


def size_of(text: str) -> int | None:
    """Bytes of 4k, 2MiB or 1g, all in powers of two; None for anything else."""
    match = re.fullmatch(r"([0-9]{1,19})\s*([kmgtp]?)i?b?", text.strip(), re.ASCII | re.IGNORECASE)
    return None if match is None else int(match[1]) * SCALES[match[2].lower()]


def _leading_number(text: str) -> int:
    """What C's atoi reads, and 0 for less."""
    match = re.match(r"\s*\+?([0-9]{1,9})", text, re.ASCII)
    return int(match[1]) if match else 0


def count_of(text: str) -> int | None:
    """A whole number; None for anything else."""
    match = re.fullmatch(r"[0-9]{1,19}", text.strip(), re.ASCII)
    return None if match is None else int(match[0])
