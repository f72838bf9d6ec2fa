"""The verbs a program is written in: `yield compute("12 ms")`, `yield write_all("checkpoint", ...)`.

A peer, root, size or offset is a number; in the SPMD form it may also be an array over ranks or depend on a loop.
Every non-blocking call returns what `wait` takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from striate import units
from striate.errors import LayoutError, WorkloadError
from striate.layout.datatypes import FileView
from striate.layout.extents import Extents
from striate.workload.application import WORLD
from striate.workload.calls.neighbours import (
    cartesian_neighbors as cartesian_neighbors,
)
from striate.workload.calls.neighbours import (
    comm_create as comm_create,
)
from striate.workload.calls.neighbours import (
    comm_dup as comm_dup,
)
from striate.workload.calls.neighbours import (
    comm_split as comm_split,
)
from striate.workload.calls.neighbours import (
    neighbor_allgather as neighbor_allgather,
)
from striate.workload.calls.neighbours import (
    neighbor_allgatherv as neighbor_allgatherv,
)
from striate.workload.calls.neighbours import (
    neighbor_alltoall as neighbor_alltoall,
)
from striate.workload.calls.neighbours import (
    neighbor_alltoallv as neighbor_alltoallv,
)
from striate.workload.calls.one_sided import (
    accumulate as accumulate,
)
from striate.workload.calls.one_sided import (
    get as get,
)
from striate.workload.calls.one_sided import (
    put as put,
)
from striate.workload.calls.one_sided import (
    raccumulate as raccumulate,
)
from striate.workload.calls.one_sided import (
    rget as rget,
)
from striate.workload.calls.one_sided import (
    rput as rput,
)
from striate.workload.calls.one_sided import (
    win_complete as win_complete,
)
from striate.workload.calls.one_sided import (
    win_create as win_create,
)
from striate.workload.calls.one_sided import (
    win_fence as win_fence,
)
from striate.workload.calls.one_sided import (
    win_flush as win_flush,
)
from striate.workload.calls.one_sided import (
    win_flush_local as win_flush_local,
)
from striate.workload.calls.one_sided import (
    win_free as win_free,
)
from striate.workload.calls.one_sided import (
    win_lock as win_lock,
)
from striate.workload.calls.one_sided import (
    win_post as win_post,
)
from striate.workload.calls.one_sided import (
    win_start as win_start,
)
from striate.workload.calls.one_sided import (
    win_unlock as win_unlock,
)
from striate.workload.calls.one_sided import (
    win_unlock_all as win_unlock_all,
)
from striate.workload.calls.one_sided import (
    win_wait as win_wait,
)
from striate.workload.calls.operation import PENDING as PENDING
from striate.workload.calls.operation import Number as Number
from striate.workload.calls.operation import Operation as Operation
from striate.workload.calls.operation import Several as Several
from striate.workload.calls.operation import bytes_of, each
from striate.workload.kinds import ANY, BLOCKING, DEFAULT_ALGORITHM, NO_COUNTS, NO_EXTENTS, Kind
from striate.workload.program import Int64s

_ticks = lru_cache(maxsize=4096)(units.picoseconds)
_count = lru_cache(maxsize=4096)(units.count)


def _whole_numbers(values: Sequence[int], what: str) -> Int64s:
    column = np.asarray(values)
    whole = column.ndim == 1 and (column.dtype.kind in "iu" or not column.size)
    if not whole or (column.size and int(column.max()) >= 2**63):
        raise WorkloadError(f"expected whole numbers below 2^63 as {what}, got {values!r:.60}")
    return column.astype(np.int64)


def _total(sizes: Int64s, what: str) -> int:
    if sizes.size and (sizes.min() < 0 or sizes.astype(float).sum() >= 2.0**63):
        raise WorkloadError(
            f"expected {what} of at least 0 and below 2^63 in all, got {sizes.tolist()!r:.60}"
        )
    return int(sizes.sum())


def compute(duration: Number = 0, *, instructions: Number = 0) -> Operation:
    """Work for a time, or for a number of instructions, or both."""
    if isinstance(duration, np.integer | np.floating):
        duration = duration.item()
    ticks = _ticks(duration) if isinstance(duration, str | int | float) else _ticks_of_array(duration)
    if isinstance(instructions, str | float):
        instructions = round(_count(instructions))
    return Operation(Kind.COMPUTE, (ticks, instructions))


def _ticks_of_array(seconds: Number) -> Number:
    if isinstance(seconds, np.ndarray) and seconds.dtype.kind in "iuf":
        if not ((seconds >= 0) & (seconds < 2**63 / 1e12)).all():
            raise WorkloadError("expected times from 0 s to 9.22e6 s")
        return np.rint(seconds * 1e12).astype(np.int64)
    raise WorkloadError(f"expected a time such as '12 ms' or an array of seconds, got {seconds!r:.60}")


def send(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    return Operation(Kind.SEND, (peer, tag, bytes_of(size), BLOCKING), comm)


def isend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    return Operation(Kind.SEND, (peer, tag, bytes_of(size), PENDING), comm)


def ssend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Send synchronously: over only when the receiver has matched the message, however short it is."""
    return Operation(Kind.SSEND, (peer, tag, bytes_of(size), BLOCKING), comm)


