"""`Tuned`: the settings that a search chose, as a TOML file that `striate apply` reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import tomli_w

from striate.decoders import json_mistake
from striate.errors import TuningError
from striate.interval import Interval
from striate.toml import read_toml
from striate.tuning.space import Value
from striate.tuning.study import Study

SCHEMA = "striate.tuned/1"


class Tuned(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The program, the settings chosen for it, and the seconds predicted with and without them."""

    schema: str = SCHEMA
    program: str  # the name of an app, or of the file that the program was read from
    cluster: str
    predicted: Interval
    now: Interval | None = None  # predicted without any knob turned
    finished: bool = True
    parameters: dict[str, Any] = {}  # of the app
    settings: dict[str, Value]
    ties: list[dict[str, Value]] = []
    costs: dict[str, Any] = {}
    provenance: dict[str, Any] = {}

    @classmethod
    def of(cls, study: Study, *, program: str, parameters: dict[str, Any], costs: dict[str, Any]) -> Tuned:
        """What a study chose; raises TuningError when everything was refused."""
        assert study.best.seconds is not None
        return cls(
            program=program,
            cluster=study.cluster,
            predicted=study.best.seconds,
            now=study.now.seconds,
            finished=study.finished,
            parameters=parameters,
            settings=study.best.candidate.settings,
            ties=[outcome.candidate.settings for outcome in study.ties[:20]],
            costs=costs,
            provenance=msgspec.to_builtins(study.provenance),
        )

    def to_toml(self) -> str:
        """The text that `load` reads back; what is None is left out."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return tomli_w.dumps({key: value for key, value in plain.items() if value is not None})

    @classmethod
    def load(cls, path: Path) -> Tuned:
        """Read what `to_toml` wrote; raises TuningError, with the path of the mistake, on anything else."""
        try:
            found = msgspec.convert(read_toml(path, TuningError), cls)
        except msgspec.ValidationError as error:
            message, at = json_mistake(error)
            raise TuningError(f"not a tuning: {message}", at=at, source=str(path)) from None
        if found.schema != SCHEMA:
            raise TuningError(f"expected schema {SCHEMA!r}, got {found.schema!r:.60}", source=str(path))
        return found
