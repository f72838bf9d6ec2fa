"""TOML as people write it: the one reader of clusters, programs, models, settings and tunings."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from striate.decoders import toml_mistake
from striate.errors import StriateError
from striate.limits import SMALL_FILE, read_bounded


def read_toml(path: str | Path, kind: type[StriateError]) -> dict[str, Any]:
    """The tables of a file; raises `kind`, with the file's name and the line, for what is not TOML."""
    try:
        return parse_toml(read_bounded(path, SMALL_FILE, kind=kind), kind)
    except StriateError as error:
        raise error.in_source(str(path)) from None


def parse_toml(content: bytes | str, kind: type[StriateError]) -> dict[str, Any]:
    """The tables of a text; raises `kind`, with the line of the mistake."""
    try:
        return tomllib.loads(content if isinstance(content, str) else content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise kind("expected UTF-8 text", at=f"byte {error.start}") from None
    except RecursionError:
        raise kind("not TOML: nested too deeply") from None
    except ValueError as error:  # also numbers of more than 4300 digits, which the parser does not expect
        message, where = toml_mistake(error)
        raise kind(f"not TOML: {ascii(message)[1:-1]}", at=where) from None
