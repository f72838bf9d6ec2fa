"""Runs a user's Python file as the program it is; its own mistakes are reported by the line they are on."""

from __future__ import annotations

import runpy
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from striate.errors import WorkloadError

T = TypeVar("T")


def names_of(path: Path) -> dict[str, Any]:
    """What the file defines; raises WorkloadError when it is missing or fails."""
    if not path.is_file():
        raise WorkloadError("no such file", source=str(path))
    return guarded(path, lambda: runpy.run_path(str(path), run_name="striate_program"))


def guarded(path: Path, make: Callable[[], T]) -> T:
    """Call the user's code; raises WorkloadError with the line of `path` where it failed."""
    try:
        return make()
    except WorkloadError as error:
        raise error.in_source(str(path)) from None
    except (Exception, SystemExit) as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = frames[-1].lineno if frames else getattr(error, "lineno", None)
        at = f"line {line}" if line else None
        raise WorkloadError(f"{type(error).__name__}: {error}", at=at, source=str(path)) from None
