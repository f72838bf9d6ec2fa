"""Folding as plain Python: the readable twin of `core/src/programs/fold.cpp`, which must say the same row for row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

LONGEST_BODY = 256  # nodes; longer bodies stay unfolded


@dataclass(slots=True)
class Leaf:
    """One operation: `shape` must be equal to fold, `free` values may move."""

    shape: tuple[Any, ...]
    free: tuple[int, ...]


@dataclass(slots=True)
class Loop:
    """`count` passes of `body`; in pass i, each free value is its first one plus i times its stride."""

    count: int
    body: list[Node]
    strides: tuple[int, ...]
    shape: tuple[Any, ...]
    free: tuple[int, ...]


Node = Leaf | Loop


def _loop(count: int, body: list[Node], strides: tuple[int, ...]) -> Loop:
    free = tuple(value for node in body for value in node.free)
    return Loop(count, body, strides, (count, strides, tuple(node.shape for node in body)), free)


class Folder:
    """Takes operations one at a time; `nodes` is the folded program so far."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._shapes: list[int] = []  # hashes of the nodes' shapes, for quick comparison
        self._loops: list[int] = []  # positions of loops in `nodes`

    def add(self, shape: tuple[Any, ...], free: tuple[int, ...]) -> None:
        self._append(Leaf(shape, free))
        while self._continue_loop() or self._start_loop():
            pass

    def _append(self, node: Node) -> None:
        if isinstance(node, Loop):
            self._loops.append(len(self.nodes))
        self.nodes.append(node)
        self._shapes.append(hash(node.shape))

    def _drop(self, length: int) -> None:
        keep = len(self.nodes) - length
        while self._loops and self._loops[-1] >= keep:
            self._loops.pop()
        del self.nodes[keep:], self._shapes[keep:]

    def _continue_loop(self) -> bool:
        """Join the tail to the loop before it when it is that loop's next pass."""
        end = len(self.nodes)
        for at in reversed(self._loops):
            length = end - at - 1
            if length > LONGEST_BODY:
                return False
            loop = self.nodes[at]
            assert isinstance(loop, Loop)
            if length and len(loop.body) == length and self._is_next_pass(loop, at + 1):
                self._drop(length + 1)
                self._append(_loop(loop.count + 1, loop.body, loop.strides))
                return True
        return False

    def _is_next_pass(self, loop: Loop, start: int) -> bool:
        tail = self.nodes[start:]
        if any(a.shape != b.shape for a, b in zip(loop.body, tail, strict=True)):
            return False
        free = (value for node in tail for value in node.free)
        return all(
            now == first + loop.count * stride
            for now, first, stride in zip(free, loop.free, loop.strides, strict=True)
        )

    def _start_loop(self) -> bool:
        """Make a loop of the tail and the equal stretch before it, the shortest that is."""
        shapes = self._shapes
        end = len(shapes)
        last = shapes[-1]
        for length in range(1, min(LONGEST_BODY, end // 2) + 1):
            if shapes[end - 1 - length] != last:
                continue
            if shapes[end - length :] != shapes[end - 2 * length : end - length]:
                continue
            first, second = self.nodes[end - 2 * length : end - length], self.nodes[end - length :]
            if any(a.shape != b.shape for a, b in zip(first, second, strict=True)):
                continue
            before = (value for node in first for value in node.free)
            after = (value for node in second for value in node.free)
            strides = tuple(b - a for a, b in zip(before, after, strict=True))
            self._drop(2 * length)
            self._append(_loop(2, list(first), strides))
            return True
        return False


LOOP, END = 0, 1  # shapes of the rows that bracket a loop


def rows_of(nodes: list[Node], strides: tuple[tuple[int, ...], ...] = ()) -> Iterator[tuple[Any, ...]]:
    """(shape, passes, place in a pair, free values, strides of each without zeros at the end), row by row."""
    at = 0
    for node in nodes:
        mine = tuple(level[at : at + len(node.free)] for level in strides)
        at += len(node.free)
        if isinstance(node, Leaf):
            yield _row(node.shape[0], node.free, mine, 0)
        elif node.count == 2 and len(node.body) == 1 and isinstance(node.body[0], Leaf):
            yield _row(node.body[0].shape[0], node.free, mine, 1)
            moved = tuple(a + b for a, b in zip(node.free, node.strides, strict=True))
            yield _row(node.body[0].shape[0], moved, mine, 2)
        else:
            yield (LOOP, node.count, 0, (node.count,), ((),))
            yield from rows_of(node.body, (*mine, node.strides))
            yield (END, 0, 0, (), ())


def _row(
    shape: int, free: tuple[int, ...], levels: tuple[tuple[int, ...], ...], pair: int
) -> tuple[Any, ...]:
    columns = [tuple(level[i] for level in levels) for i in range(len(free))]
    return (shape, 0, pair, free, tuple(_trimmed(column) for column in columns))


def _trimmed(column: tuple[int, ...]) -> tuple[int, ...]:
    while column and column[-1] == 0:
        column = column[:-1]
    return column
