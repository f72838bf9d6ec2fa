"""Which receive took which send: messages between two ranks of a communicator with one tag arrive in order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from striate.trace.trace import Trace

Int64s = NDArray[np.int64]


def matched(trace: Trace) -> tuple[Int64s, Int64s]:
    """(rows of sends, rows of their receives); a half whose other half was not recorded is left out."""
    mpi = trace.at_level("mpi")
    sends = np.flatnonzero(mpi & trace.of_kind("send", "sendrecv"))
    plain = np.flatnonzero(mpi & trace.of_kind("recv"))
    both = np.flatnonzero(mpi & trace.of_kind("sendrecv"))
    receives = np.concatenate([plain, both])
    rank, family = trace.column("rank").astype(np.int64), trace.column("communicator").astype(np.int64)
    to = _world(trace, family[sends], trace.column("peer")[sends].astype(np.int64))
    peer = np.concatenate([trace.column("peer")[plain], trace.column("source")[both]]).astype(np.int64)
    tag = np.concatenate([trace.column("tag")[plain], trace.column("source_tag")[both]]).astype(np.int64)
    source = _world(trace, family[receives], peer)
    sent = np.stack([rank[sends], to, trace.column("tag")[sends].astype(np.int64), family[sends]])
    taken = np.stack([source, rank[receives], tag, family[receives]])
    return _in_order(trace.column("start"), (sends, sent), (receives, taken))


def _world(trace: Trace, family: Int64s, peer: Int64s) -> Int64s:
    """World ranks of ranks in communicators; -1 where there is no such rank."""
    world = peer.copy()
    for number, communicator in enumerate(trace.header.communicators):
        if communicator.members is None:
            continue
        mine = np.flatnonzero(family == number)
        members = np.asarray(communicator.members, np.int64)
        inside = (peer[mine] >= 0) & (peer[mine] < len(members))
        world[mine] = np.where(inside, members[np.where(inside, peer[mine], 0)], -1)
    return np.where((world >= 0) & (world < trace.ranks), world, -1)


def _in_order(
    start: Int64s, sends: tuple[Int64s, Int64s], receives: tuple[Int64s, Int64s]
) -> tuple[Int64s, Int64s]:
    """The n-th send of an envelope goes to the n-th receive of it."""
    halves = []
    for rows, envelope in (sends, receives):
        known = (envelope[:2] >= 0).all(axis=0)
        rows, envelope = rows[known], envelope[:, known]
        order = np.lexsort((start[rows], *envelope))
        halves.append((rows[order], envelope[:, order]))
    (sent, one), (taken, other) = halves
    both = np.concatenate([one, other], axis=1)
    if not both.size:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    code = _codes(both)
    numbered = [_numbered(part) for part in (code[: len(sent)], code[len(sent) :])]
    key = [
        part * (len(code) + 1) + number
        for part, number in zip((code[: len(sent)], code[len(sent) :]), numbered, strict=True)
    ]
    _, at, to = np.intersect1d(key[0], key[1], assume_unique=True, return_indices=True)
    return sent[at], taken[to]


def _codes(columns: Int64s) -> Int64s:
    """A number for each column, the same for equal ones; by far quicker than `np.unique` along an axis."""
    order = np.lexsort(columns)
    new = (np.diff(columns[:, order], axis=1) != 0).any(axis=0)
    code = np.empty(len(order), np.int64)
    code[order] = np.concatenate([[0], np.cumsum(new)])
    return code


def _numbered(code: Int64s) -> Int64s:
    """0, 1, 2, ... within every stretch of equal codes."""
    if not len(code):
        return code
    first = np.flatnonzero(np.diff(code, prepend=code[0] - 1))
    return np.arange(len(code)) - np.repeat(first, np.diff(np.append(first, len(code))))
