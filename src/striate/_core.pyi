"""The native engines, untyped: each engine's Python door says what it takes and gives."""

from typing import Any

def __getattr__(name: str) -> Any: ...
