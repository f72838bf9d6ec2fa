"""Windows of memory: accesses in flight, and locks that are granted in the order asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from striate.simulate.wire import GroupId


@dataclass(slots=True, eq=False)
class OpenAccess:
    """An access that nothing has completed yet: when it has left, when it is done, and what it brings."""

    number: int
    target: int  # in the window's group
    left: float
    done: float
    content: bytes | None = None


@dataclass(slots=True)
class WindowLock:
    """The lock of one rank's memory: one exclusive holder, or several that share."""

    exclusive: bool = False
    holders: int = 0
    queue: deque[tuple[bool, Callable[[], None]]] = field(default_factory=deque)

    def ask(self, exclusive: bool, granted: Callable[[], None]) -> None:
        """Ask for it; `granted` is called when it is given."""
        self.queue.append((exclusive, granted))
        self._grant()

    def release(self) -> None:
        """Give it back."""
        self.holders -= 1
        self._grant()

    def _grant(self) -> None:
        while self.queue and (not self.holders or not (self.exclusive or self.queue[0][0])):
            self.exclusive, granted = self.queue.popleft()
            self.holders += 1
            granted()


class WindowStates:
    """What each rank has begun on each window, and the locks."""

    def __init__(self) -> None:
        self._open: dict[tuple[GroupId, int], list[OpenAccess]] = {}
        self._locks: dict[tuple[GroupId, int], WindowLock] = {}

    def lock(self, window: GroupId, target: int) -> WindowLock:
        return self._locks.setdefault((window, target), WindowLock())

    def begin(self, window: GroupId, origin: int, access: OpenAccess) -> None:
        self._open.setdefault((window, origin), []).append(access)

    def quiet_at(self, window: GroupId, origin: int, target: int | None, *, local: bool = False) -> float:
        """When the accesses of a rank, to `target` or to all, are over; 0 where there are none."""
        times = (
            one.left if local and one.content is None else one.done
            for one in self._of(window, origin, target)
        )
        return max(times, default=0.0)

    def end(
        self, window: GroupId, origin: int, target: int | None, *, local: bool = False
    ) -> dict[int, bytes]:
        """What the accesses have brought, by their numbers; those that are done are forgotten, `local` keeps puts."""
        over = self._of(window, origin, target)
        brought = {one.number: one.content for one in over if one.content is not None}
        kept = [
            one
            for one in self._open.get((window, origin), ())
            if one not in over or (local and one.number not in brought)
        ]
        self._open[window, origin] = kept
        return brought

    def _of(self, window: GroupId, origin: int, target: int | None) -> list[OpenAccess]:
        open_: Iterable[OpenAccess] = self._open.get((window, origin), ())
        return [one for one in open_ if target in (None, one.target)]
