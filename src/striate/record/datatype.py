"""Reads a datatype's tree, as the shim wrote it, and has the layout package flatten it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from striate.errors import LayoutError, TraceError
from striate.layout.datatypes import (
    Datatype,
    FileView,
    contiguous,
    hindexed,
    hvector,
    indexed,
    struct,
    subarray,
    vector,
)
from striate.layout.extents import Extents

MOST_RUNS = 2**22

NAMED = 1
FORTRAN_ORDERS = (57, 1, 15)  # MPICH, Open MPI, the standard


class Combiner(IntEnum):
    """How a type was made, in the numbering of MPICH, which the shim writes whatever the library."""

    DUP = 2
    CONTIGUOUS = 3
    VECTOR = 4
    HVECTOR = 6
    INDEXED = 7
    HINDEXED = 9
    INDEXED_BLOCK = 10
    STRUCT = 12
    SUBARRAY = 13
    RESIZED = 18
    HINDEXED_BLOCK = 19


@dataclass(frozen=True, slots=True)
class _Node:
    combiner: int
    size: int
    extent: int
    lower: int
    numbers: tuple[int, ...]  # integers, or large counts of a type made by a `_c` call
    addresses: tuple[int, ...]
    counts: tuple[int, ...]
    children: tuple[_Node, ...]


def datatype_of(content: bytes) -> Datatype:
    """The datatype of a file view; raises TraceError for a tree that is broken or too large, or a kind not known."""
    values = np.frombuffer(content, np.int64, len(content) // 8).tolist()
    node, _ = _parsed(values, 0, 0)
    try:
        return FileView(0, _flattened(node)).datatype  # which refuses data before the first byte
    except TraceError:
        raise
    except LayoutError as error:
        raise TraceError(f"the recorded datatype is not that of a file view: {error.message}") from None
    except (IndexError, ValueError, OverflowError):
        raise TraceError("the recorded description of a datatype has invalid numbers") from None


def _parsed(values: list[int], at: int, depth: int) -> tuple[_Node, int]:
    if depth > 64:
        raise TraceError("expected a datatype nested at most 64 levels deep, got a deeper one")
    parts: list[tuple[int, ...]] = []
    try:
        combiner, size, extent, lower = values[at : at + 4]
        at += 4
        for _part in range(3):
            count = values[at]
            if not 0 <= count <= len(values) - at:
                raise TraceError("invalid description of a datatype")
            parts.append(tuple(values[at + 1 : at + 1 + count]))
            at += 1 + count
        children = []
        count = values[at]
        at += 1
        for _child in range(count):
            child, at = _parsed(values, at, depth + 1)
            children.append(child)
    except (IndexError, ValueError):
        raise TraceError("truncated description of a datatype") from None
    return _Node(combiner, size, extent, lower, parts[0], parts[1], parts[2], tuple(children)), at


def _flattened(node: _Node) -> Datatype:
    """With the bounds that the library said, which pad structures as it does."""
    if node.combiner == NAMED:
        return Datatype(Extents([0], [node.size]) if node.size else Extents([], []), node.lower, node.extent)
    inner = [_flattened(child) for child in node.children]
    if node.combiner == Combiner.STRUCT:
        found = _struct(node, inner)
    elif inner:
        found = _derived(node, inner[0])
    else:
        raise TraceError("expected a derived datatype to have a datatype inside, found none")
    return found.resized(node.lower, node.extent)


def _derived(node: _Node, base: Datatype) -> Datatype:
    values = [*node.numbers, *node.counts]
    first = values[0] if values else 0
    match node.combiner:
        case Combiner.DUP | Combiner.RESIZED:
            return base
        case Combiner.CONTIGUOUS:
            _expect_few([values[0]], base)
            return contiguous(values[0], base)
        case Combiner.VECTOR | Combiner.HVECTOR:
            count, block, *rest = values
            stride = rest[0] if rest else node.addresses[0]
            _expect_few([block] * _few(count), base)
            make = vector if node.combiner == Combiner.VECTOR else hvector
            return make(count, block, stride, base)
        case Combiner.INDEXED | Combiner.HINDEXED:
            rest = values[1:]
            places = rest[first : 2 * first] or node.addresses[:first]
            return _indexed(node.combiner == Combiner.INDEXED, rest[:first], places, base)
        case Combiner.INDEXED_BLOCK | Combiner.HINDEXED_BLOCK:
            places = values[2 : 2 + first] or node.addresses[:first]
            scaled = node.combiner == Combiner.INDEXED_BLOCK
            return _indexed(scaled, [values[1]] * _few(first), places, base)
        case Combiner.SUBARRAY:
            return _subarray(node.numbers, node.counts, base)
    raise TraceError(f"unknown kind of datatype {node.combiner}")


def _struct(node: _Node, inner: list[Datatype]) -> Datatype:
    count, *values = [*node.numbers, *node.counts]
    lengths, places = values[:count], node.addresses or values[count:]
    for length, part in zip(lengths, inner, strict=True):
        _expect_few([length], part)
    return struct(np.array(lengths, np.int64), np.array(places[:count], np.int64), inner)


def _indexed(scaled: bool, blocks: Sequence[int], places: Sequence[int], base: Datatype) -> Datatype:
    _expect_few(blocks, base)
    return (indexed if scaled else hindexed)(np.array(blocks, np.int64), np.array(places, np.int64), base)


def _subarray(numbers: tuple[int, ...], large: tuple[int, ...], base: Datatype) -> Datatype:
    dimensions = numbers[0]
    values = large or numbers[1:-1]
    sizes, subsizes, starts = (values[part * dimensions : (part + 1) * dimensions] for part in range(3))
    order = "F" if numbers[-1] in FORTRAN_ORDERS else "C"
    row = subsizes[0] if order == "F" else subsizes[-1]
    _expect_few([row] * _few(math.prod(subsizes) // max(row, 1)), base)
    return subarray(sizes, subsizes, starts, base, order)


def _expect_few(blocks: Sequence[int], base: Datatype) -> None:
    """Refuse more runs than a tree may ask for: blocks of a dense type are a run each."""
    _few(len(blocks) if base.is_dense else sum(blocks) * len(base.runs))


def _few(runs: int) -> int:
    if not 0 <= runs <= MOST_RUNS:
        raise TraceError(f"expected a datatype of at most {MOST_RUNS} byte runs, found more")
    return runs
