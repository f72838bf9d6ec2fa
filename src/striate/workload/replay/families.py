"""Communicators of a trace as those of a workload: disjoint groups share one, as the calls that made them did."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from striate.trace.header import TracedCommunicator
from striate.workload.application import WORLD, Communicator


def families(
    traced: Sequence[TracedCommunicator], ranks: int
) -> tuple[tuple[Communicator, ...], tuple[str, ...]]:
    """The workload's communicators, and the name of the one that stands for each of the trace's."""
    colors: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    keys: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
    names = []
    for communicator in traced:
        if communicator.members is None and communicator.name == WORLD:
            names.append(WORLD)
            continue
        members = (
            np.arange(ranks) if communicator.members is None else np.array(communicator.members, np.int64)
        )
        number = next((at for at, color in enumerate(colors) if (color[members] < 0).all()), len(colors))
        if number == len(colors):
            colors.append(np.full(ranks, -1, np.int64))
            keys.append(np.zeros(ranks, np.int64))
        colors[number][members] = colors[number].max() + 1
        keys[number][members] = np.arange(len(members))
        names.append(f"groups {number}")
    table = [Communicator(f"groups {at}", color, keys[at]) for at, color in enumerate(colors)]
    return (Communicator(WORLD), *table), tuple(names)
