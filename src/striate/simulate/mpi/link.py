"""A rank's connection to the coordinator, and the clock of its computing."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

from striate.simulate.wire import Channel, Errand, RankCall, RankSettings, put, take

Class = TypeVar("Class", bound=type)
OWN = ("striate.simulate.", "contextlib", "runpy", "importlib.")
MOST_KEPT_BYTES = 64 * 1024**2  # of messages that wait for the next call with an answer
UNTIMED = ("begin", "go_on", "region", "sleep", "plain")  # calls that are none of MPI's
LOOK = 1e-7  # seconds: what a look at the clock takes


class RankLink:
    """Keeps calls that need no answer, sends them with one that does, and measures what is computed in between."""

    def __init__(self, connection: Channel, rank: int, settings: RankSettings) -> None:
        self.rank = rank
        self.settings = settings
        self.errands: dict[int, Callable[..., Any]] = {}  # what this rank does for others while it waits
        self._connection = connection
        self._kept: list[RankCall] = []
        self._kept_bytes = 0
        self._now = 0.0  # estimated, when the last answer came
        self._ahead = 0.0  # since then
        self._handles = 0
        self._lock = threading.RLock()  # a program's threads write files while it makes calls
        self._main = threading.get_ident()
        self._depth = 0
        self._computed = 0.0  # since the last call
        self._mark = time.process_time()

    def new_handle(self) -> int:
        """The next number for a request, or for an errand."""
        self._handles += 1
        return self._handles

    def tell(self, name: str, *arguments: Any, size: int = 0) -> None:
        """Make a call that needs no answer; `size` are the bytes it carries."""
        with self._lock:
            self._keep(name, arguments)
            self._ahead += self.settings.call_seconds
            self._kept_bytes += size
            if self._kept_bytes > MOST_KEPT_BYTES:
                self.ask("go_on")

    def ask(self, name: str, *arguments: Any) -> Any:
        """Make a call and wait for its answer."""
        with self._lock:
            sys.stdout.flush()
            self._keep(name, arguments)
            kept, self._kept, self._kept_bytes = self._kept, [], 0
            put(self._connection, kept)
            return self._answer()

    def _keep(self, name: str, arguments: tuple[Any, ...]) -> None:
        given = self.settings.compute_seconds
        seconds = self._computed if given is None else (0.0 if name in UNTIMED else given)
        self._ahead += seconds * self.settings.cpu_scale
        self._computed = 0.0
        self._kept.append(RankCall(name, seconds, caller(), arguments))

    def _answer(self) -> Any:
        while True:
            try:
                self._now, answer = take(self._connection)
            except EOFError:
                raise SystemExit(1) from None  # the coordinator has ended the run
            self._ahead = 0.0
            if not isinstance(answer, Errand):
                return answer
            try:
                found = self.errands[answer.number](*answer.arguments)
                put(self._connection, (True, found))
            except Exception as error:  # of the program's own operation, or of its memory
                put(self._connection, (False, f"{type(error).__name__}: {error}"))

    def wtime(self) -> float:
        """Estimated simulated seconds; every look at the clock takes a moment."""
        with self._lock:
            self._ahead += LOOK
            computed = self._computed if self.settings.compute_seconds is None else 0.0
            return self._now + self._ahead + computed * self.settings.cpu_scale

    def leave_program(self) -> None:
        """From now on it is the stand-in that works."""
        if threading.get_ident() == self._main:
            if self._depth == 0:
                self._computed += max(0.0, time.process_time() - self._mark)
            self._depth += 1

    def enter_program(self) -> None:
        """The program goes on."""
        if threading.get_ident() == self._main:
            self._depth -= 1
            if self._depth == 0:
                self._mark = time.process_time()


_links: list[RankLink] = []


def link() -> RankLink:
    """The link of this rank."""
    return _links[0]


def set_link(made: RankLink) -> None:
    _links[:] = [made]


def outside(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose work does not count as the program's computing."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not _links:
            return function(*arguments, **named)
        clock = _links[0]
        clock.leave_program()
        try:
            return function(*arguments, **named)
        finally:
            clock.enter_program()

    return call


def all_outside(kind: Class) -> Class:
    """The class, with `outside` around every public method."""
    for name, member in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(member, classmethod | staticmethod):
            setattr(kind, name, type(member)(outside(member.__func__)))
        elif callable(member) and not isinstance(member, type):
            setattr(kind, name, outside(member))
    return kind


def caller() -> str:
    """The line of the program that made the call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).startswith(OWN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename.rsplit('/', 1)[-1]}:{frame.f_lineno}"