def issend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    return Operation(Kind.SSEND, (peer, tag, bytes_of(size), PENDING), comm)


def rsend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    """Send to a receiver that is known to wait: as MPICH and Open MPI do it, a send like any other."""
    return send(peer, size, tag=tag, comm=comm)


def irsend(peer: Number, size: Number, *, tag: Number = 0, comm: str = WORLD) -> Operation:
    return isend(peer, size, tag=tag, comm=comm)


def recv(peer: Number = ANY, size: Number = 0, *, tag: Number = ANY, comm: str = WORLD) -> Operation:
    """Receive at most `size` bytes (0: whatever comes) from `peer`, or from anyone."""
    return Operation(Kind.RECV, (peer, tag, bytes_of(size), BLOCKING), comm)


def irecv(peer: Number = ANY, size: Number = 0, *, tag: Number = ANY, comm: str = WORLD) -> Operation:
    return Operation(Kind.RECV, (peer, tag, bytes_of(size), PENDING), comm)


def sendrecv(
    peer: Number,
    size: Number,
    *,
    source: Number | None = None,
    receive_size: Number | None = None,
    tag: Number = 0,
    source_tag: Number | None = None,
    comm: str = WORLD,
) -> Operation:
    """Send to `peer` and receive from `source` (the same rank and size unless given) at once."""
    bytes_ = bytes_of(size)
    received = bytes_ if receive_size is None else bytes_of(receive_size)
    came_from = peer if source is None else source
    came_tag = tag if source_tag is None else source_tag
    return Operation(Kind.SENDRECV, (peer, tag, bytes_, came_from, came_tag, received), comm)


def wait(*operations: Operation | Several) -> Operation:
    """Wait until the given non-blocking operations are complete."""
    return Operation(Kind.WAIT, (PENDING,), awaited=each(operations))


def test(*operations: Operation | Several) -> Operation:
    """Ask whether non-blocking operations are complete and go on either way; they are still to be awaited."""
    return Operation(Kind.TEST, (PENDING,), awaited=each(operations))


def waitall(operations: Sequence[Operation | Several] | None = None) -> Operation:
    """Wait for the given non-blocking operations, or for all that are in flight."""
    if operations is None:
        return Operation(Kind.WAITALL, ())
    return wait(*operations)


def _any_of(name: str, least: int, most: int, words: str) -> Any:
    def call(operations: Sequence[Operation]) -> Operation:
        if not operations or not all(isinstance(one, Operation) for one in operations):
            raise WorkloadError(f"expected single operations to be awaited, got {operations!r:.60}")
        return Operation(Kind.WAITANY, (least, most), awaited=tuple(operations))

    call.__name__ = name
    call.__doc__ = (
        f"{words} Operations that were completed before are ignored, and a wait for them returns at once. "
        "The simulation decides which one completes first."
    )
    return call


waitany = _any_of("waitany", 1, 1, "Wait until one of the operations is complete, and take it.")
waitsome = _any_of("waitsome", 1, 0, "Wait until one of the operations is complete, and take all that are.")
testany = _any_of(
    "testany", 0, 1, "Take one of the operations if it is complete, and continue in either case."
)
testsome = _any_of("testsome", 0, 0, "Take the operations that are complete, and continue.")


def _request(blocking: bool) -> object:
    return BLOCKING if blocking else PENDING


def _algorithm(name: str | None) -> object:
    return DEFAULT_ALGORITHM if name is None else name


def barrier(*, comm: str = WORLD, blocking: bool = True, algorithm: str | None = None) -> Operation:
    return Operation(Kind.BARRIER, (_algorithm(algorithm), _request(blocking)), comm)


def _rooted(kind: Kind) -> Any:
    def call(
        size: Number,
        *,
        root: Number = 0,
        comm: str = WORLD,
        blocking: bool = True,
        algorithm: str | None = None,
    ) -> Operation:
        return Operation(kind, (bytes_of(size), root, _algorithm(algorithm), _request(blocking)), comm)

    call.__name__ = kind.label
    call.__doc__ = (
        f"{kind.label} of `size` bytes per rank, from or to `root` of the communicator; `algorithm` as in "
        "docs/collectives.md."
    )
    return call


def _unrooted(kind: Kind) -> Any:
    def call(
        size: Number, *, comm: str = WORLD, blocking: bool = True, algorithm: str | None = None
    ) -> Operation:
        return Operation(kind, (bytes_of(size), _algorithm(algorithm), _request(blocking)), comm)

    call.__name__ = kind.label
    call.__doc__ = (
        f"{kind.label} of `size` bytes per rank over the communicator; `algorithm` as in docs/collectives.md."
    )
    return call


