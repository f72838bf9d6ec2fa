"""The four levels of MPI-IO access: contiguous or not, independent or collective."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from striate import units
from striate.units import Quantity
from striate.workload.operations import (
    Operation,
    close_file,
    open_file,
    read,
    read_all,
    sync_file,
    write,
    write_all,
)

FILE = "data"


def access(level: int) -> Callable[..., Iterator[Operation]]:
    """The kernel of one level: 0 contiguous, 1 contiguous and collective, 2 not contiguous, 3 neither.

    Block i of rank r lies at (i * ranks + r) * size. Levels 0 and 1 make a call per block, 2 and 3 one for all
    blocks. With `shift`, rank r accesses the blocks of rank r + shift.
    """

    def kernel(
        rank: int,
        ranks: int,
        *,
        size: Quantity = "1 MiB",
        blocks: int = 10,
        mode: str = "write",
        sync: int = 0,
        shift: int = 0,
    ) -> Iterator[Operation]:
        block, place = units.size(size), (rank + shift) % ranks
        together = level in (1, 3)
        call = (write_all if together else write) if mode == "write" else (read_all if together else read)
        yield open_file(FILE, create=mode == "write")
        if level < 2:
            for turn in range(blocks):
                yield call(FILE, offset=(turn * ranks + place) * block, size=block)
        else:
            yield call(FILE, offset=place * block, size=block, count=blocks, stride=ranks * block)
        if sync:
            yield sync_file(FILE)
        yield close_file(FILE)

    kernel.__doc__ = (
        f"{'not ' * (level > 1)}contiguous, {'collective' if level in (1, 3) else 'independent'} access; "
        "mode is write or read; of rank + shift"
    )
    return kernel
