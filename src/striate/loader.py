"""What the system's loader says of a library that it could not load: in words alone."""

from __future__ import annotations

_NOT_MAPPED = "failed to map segment"  # of a shared object, when memory is short


def lacks_memory(error: ImportError) -> bool:
    """Whether a library was not loaded for want of memory."""
    return _NOT_MAPPED in str(error)
