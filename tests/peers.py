"""Other tools that tests compare with: a wheel that is missing or broken is a skip that says so, never an error."""

import importlib
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


def peer(module: str) -> ModuleType:
    """A module of a peer; one whose own library is missing may raise anything when it is imported."""
    try:
        return importlib.import_module(module)
    except Exception as error:
        pytest.skip(f"{module} cannot be imported: {type(error).__name__}: {str(error).splitlines()[0]}")


def pydarshan() -> ModuleType:
    """PyDarshan; its wheel for some Python versions lacks its library."""
    return peer("darshan")


def pydarshan_logs() -> list[Path]:
    """The example logs inside PyDarshan's wheel, found without an import of it."""
    found = importlib.util.find_spec("darshan")
    folders = found.submodule_search_locations if found else None
    return sorted(path for folder in folders or [] for path in Path(folder).rglob("*.darshan"))
