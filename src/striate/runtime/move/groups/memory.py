"""Memory of a group's windows: one piece of the node's, as large as any call has needed so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import StorageError
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.communicator.ranks import Ranks
from striate.runtime.move.schedules.schedule import Schedule, build_schedule
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows

Bytes = npt.NDArray[np.uint8]


class GroupMemory:
    """Windows for the variables of a call, side by side in memory that the node's ranks share."""

    def __init__(self, node: Node, ranks: Ranks) -> None:
        self.node = node
        self.ranks = ranks
        self.memory: Bytes | None = None
        self.share = 0  # bytes for each rank of the node: the same on all nodes

    def get(self, share: int) -> Bytes | None:
        """Collective: `share` bytes for each rank of the node at least; None on all when some node has too little."""
        if self.memory is None or self.share < share:
            self.release()
            self.memory, self.share = self.node.take(share * len(self.node.members)), share
            if self.ranks.largest([self.memory is None])[0]:
                self.memory = None
        return self.memory

    def windows(self, states: Mapping[str, State]) -> dict[str, Windows]:
        """Collective: windows of variables that are moved together."""
        found = {name: new_windows(state) for name, state in states.items()}
        self.place(found.values())
        return found

    def place(self, windows: Collection[Windows]) -> None:
        """Collective: memory for windows that are in use together."""
        memory, first = self._needed(sum(share_of(one) for one in windows)), 0
        for one in windows:
            one.memory = memory[first : first + one.total_bytes]
            first += one.total_bytes

    def schedule(self, state: State, places: Any) -> Schedule:
        """Collective: the schedule of single elements of an array; each is written once."""
        partition = state.partition(1)
        most = self.ranks.largest([len(places)])[0]
        units = np.ascontiguousarray(places, partition.position_type(most))
        return build_schedule(
            self.ranks,
            self.node,
            partition,
            units,
            shape=(len(units),),
            combine="last",
            quota=state.budget.message_records(partition.record_bytes),
            most=most,
            scratch=self._needed(share_of(new_windows(state))),
        )

    def release(self) -> None:
        """Give the memory back."""
        if self.memory is not None:
            self.node.give_back(self.memory)
            self.memory = None

    def _needed(self, share: int) -> Bytes:
        memory = self.get(share)
        if memory is None:
            raise StorageError(
                f"a node cannot share {share} bytes of memory per rank: give a smaller buffer", 12
            )
        return memory


def share_of(windows: Windows) -> int:
    """Bytes of the windows for each rank of a node."""
    return windows.total_bytes // len(windows.node.members)


def new_windows(state: State) -> Windows:
    """Windows of one variable, without memory so far."""
    return Windows(
        state.node, state.domains, window_chunks=state.window_chunks, chunk_bytes=state.grid.chunk_bytes
    )
