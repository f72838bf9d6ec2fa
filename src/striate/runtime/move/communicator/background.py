"""Background work of a handle: a thread with a copy of the communicator of its own, while the program goes on.

Collective calls of the thread and of the program never meet on one communicator. MPI must allow several threads to
call it (MPI_THREAD_MULTIPLE, which mpi4py asks for); where it does not, the work is done at once.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from striate.runtime.move.communicator.group import Group
from striate.runtime.move.communicator.node import Node
from striate.runtime.move.state import State
from striate.runtime.move.windows import Windows

Bytes = npt.NDArray[np.uint8]
Result = TypeVar("Result")


class Background:
    """Made by all ranks together when first needed, and kept by the handle until it is closed."""

    def __init__(self, state: State) -> None:
        self.group: Group = state.group.copy()
        self.worker = ThreadPoolExecutor(1, "striate-background")
        self.kept = np.zeros(0, np.uint8)

    def state(self, state: State) -> State:
        """Collective the first time: the same dataset, with our communicator."""
        return replace(state, group=self.group, node=self._node(state))

    def windows(self, windows: Windows, node: Node) -> Windows:
        """The same memory, for our communicator."""
        found = Windows(
            node, windows.domains, window_chunks=windows.window_chunks, chunk_bytes=windows.chunk_bytes
        )
        found.memory = windows.memory
        return found

    def copy(self, records: Bytes) -> Bytes:
        """The records, safe from what the program does next, in memory that the next call uses again.

        New pages cost more than what is put into them; it is free when the handle is closed.
        """
        if self.kept.size < records.size:
            self.kept = np.empty(records.size, np.uint8)
        copied = self.kept[: records.size]
        copied[:] = records
        return copied

    def start(self, work: Callable[[], Result]) -> Future[Result]:
        """Do the work in the thread; at once where MPI allows no second thread."""
        if self.group.ranks.takes_threads():
            return self.worker.submit(work)
        done: Future[Result] = Future()
        try:
            done.set_result(work())
        except Exception as error:
            done.set_exception(error)
        return done

    def end(self, *, together: bool) -> None:
        """End the thread; when all ranks do so together, the communicator is given back to MPI."""
        self.worker.shutdown()
        if together and self.group.ranks.size > 1:
            self.group.free()

    def _node(self, state: State) -> Node:
        """The node as the handle has it: with shared memory, or without where there was too little."""
        node = self.group.node(state.options.share)
        return node if np.array_equal(node.numbers, state.node.numbers) else self.group.node(False)
