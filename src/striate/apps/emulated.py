"""Reads a TOML file that describes an emulated application: `app = "titan"` and its parameters."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from striate.apps import titan, vmscope
from striate.errors import StriateError, WorkloadError
from striate.workload.flows import BlockFlows

APPS: dict[str, Callable[..., BlockFlows]] = {"titan": titan.flows, "vmscope": vmscope.flows}
_MOST_BYTES = 1 << 20


def load(path: Path) -> BlockFlows:
    """The stream that the file describes; refuses unknown applications, keys and values, naming their path."""
    try:
        content = path.read_bytes()
        if len(content) > _MOST_BYTES:
            raise WorkloadError(f"expected at most {_MOST_BYTES} bytes, got {len(content)}")
        return from_tables(tomllib.loads(content.decode()))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise WorkloadError(f"not TOML: {error}", source=str(path)) from None
    except StriateError as error:
        raise WorkloadError(error.message, at=error.at, source=str(path)) from None


def from_tables(tables: dict[str, Any]) -> BlockFlows:
    """The same from tables already read."""
    app = tables.get("app")
    if app not in APPS:
        raise WorkloadError(f"expected one of {', '.join(APPS)}, got {app!r:.60}", at="$.app")
    make = APPS[app]
    defaults = {name: parameter.default for name, parameter in inspect.signature(make).parameters.items()}
    values = {}
    for key, value in tables.items():
        if key == "app":
            continue
        if key not in defaults:
            raise WorkloadError(
                f"{app} has no parameter {key!r:.60}; there are {', '.join(defaults)}", at=f"$.{key}"
            )
        values[key] = like(defaults[key], value, f"$.{key}")
    try:
        return make(**values)
    except StriateError as error:
        raise WorkloadError(error.message, at=error.at) from None


def like(default: Any, value: Any, at: str) -> Any:
    """`value` in the shape of `default`: a whole number, a number, a list of numbers, or a quantity with a unit."""
    if isinstance(default, tuple):
        sound = isinstance(value, list) and len(value) == len(default)
        if not sound:
            raise WorkloadError(f"expected {len(default)} numbers, got {value!r:.60}", at=at)
        return tuple(
            like(kind, item, f"{at}[{i}]") for i, (kind, item) in enumerate(zip(default, value, strict=True))
        )
    wanted: tuple[type, ...] = (bool,)
    if isinstance(default, str):
        wanted = (str, int, float)
    elif isinstance(default, float):
        wanted = (int, float)
    elif not isinstance(default, bool):
        wanted = (int,)
    if isinstance(value, bool) != (wanted == (bool,)) or not isinstance(value, wanted):
        raise WorkloadError(f"expected a value like {default!r}, got {value!r:.60}", at=at)
    return value
