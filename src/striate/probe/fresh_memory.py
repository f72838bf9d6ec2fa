"""Memory that a virtual machine's host has taken back: how much is still at hand, and how fast the host gives more."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from striate.probe.deadline import Deadline
from striate.probe.samples import Floats, Measurement, measured

READY, FRESH = "ready memory", "fresh memory: rate"
PAUSE_SECONDS = 2.5  # a host takes free memory back after about two seconds
_BLOCK = 4 * 1024**2
_SLOW = 1 / 3  # of the usual rate: a block into memory that the host had to give
_RUN = 4  # slow blocks in a row: a single one may be somebody else's doing
_LEAST = 0.1  # of all blocks that are slow, where memory is fresh at all
_MOST_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Round:
    """One file written once from end to end: the bytes before memory ran out, and the rates after that."""

    ready: int
    fresh: Floats


def measure_fresh_memory(path: Path, length: int, usual: float, seconds: float) -> list[Measurement]:
    """Files of `length` bytes, each after a pause; nothing where all memory is at hand, as it is on most machines.

    `usual` is the rate of writes into memory that was used before, in bytes per second.
    """
    rounds, deadline = list[Round](), Deadline(seconds)
    while len(rounds) < _MOST_ROUNDS and (not rounds or not deadline.over):
        if seconds > 1.5 * PAUSE_SECONDS:
            time.sleep(PAUSE_SECONDS)
        rounds.append(round_of(_block_rates(path, length), usual))
        if not rounds[0].fresh.size:
            break
    fresh = np.concatenate([one.fresh for one in rounds])
    if fresh.size < _LEAST * len(rounds) * (length // _BLOCK):
        return []
    how = f"files of {length // 1024**2} MiB written once, in blocks of 4 MiB, after a pause"
    return [
        measured(READY, "B", [float(one.ready) for one in rounds], how),
        measured(FRESH, "B/s", fresh, f"{how}: blocks into memory that the host gives"),
    ]


def round_of(rates: Floats, usual: float) -> Round:
    """What the rates of a file's blocks, in their order, say of the memory that they went into."""
    slow = rates < _SLOW * usual
    runs = np.convolve(slow, np.ones(_RUN), "valid") == _RUN if len(slow) >= _RUN else np.zeros(0, bool)
    if not runs.any():
        return Round(len(rates) * _BLOCK, np.zeros(0))
    first = int(np.argmax(runs))
    return Round(first * _BLOCK, rates[first:][slow[first:]])


def _block_rates(path: Path, length: int) -> Floats:
    block = memoryview(bytearray(_BLOCK))
    rates = []
    try:
        with path.open("wb", buffering=0) as file:
            for _ in range(length // _BLOCK):
                before = time.perf_counter()
                file.write(block)
                rates.append(_BLOCK / (time.perf_counter() - before))
    finally:
        path.unlink(missing_ok=True)
    return np.array(rates)