bcast = _rooted(Kind.BCAST)
reduce = _rooted(Kind.REDUCE)
gather = _rooted(Kind.GATHER)
gatherv = _rooted(Kind.GATHERV)
scatter = _rooted(Kind.SCATTER)
scatterv = _rooted(Kind.SCATTERV)
allreduce = _unrooted(Kind.ALLREDUCE)
allgather = _unrooted(Kind.ALLGATHER)
allgatherv = _unrooted(Kind.ALLGATHERV)
alltoall = _unrooted(Kind.ALLTOALL)
scan = _unrooted(Kind.SCAN)
exscan = _unrooted(Kind.EXSCAN)


def alltoallv(
    sizes: Sequence[Number], *, comm: str = WORLD, blocking: bool = True, algorithm: str | None = None
) -> Operation:
    """Send `sizes[i]` bytes to rank i of the communicator."""
    column = _whole_numbers([bytes_of(size) for size in sizes], "sizes")
    operands = (_total(column, "sizes"), column, _algorithm(algorithm), _request(blocking))
    return Operation(Kind.ALLTOALLV, operands, comm)


def reduce_scatter(
    size: Number | Sequence[Number],
    *,
    comm: str = WORLD,
    blocking: bool = True,
    algorithm: str | None = None,
) -> Operation:
    """Combine vectors of `size` bytes and leave each rank an equal part; of a list, `size[i]` bytes to rank i."""
    end = (_algorithm(algorithm), _request(blocking))
    if not isinstance(size, list | tuple):
        return Operation(Kind.REDUCE_SCATTER, (bytes_of(size), NO_COUNTS, *end), comm)
    column = _whole_numbers([bytes_of(part) for part in size], "sizes")
    return Operation(Kind.REDUCE_SCATTER, (_total(column, "sizes"), column, *end), comm)


def open_file(file: Any, *, create: bool = False, comm: str = WORLD) -> Operation:
    return Operation(Kind.OPEN, (file, int(create)), comm)


def close_file(file: Any, *, comm: str = WORLD) -> Operation:
    return Operation(Kind.CLOSE, (file,), comm)


def stat_file(file: Any) -> Operation:
    return Operation(Kind.STAT, (file,))


def sync_file(file: Any, *, comm: str = WORLD) -> Operation:
    return Operation(Kind.SYNC, (file,), comm)


def delete_file(file: Any) -> Operation:
    return Operation(Kind.ERASE, (file,))


def _access(kind: Kind) -> Any:
    def call(
        file: Any,
        *,
        offset: Number = 0,
        size: Number = 0,
        count: Number = 1,
        stride: Number = 0,
        extents: Extents | tuple[Sequence[int], Sequence[int]] | None = None,
        view: FileView | None = None,
        comm: str = WORLD,
        blocking: bool = True,
    ) -> Operation:
        operands: tuple[Any, ...]
        if view is not None:
            if extents is not None or (count, stride) != (1, 0):
                raise WorkloadError("a view selects the bytes: leave `extents`, `count` and `stride` out")
            offset, extents = 0, _seen(view, bytes_of(offset), bytes_of(size))
        if extents is None:
            operands = (
                file,
                bytes_of(offset),
                bytes_of(size),
                count,
                bytes_of(stride),
                NO_EXTENTS,
                _request(blocking),
            )
        else:
            runs = _runs(extents)
            operands = (file, bytes_of(offset), _total(runs.sizes, "lengths"), 1, 0, runs, _request(blocking))
        return Operation(kind, operands, comm)

    call.__name__ = kind.label
    call.__doc__ = (
        f"{kind.label}: `count` blocks of `size` bytes, `stride` bytes apart, from `offset` - or the byte runs "
        "`extents` (or a pair of offsets and lengths) counted from `offset` - or `size` bytes of a file `view` from "
        "its byte `offset`."
    )
    return call


def _runs(extents: Extents | tuple[Sequence[int], Sequence[int]]) -> Extents:
    if isinstance(extents, Extents):
        return extents
    offsets, sizes = _whole_numbers(extents[0], "offsets"), _whole_numbers(extents[1], "lengths")
    if len(offsets) != len(sizes):
        raise WorkloadError(f"expected as many offsets as lengths, got {len(offsets)} and {len(sizes)}")
    return Extents.trusted(offsets, sizes)


def _seen(view: FileView, start: Number, size: Number) -> Extents:
    """The byte runs of the file that a view shows; refuses what no view has."""
    try:
        return view.extents(start, size)
    except LayoutError as error:
        raise WorkloadError(error.message) from None


read = _access(Kind.READ)
write = _access(Kind.WRITE)
read_all = _access(Kind.READ_ALL)
write_all = _access(Kind.WRITE_ALL)


def region_begin(name: str) -> Operation:
    """Mark the start of a named part of the program."""
    return Operation(Kind.REGION_BEGIN, (name,))


def region_end(name: str) -> Operation:
    return Operation(Kind.REGION_END, (name,))
