"""What takes a pass over all rows of a trace is worked out once and kept as long as the trace lives."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

if TYPE_CHECKING:
    from striate.trace.trace import Trace

T = TypeVar("T")


def kept(function: Callable[[Trace], T]) -> Callable[[Trace], T]:
    """A function of a trace that remembers its answers; a trace never changes, and arrays that are kept cannot be."""
    found: WeakKeyDictionary[Trace, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(trace: Trace) -> T:
        if trace not in found:
            made = function(trace)
            if isinstance(made, np.ndarray):
                made.setflags(write=False)
            found[trace] = made
        return found[trace]

    return answer
