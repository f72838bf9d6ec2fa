"""The space: knobs with the values each may take, and the candidates they make."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from striate.errors import TuningError

Value = str | int | float | bool
MOST_GRID = 100_000  # candidates of an exhaustive search; beyond this a sample is asked for


@dataclass(frozen=True, slots=True)
class Knob:
    """One thing to vary; the values stand in the order of preference, which decides between equals."""

    name: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise TuningError("expected one value at least", at=f"$.vary.{self.name}")
        if any(not isinstance(value, Value) for value in self.values):
            raise TuningError(
                f"expected strings and numbers as values of the knob (setting) {self.name}, got another type",
                at=f"$.vary.{self.name}",
            )
        if len({_identity(value) for value in self.values}) < len(self.values):
            raise TuningError("expected every value once", at=f"$.vary.{self.name}")


def _identity(value: Value) -> tuple[str, Value]:
    return type(value).__name__, value


@dataclass(frozen=True, slots=True)
class Candidate:
    """One setting of every knob, and its number in the grid; the one without a knob has number -1."""

    number: int
    settings: dict[str, Value]

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.settings.items()) or "as it is"


NOW = Candidate(-1, {})  # no knob turned: what runs without tuning


@dataclass(frozen=True, slots=True)
class Space:
    """All combinations of the knobs' values, numbered as the grid is walked: the last knob moves first."""

    knobs: tuple[Knob, ...]

    @classmethod
    def of(cls, vary: Mapping[str, Sequence[Value]]) -> Space:
        """The space of `{"unit": ["64 KiB", "1 MiB"], "servers": [4, 8]}`; refuses no knobs at all."""
        if not vary:
            raise TuningError("expected one knob at least", at="$.vary")
        for name, values in vary.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise TuningError(
                    f"expected a list of values for the knob (setting) {name}, got {values!r:.60}",
                    at=f"$.vary.{name}",
                )
        return cls(tuple(Knob(name, tuple(values)) for name, values in vary.items()))

    @property
    def size(self) -> int:
        return math.prod(len(knob.values) for knob in self.knobs)

    def candidate(self, number: int) -> Candidate:
        """The candidate with that number in the grid."""
        assert 0 <= number < self.size
        rest, chosen = number, []
        for knob in reversed(self.knobs):
            rest, at = divmod(rest, len(knob.values))
            chosen.append((knob.name, knob.values[at]))
        return Candidate(number, dict(reversed(chosen)))

    def number_of(self, places: Sequence[int]) -> int:
        """The number of the candidate whose knobs stand at `places` of their values."""
        number = 0
        for knob, place in zip(self.knobs, places, strict=True):
            number = number * len(knob.values) + place
        return number

    def grid(self) -> Iterator[Candidate]:
        """Every candidate; refuses more than can be walked."""
        if self.size > MOST_GRID:
            raise TuningError(
                f"expected at most {MOST_GRID:,} candidates (combinations of values) in a grid, got {self.size:,}; "
                'use the search "random" or "bayes" instead'
            )
        return (self.candidate(number) for number in range(self.size))

    def sample(self, count: int, seed: int) -> list[Candidate]:
        """`count` different random candidates, or all of them, in the order of the grid."""
        if count >= self.size:
            return list(self.grid())
        drawn = random.Random(seed).sample(range(self.size), count)
        return [self.candidate(number) for number in sorted(drawn)]
