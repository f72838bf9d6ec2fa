"""Settings of `create` from a TOML file, so that a program need not be changed when its layout is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from striate import units
from striate.errors import DatasetError, StriateError
from striate.toml import read_toml

_WHOLE = ("servers", "group_factor")
_SIZES = ("chunk", "buffer")


def read_settings(path: str | os.PathLike[str] | None = None) -> dict[str, Any]:
    """Keyword arguments for `create`: `create(comm, path, shape, dtype, **read_settings())`.

    Without a path, the file that the environment variable STRIATE_RUNTIME names is read; where it names none there
    are no settings. Keys: servers, group_factor, chunk, buffer, codec ("none", "auto" or a name), sync, layout (text of
    `striate.layout`). Raises DatasetError, with the key, for anything else.
    """
    path = os.environ.get("STRIATE_RUNTIME") if path is None else path
    if not path:
        return {}
    table = read_toml(Path(path), DatasetError)
    try:
        return {key: _checked(key, value) for key, value in table.items()}
    except StriateError as error:
        raise DatasetError(error.message, at=error.at, source=str(path)) from None


def _checked(key: str, value: Any) -> Any:
    if key in _WHOLE and isinstance(value, int) and not isinstance(value, bool):
        return value
    if key in _SIZES:
        return units.size(value)
    if key == "sync" and isinstance(value, bool):
        return value
    if key == "codec" and isinstance(value, str):
        return None if value == "none" else value
    if key == "layout" and isinstance(value, str):
        from striate.layout import parse

        return parse(value)
    known = ", ".join((*_WHOLE, *_SIZES, "codec", "sync", "layout"))
    raise DatasetError(
        f"expected a setting among {known} with a value of its type, got the value {value!r:.60}",
        at=f"$.{key}",
    )
