"""Collective I/O by a plug-in: its pieces are asked for in every collective access, and hold every byte once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.plugins.guard import LoadedPlugin
from striate.plugins.protocols import CollectiveAccess

MOST_PIECES = 1 << 20
Int64s = NDArray[np.int64]


class CollectiveIOHook:
    """Asks the plug-in who accesses what."""

    def __init__(self, plugin: LoadedPlugin, cluster: Cluster, rank_node: NDArray[np.integer[Any]]) -> None:
        self._plugin = plugin
        self._cluster = cluster
        self._node = rank_node
        self._planner = plugin.made()

    def plan(
        self, file: int, write: bool, first_run: Int64s, offsets: Int64s, sizes: Int64s, ranks: Int64s
    ) -> Int64s:
        """Rows of round, member, offset and bytes, in order of offset."""
        runs = [
            np.column_stack([offsets[low:high], sizes[low:high]])
            for low, high in zip(first_run[:-1].tolist(), first_run[1:].tolist(), strict=True)
        ]
        access = CollectiveAccess(file, write, runs, self._node[ranks], self._cluster)
        answer = self._plugin.call("plan", self._planner.plan, access)
        pieces = self._rows(answer, len(ranks))
        self._expect_once(pieces)
        self._expect_all(pieces, runs)
        return pieces

    def _rows(self, answer: object, members: int) -> Int64s:
        if not isinstance(answer, Sequence) or len(answer) > MOST_PIECES:
            raise self._plugin.error(
                f"expected `plan` to return a list of at most {MOST_PIECES} pieces (parts of the file), "
                f"got {answer!r:.60}"
            )
        if not answer:
            return np.empty((0, 4), np.int64)
        try:
            rows = np.array([tuple(piece) for piece in answer], np.int64).reshape(len(answer), -1)
        except (TypeError, ValueError, OverflowError):
            raise self._plugin.error(
                f"expected pieces of the form (round, rank, offset, bytes), got {answer!r:.60}"
            ) from None
        if rows.shape[1] != 4:
            raise self._plugin.error(
                f"expected pieces of 4 numbers (round, rank, offset, bytes), got {answer[0]!r:.60}"
            )
        wrong = (rows < 0).any(axis=1) | (rows[:, 1] >= members) | (rows[:, 3] < 1)
        if wrong.any():
            found = answer[int(np.argmax(wrong))]
            raise self._plugin.error(
                f"expected a piece with a rank below {members}, bytes above 0, "
                f"and round and offset of 0 or more, got {found!r:.100}"
            )
        rows[:, 0] = np.unique(rows[:, 0], return_inverse=True)[1].ravel()  # rounds without gaps
        return np.ascontiguousarray(rows[np.argsort(rows[:, 2], kind="stable")])

    def _expect_once(self, pieces: Int64s) -> None:
        twice = np.flatnonzero(pieces[1:, 2] < pieces[:-1, 2] + pieces[:-1, 3])
        if twice.size:
            raise self._plugin.error(
                f"byte {pieces[twice[0] + 1, 2]} of the file is in two pieces that `plan` returned"
            )

    def _expect_all(self, pieces: Int64s, runs: list[Int64s]) -> None:
        """Each run must lie in pieces that touch each other."""
        if len(pieces):
            gap = np.flatnonzero(pieces[1:, 2] != pieces[:-1, 2] + pieces[:-1, 3])
            begin = pieces[np.concatenate(([0], gap + 1)), 2]
            end = (pieces[:, 2] + pieces[:, 3])[np.concatenate((gap, [len(pieces) - 1]))]
        else:
            begin, end = np.empty(0, np.int64), np.empty(0, np.int64)
        for rank, asked in enumerate(runs):
            asked = asked[asked[:, 1] > 0]
            if not len(asked):
                continue
            block = np.searchsorted(begin, asked[:, 0], side="right") - 1
            covered = np.where(block >= 0, np.concatenate((end, [-1]))[block], -1)  # up to this byte
            lost = np.flatnonzero(covered < asked.sum(axis=1))
            if lost.size:
                byte = max(int(asked[lost[0], 0]), int(covered[lost[0]]))
                raise self._plugin.error(
                    f"byte {byte}, which rank {rank} of the group accesses, is in no piece that `plan` returned"
                )
