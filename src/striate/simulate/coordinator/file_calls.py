"""File calls of ranks: they are played later; here they take an estimated time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from striate.simulate.coordinator.collective_calls import CollectiveCalls
from striate.simulate.coordinator.ranks import PendingCall, RankState
from striate.simulate.coordinator.recorder import communicator_name
from striate.simulate.wire import BLOCKING, SELF, GroupId
from striate.workload import operations
from striate.workload.operations import Operation

Runs = tuple[list[int], list[int]]  # offsets and sizes

_ALONE = {"stat": operations.stat_file, "delete": operations.delete_file}
_TOGETHER = {"close": operations.close_file, "sync": operations.sync_file}


class FileCalls(CollectiveCalls):
    """MPI-IO, and the system's own calls."""

    def on_open(
        self,
        state: RankState,
        group_id: GroupId,
        name: str,
        create: bool,
        hints: Mapping[str, str],
        told: Any,
    ) -> None:
        group = self.groups[group_id]
        self.recorder.file(name, hints)
        opened = operations.open_file(name, create=create, comm=communicator_name(group))
        self.join(state, group, "open", told, (opened,))

    def on_file_together(self, state: RankState, group_id: GroupId, kind: str, name: str) -> None:
        group = self.groups[group_id]
        operation = _TOGETHER[kind](name, comm=communicator_name(group))
        self.join(state, group, kind, None, (operation,))

    def on_file_alone(self, state: RankState, kind: str, name: str) -> None:
        self.recorder.add(state.number, _ALONE[kind](name))
        self.answer(state, self.now + self.estimate.access(0))

    def on_file_access(
        self,
        state: RankState,
        group_id: GroupId | None,
        name: str,
        writes: bool,
        runs: Runs,
        handle: int,
    ) -> None:
        blocking, size = handle == BLOCKING, sum(runs[1])
        if group_id is not None:
            group = self.groups[group_id]
            verb = operations.write_all if writes else operations.read_all
            operation = _access(verb, name, runs, comm=communicator_name(group), blocking=blocking)
            self.join(state, group, "file_access", size, (operation,), handle=handle)
            return
        operation = _access(operations.write if writes else operations.read, name, runs, blocking=blocking)
        self.recorder.add(state.number, operation)
        pending = PendingCall(state.number, f"an access of {name}", operation if not blocking else None)
        self.complete(pending, self.now + self.estimate.access(size))
        if blocking:
            self.wait_for_one(state, pending)
        else:
            state.pending[handle] = pending

    def on_plain(self, state: RankState, kind: str, name: str, offset: int, size: int) -> None:
        """A call of the operating system on a file."""
        if kind in ("read", "write"):
            verb = operations.write if kind == "write" else operations.read
            operation = verb(name, offset=offset, size=size)
        elif kind in ("open", "create"):
            operation = operations.open_file(name, create=kind == "create", comm=SELF)
        else:
            operation = _TOGETHER[kind](name, comm=SELF)
        self.recorder.add(state.number, operation)
        state.clock += self.estimate.access(size)


def _access(verb: Any, name: str, runs: Runs, **named: Any) -> Operation:
    """One run by offset and size, several as a list."""
    offsets, sizes = runs
    if len(offsets) <= 1:
        found: Operation = verb(name, offset=offsets[0] if offsets else 0, size=sum(sizes), **named)
        return found
    listed: Operation = verb(name, extents=runs, **named)
    return listed
