"""A program that reads its data again and again: four passes over 24 MiB per rank, together."""

from __future__ import annotations

from collections.abc import Iterator

from striate.workload.operations import Operation, barrier, close_file, open_file, read

PASSES, BLOCKS, BLOCK_BYTES = 4, 24, 1 << 20


def program(rank: int, ranks: int) -> Iterator[Operation]:
    yield open_file("data")
    for _ in range(PASSES):
        for block in range(BLOCKS):
            yield read("data", offset=(rank * BLOCKS + block) * BLOCK_BYTES, size=BLOCK_BYTES)
        yield barrier()
    yield close_file("data")
