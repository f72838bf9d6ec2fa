"""Requests: what a non-blocking call gives, and the ways to wait for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from striate.simulate.mpi import constants
from striate.simulate.mpi.errors import Refusing, failed, refuse_unknown
from striate.simulate.mpi.link import all_outside, link
from striate.simulate.mpi.status import NOBODY, Status
from striate.simulate.wire import CANCELLED, ReceivedMessage

Statuses = list[Status] | None


@all_outside
class MpiRequest(metaclass=Refusing):
    """A call in flight; `finish` takes its result to where the program wants it, and returns an object.

    A handle below 0 is that of a message to or from nobody, which is over at once.
    """

    def __init__(self, handle: int | None = None, finish: Callable[[Any], Any] | None = None) -> None:
        self._handle = handle
        self._finish = finish
        self._found: Any = None

    __getattr__ = refuse_unknown("Request")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MpiRequest):
            return NotImplemented
        return self is other or (self._handle is None and other._handle is None)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self._handle is not None

    def Free(self) -> None:
        """The call goes on; nobody waits for it."""
        self._handle = None

    def _complete(self, result: Any, status: Status | None) -> None:
        self._handle = None
        if result == CANCELLED:
            self._found = None
        else:
            self._found = self._finish(result) if self._finish is not None else None
        _tell(status, result if isinstance(result, ReceivedMessage | str) else self._found)

    def Cancel(self) -> None:
        """Take back a receive that no message has come for; it is then over, and its status says so."""
        if self._handle is None:
            raise failed("ERR_REQUEST", "a null request cannot be cancelled")
        if self._handle > 0:
            link().tell("cancel", self._handle)

    def cancel(self) -> None:
        self.Cancel()

    def Get_status(self, status: Status | None = None) -> bool:
        """Whether the call is over; the request stays."""
        if self._handle is None or self._handle < 0:
            _tell(status, NOBODY)
            return True
        found = link().ask("look", self._handle)
        if found is None:
            return False
        _tell(status, found[0])
        return True

    def get_status(self, status: Status | None = None) -> bool:
        return self.Get_status(status)

    # ---- one

    def Wait(self, status: Status | None = None) -> bool:
        self.wait(status)
        return True

    def wait(self, status: Status | None = None) -> Any:
        self.Waitall([self], None if status is None else [status])
        return self._found

    def Test(self, status: Status | None = None) -> bool:
        return bool(self.Testall([self], None if status is None else [status]))

    def test(self, status: Status | None = None) -> tuple[bool, Any]:
        over = self.Test(status)
        return over, self._found if over else None

    # ---- many

    @classmethod
    def Waitall(cls, requests: Sequence[MpiRequest], statuses: Statuses = None) -> bool:
        _gather(requests, _ask("wait", requests, "all"), statuses)
        return True

    @classmethod
    def waitall(cls, requests: Sequence[MpiRequest], statuses: Statuses = None) -> list[Any]:
        cls.Waitall(requests, statuses)
        return [request._found for request in requests]

    @classmethod
    def Waitany(cls, requests: Sequence[MpiRequest], status: Status | None = None) -> int:
        return cls.waitany(requests, status)[0]

    @classmethod
    def waitany(cls, requests: Sequence[MpiRequest], status: Status | None = None) -> tuple[int, Any]:
        return _one(requests, _ask("wait", requests, "any"), status)

    @classmethod
    def Waitsome(cls, requests: Sequence[MpiRequest], statuses: Statuses = None) -> list[int] | None:
        return cls.waitsome(requests, statuses)[0]

    @classmethod
    def waitsome(
        cls, requests: Sequence[MpiRequest], statuses: Statuses = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        return _some(requests, _ask("wait", requests, "some"), statuses)

    @classmethod
    def Testall(cls, requests: Sequence[MpiRequest], statuses: Statuses = None) -> bool:
        found = _ask("test", requests, "all")
        if found is None:
            return False
        _gather(requests, found, statuses)
        return True

    @classmethod
    def testall(
        cls, requests: Sequence[MpiRequest], statuses: Statuses = None
    ) -> tuple[bool, list[Any] | None]:
        over = cls.Testall(requests, statuses)
        return over, [request._found for request in requests] if over else None

    @classmethod
    def Testany(cls, requests: Sequence[MpiRequest], status: Status | None = None) -> tuple[int, bool]:
        index, over, _ = cls.testany(requests, status)
        return index, over

    @classmethod
    def testany(cls, requests: Sequence[MpiRequest], status: Status | None = None) -> tuple[int, bool, Any]:
        found = _ask("test", requests, "any")
        if found is None:
            return constants.UNDEFINED, False, None
        index, result = _one(requests, found, status)
        return index, True, result

    @classmethod
    def Testsome(cls, requests: Sequence[MpiRequest], statuses: Statuses = None) -> list[int] | None:
        return cls.testsome(requests, statuses)[0]

    @classmethod
    def testsome(
        cls, requests: Sequence[MpiRequest], statuses: Statuses = None
    ) -> tuple[list[int] | None, list[Any] | None]:
        found = _ask("test", requests, "some")
        return ([], []) if found is None else _some(requests, found, statuses)


@all_outside
class PersistentRequest(MpiRequest):
    """A call that `begin` starts again and again; between its end and the next start it is inactive."""

    def __init__(self, begin: Callable[[], MpiRequest] | None = None) -> None:
        super().__init__()
        self._begin = begin

    def __bool__(self) -> bool:
        return self._begin is not None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MpiRequest):
            return NotImplemented
        return self is other or (not self and not other)

    __hash__ = object.__hash__

    def Start(self) -> None:
        """Begin the call with what its buffers hold now."""
        if self._begin is None or self._handle is not None:
            state = "was freed" if self._begin is None else "is in flight"
            raise failed("ERR_REQUEST", f"a persistent request that {state} cannot be started")
        started = self._begin()
        self._handle, self._finish, self._found = started._handle, started._finish, None

    @classmethod
    def Startall(cls, requests: Sequence[PersistentRequest]) -> None:
        for request in requests:
            request.Start()

    def Free(self) -> None:
        """The call goes on where it is in flight, and is not begun again."""
        super().Free()
        self._begin = None


def _tell(status: Status | None, result: Any) -> None:
    """Put what is known of a call that is over into a status."""
    if status is None:
        return
    status.cancelled = result == CANCELLED
    if isinstance(result, ReceivedMessage):
        status.note(result)


Results = dict[int, Any]  # by handle


def _ask(how: str, requests: Sequence[MpiRequest], mode: str) -> Results | None:
    """What is over among the requests that are in flight; None when a test found nothing."""
    handles = [request._handle for request in requests if request._handle is not None]
    over: Results = {handle: NOBODY for handle in handles if handle < 0}
    asked = [handle for handle in handles if handle > 0]
    if over and mode == "any":
        return dict(list(over.items())[:1])
    if not asked or (over and mode == "some"):
        return over
    found: Results | None = link().ask(how, asked, mode)
    return None if found is None else over | found


def _gather(requests: Sequence[MpiRequest], found: Results | None, statuses: Statuses) -> list[int]:
    """Complete those that are over; their places in the list."""
    over = [at for at, request in enumerate(requests) if request._handle in (found or {})]
    while statuses is not None and len(statuses) < len(requests):
        statuses.append(Status())
    for at in over:
        handle = requests[at]._handle
        assert found is not None
        assert handle is not None
        requests[at]._complete(found[handle], statuses[at] if statuses is not None else None)
    return over


def _one(requests: Sequence[MpiRequest], found: Results | None, status: Status | None) -> tuple[int, Any]:
    over = _gather(requests, found, None) if status is None else []
    if status is not None:
        noted: list[Status] = [status] * len(requests)
        over = _gather(requests, found, noted)
    return (over[0], requests[over[0]]._found) if over else (constants.UNDEFINED, None)


def _some(
    requests: Sequence[MpiRequest], found: Results | None, statuses: Statuses
) -> tuple[list[int] | None, list[Any] | None]:
    if not found:
        return None, None
    over = _gather(requests, found, statuses)
    if statuses is not None:
        statuses[:] = [statuses[at] for at in over]
    return over, [requests[at]._found for at in over]


REQUEST_NULL = MpiRequest()
