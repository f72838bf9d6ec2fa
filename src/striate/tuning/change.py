"""One change to make: MPI hints, commands, environment, code, arguments of our runtime."""

from __future__ import annotations

from dataclasses import dataclass, field

from striate.tuning.space import Value


@dataclass(frozen=True, slots=True)
class Change:
    """What to do, in as many forms as there are: MPI hints, commands, environment, code, arguments of our runtime."""

    words: str
    hints: dict[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    code: str = ""
    runtime: dict[str, Value] = field(default_factory=dict)
