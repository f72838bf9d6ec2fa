"""Runs a plug-in's code: whatever it does wrong becomes one line that names its file, kind and name."""

from __future__ import annotations

import ctypes
import os
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, TypeVar

from striate.errors import PluginError

T = TypeVar("T")

SECONDS = "STRIATE_PLUGIN_SECONDS"  # how long one call of a plug-in may take
_USUAL_SECONDS = 10.0
_LONGEST_WORDS = 200


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A class of a plug-in file, or of an entry point, with what it said about itself."""

    source: str
    kind: str
    name: str
    make: Callable[..., Any]

    def error(self, message: str) -> PluginError:
        """The refusal of this plug-in."""
        return PluginError(" ".join(message.split()), at=f"{self.kind} {self.name}", source=self.source)

    def call(self, what: str, function: Callable[..., T], *values: Any) -> T:
        """`function(*values)`, a call of the plug-in's own code; raises PluginError when it fails or never ends."""
        try:
            with _WATCH:
                return function(*values)
        except PluginError:
            raise
        except _TooLongError:
            raise self.error(f"the call of `{what}` never ends: no answer for {call_limit():g} s") from None
        except (Exception, SystemExit) as error:
            raise self.error(f"`{what}` raises {told(error, self.source)}") from error

    def made(self, *values: Any) -> Any:
        """An object of the plug-in's class."""
        return self.call("__init__", self.make, *values)


def told(error: BaseException, source: str) -> str:
    """The exception in some words, with the line of the plug-in's file where it was raised."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == source]
    line = frames[-1].lineno if frames else getattr(error, "lineno", None)
    where = f" (line {line})" if line else ""
    return f"{type(error).__name__}: {shorten(str(error), _LONGEST_WORDS, placeholder='...')}{where}"


class _TooLongError(BaseException):
    """Raised inside a plug-in that does not return; no `except Exception` of its own stops it."""


def call_limit() -> float:
    """Seconds that one call of a plug-in may take."""
    try:
        return float(os.environ.get(SECONDS, _USUAL_SECONDS))
    except ValueError:
        raise PluginError(
            f"expected a number of seconds, got {os.environ[SECONDS]!r:.60}", at=f"${SECONDS}"
        ) from None


class _Watch:
    """Ends a call of a plug-in, in whatever thread, that takes longer than the limit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._since: dict[int, float] = {}  # by thread
        self._fired: set[int] = set()
        self._limit = _USUAL_SECONDS

    def __enter__(self) -> None:
        self._limit = call_limit()
        if self._thread is None:
            self._thread = threading.Thread(target=self._look, daemon=True, name="plug-in watch")
            self._thread.start()
        self._since[threading.get_ident()] = time.monotonic()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        who = threading.get_ident()
        with self._lock:
            self._since.pop(who, None)
            late = who in self._fired
            self._fired.discard(who)
        if late and kind is not _TooLongError:  # on its way: it must reach nobody but us
            time.sleep(1)

    def _look(self) -> None:
        while True:
            time.sleep(min(0.1, self._limit / 4))
            with self._lock:
                for who, since in list(self._since.items()):
                    if who not in self._fired and time.monotonic() - since >= self._limit:
                        self._fired.add(who)
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(
                            ctypes.c_ulong(who), ctypes.py_object(_TooLongError)
                        )


_WATCH = _Watch()
