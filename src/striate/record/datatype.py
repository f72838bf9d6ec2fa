"""Lays a datatype out: from its tree, as the shim wrote it, to the byte runs of one instance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError

Int64s = NDArray[np.int64]
_MOST_RUNS = 2**22

# Combiners in the numbering of MPICH, which the shim writes whatever the library.
NAMED, DUP, CONTIGUOUS, VECTOR, HVECTOR, INDEXED, HINDEXED = 1, 2, 3, 4, 6, 7, 9
INDEXED_BLOCK, STRUCT, SUBARRAY, RESIZED, HINDEXED_BLOCK = 10, 12, 13, 18, 19
FORTRAN_ORDERS = (57, 1, 15)  # MPICH, Open MPI, the standard


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Byte runs of one instance in the order of the data, and how far apart instances lie."""

    offset: Int64s
    length: Int64s
    extent: int

    @property
    def size(self) -> int:
        return int(self.length.sum())


@dataclass(frozen=True, slots=True)
class _Node:
    combiner: int
    size: int
    extent: int
    numbers: tuple[int, ...]  # integers, or large counts of a type made by a `_c` call
    addresses: tuple[int, ...]
    counts: tuple[int, ...]
    children: tuple[_Node, ...]


def layout_of(content: bytes) -> Layout:
    """The layout of a tree; raises TraceError for one that is broken or too large, or a kind not understood."""
    values = np.frombuffer(content, np.int64, len(content) // 8).tolist()
    node, _ = _parsed(values, 0, 0)
    offset, length = _runs(node)
    return Layout(*_joined(offset, length), node.extent)


def _parsed(values: list[int], at: int, depth: int) -> tuple[_Node, int]:
    if depth > 64:
        raise TraceError("a datatype nested deeper than 64")
    parts: list[tuple[int, ...]] = []
    try:
        combiner, size, extent, _ = values[at : at + 4]
        at += 4
        for _part in range(3):
            count = values[at]
            if not 0 <= count <= len(values) - at:
                raise TraceError("a datatype whose tree is broken")
            parts.append(tuple(values[at + 1 : at + 1 + count]))
            at += 1 + count
        children = []
        count = values[at]
        at += 1
        for _child in range(count):
            child, at = _parsed(values, at, depth + 1)
            children.append(child)
    except (IndexError, ValueError):
        raise TraceError("a datatype whose tree ends early") from None
    return _Node(combiner, size, extent, parts[0], parts[1], parts[2], tuple(children)), at


def _runs(node: _Node) -> tuple[Int64s, Int64s]:
    if node.combiner == NAMED:
        return np.zeros(1, np.int64), np.array([node.size], np.int64)
    if not node.children:
        raise TraceError("a derived datatype without a datatype inside")
    if node.combiner == STRUCT:
        return _struct(node)
    inner = node.children[0]
    if node.combiner in (DUP, RESIZED):
        return _runs(inner)
    return _placed(_runs(inner), inner.extent, *_blocks(node, inner.extent))


def _blocks(node: _Node, extent: int) -> tuple[Int64s, Int64s]:
    """(place in bytes, instances) of every block of the inner type."""
    numbers = list(node.numbers)
    large = list(node.counts)
    try:
        match node.combiner:
            case 3:  # CONTIGUOUS
                (count,) = (numbers + large)[:1]
                return _array([0]), _array([count])
            case 4 | 6:  # VECTOR, HVECTOR
                count, block, *rest = numbers + large
                stride = rest[0] if rest else node.addresses[0]
                _bounded(count)
                step = stride * (extent if node.combiner == VECTOR else 1)
                return np.arange(count, dtype=np.int64) * step, np.full(count, block, np.int64)
            case 7 | 9:  # INDEXED, HINDEXED
                count, *rest = numbers + large
                _bounded(count)
                places = rest[count : 2 * count] or list(node.addresses[:count])
                scale = extent if node.combiner == INDEXED else 1
                return _array(places) * scale, _array(rest[:count])
            case 10 | 19:  # INDEXED_BLOCK, HINDEXED_BLOCK
                count, block, *rest = numbers + large
                _bounded(count)
                places = rest[:count] or list(node.addresses[:count])
                scale = extent if node.combiner == INDEXED_BLOCK else 1
                return _array(places) * scale, np.full(count, block, np.int64)
            case 13:  # SUBARRAY
                return _subarray(numbers, large, extent)
    except (IndexError, ValueError, OverflowError):
        raise TraceError("a datatype whose numbers are broken") from None
    raise TraceError(f"a datatype of kind {node.combiner}, which is not understood")


def _subarray(numbers: list[int], large: list[int], extent: int) -> tuple[Int64s, Int64s]:
    """Rows of the innermost dimension: one block each."""
    dimensions, order = numbers[0], numbers[-1]
    values = large or numbers[1:-1]
    sizes, subsizes, starts = (values[part * dimensions : (part + 1) * dimensions] for part in range(3))
    if order in FORTRAN_ORDERS:
        sizes, subsizes, starts = sizes[::-1], subsizes[::-1], starts[::-1]
    _bounded(reduce(lambda a, b: a * b, subsizes[:-1], 1))
    place = _array([0])
    step = extent
    steps = []
    for size in reversed(sizes):
        steps.append(step)
        step *= size
    for dimension, unit in zip(range(dimensions - 1), reversed(steps), strict=False):
        along = (starts[dimension] + np.arange(subsizes[dimension], dtype=np.int64)) * unit
        place = (place[:, None] + along).ravel()
    return place + starts[-1] * extent, np.full(len(place), subsizes[-1], np.int64)


def _struct(node: _Node) -> tuple[Int64s, Int64s]:
    values = [*node.numbers, *node.counts]
    count = values[0] if values else -1
    lengths = values[1 : count + 1]
    places = list(node.addresses) or values[count + 1 :]
    if not 0 <= count == len(node.children) == len(lengths) or len(places) < count:
        raise TraceError("a structure whose numbers are broken")
    parts = [
        _placed(_runs(child), child.extent, _array([place]), _array([length]))
        for child, place, length in zip(node.children, places, lengths, strict=False)
    ]
    empty = (_array([]), _array([]))
    return (
        np.concatenate([offset for offset, _ in parts] or [empty[0]]),
        np.concatenate([length for _, length in parts] or [empty[1]]),
    )


def _placed(
    inner: tuple[Int64s, Int64s], extent: int, place: Int64s, instances: Int64s
) -> tuple[Int64s, Int64s]:
    """The inner runs repeated `instances` times from every place on."""
    offset, length = _joined(*inner)
    if len(place) != len(instances):
        raise TraceError(f"a datatype of {len(instances)} blocks with {len(place)} places")
    if (instances < 0).any():
        raise TraceError("a datatype with a negative count")
    if len(offset) == 1 and int(length[0]) == extent:  # instances join without a gap
        return place + offset[0], instances * extent
    total = int(instances.sum())
    _bounded(total * max(len(offset), 1))
    first = np.repeat(place, instances)
    number = np.arange(total) - np.repeat(np.cumsum(instances) - instances, instances)
    starts = first + number * extent
    return (starts[:, None] + offset).ravel(), np.tile(length, total)


def _joined(offset: Int64s, length: Int64s) -> tuple[Int64s, Int64s]:
    """Runs that touch become one; empty ones vanish."""
    keep = length > 0
    offset, length = offset[keep], length[keep]
    if len(offset) < 2:
        return offset, length
    starts = np.ones(len(offset), bool)
    starts[1:] = offset[1:] != offset[:-1] + length[:-1]
    at = np.flatnonzero(starts)
    return offset[at], np.add.reduceat(length, at)


def _bounded(runs: int) -> None:
    if not 0 <= runs <= _MOST_RUNS:
        raise TraceError(f"a datatype of more than {_MOST_RUNS} runs")


def _array(values: list[int]) -> Int64s:
    return np.array(values, np.int64)
