"""Numbers for operations in flight: the lowest free slot each, so that every pass of a loop uses the same ones."""

from __future__ import annotations

from collections.abc import Sequence

from striate.errors import WorkloadError
from striate.workload.calls.operation import Operation


class RequestSlots:
    """Which operation is in flight in which slot; the operations are held, so that their ids stay their own."""

    def __init__(self) -> None:
        self._slot: dict[int, tuple[int, Operation]] = {}
        self._free: list[int] = []
        self._next = 0
        self._asked: dict[frozenset[int], int] = {}  # waits for any of these operations so far
        self._over: dict[
            int, Operation
        ] = {}  # operations that such waits have surely taken, of the last of them

    def begin(self, operation: Operation) -> int:
        """A slot for an operation that begins; refuses one that is in flight."""
        if id(operation) in self._slot:
            raise WorkloadError(f"the same {operation.kind.label} was begun twice without a wait in between")
        if self._free:
            slot = min(self._free)
            self._free.remove(slot)
        else:
            slot, self._next = self._next, self._next + 1
        self._slot[id(operation)] = (slot, operation)
        self._over.pop(id(operation), None)
        self._asked = {asked: calls for asked, calls in self._asked.items() if id(operation) not in asked}
        return slot

    def finish(self, operation: Operation) -> int | None:
        """The slot of an operation that is awaited, free again; None where waits for any have taken it."""
        if id(operation) in self._over:
            return None
        if id(operation) not in self._slot:
            raise WorkloadError(
                "expected a wait for an operation in flight, got a wait for the operation "
                f"{operation.kind.label}, which was not begun, or was waited for before"
            )
        slot, _ = self._slot.pop(id(operation))
        self._free.append(slot)
        return slot

    def in_flight(self, operation: Operation) -> int:
        """The slot of an operation that is asked for."""
        if id(operation) not in self._slot:
            raise WorkloadError(
                "expected a test of an operation in flight, got a test of the operation "
                f"{operation.kind.label}, which was not begun, or was waited for before"
            )
        return self._slot[id(operation)][0]

    def offer(self, operations: Sequence[Operation], *, waits: bool) -> list[tuple[int, int]]:
        """(whether it is surely over then, slot) of those that a wait or a test for any of `operations` may take.

        A wait takes one of them at least, while there are any: after as many waits as operations none is left.
        """
        active = [one for one in operations if id(one) in self._slot]
        if not active and not all(id(one) in self._over for one in operations):
            raise WorkloadError(
                "expected operations in flight in a wait or test for any of them, "
                "got operations that were not begun, or were waited for before"
            )
        asked = frozenset(id(one) for one in operations)
        self._asked[asked] = self._asked.get(asked, 0) + waits
        last = self._asked[asked] >= len(asked)
        slots = [(int(last), self._slot[id(one)][0]) for one in dict.fromkeys(active)]
        if last:
            del self._asked[asked]
            self._over = {id(one): one for one in active}
            self._free.extend(self._slot.pop(id(one))[0] for one in dict.fromkeys(active))
        return slots

    def finish_all(self) -> None:
        self._free.extend(slot for slot, _ in self._slot.values())
        self._slot.clear()
        self._asked.clear()
