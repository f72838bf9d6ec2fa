"""Types of the native module: columns in, columns out; each caller names what it gets."""

from typing import Any

version: str
kinds: int

def __getattr__(name: str) -> Any: ...
