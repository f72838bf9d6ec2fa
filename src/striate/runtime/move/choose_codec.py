"""Choosing a codec: a sample is tried, and compression is used only where it makes the write faster."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.state import State
from striate.runtime.store.codec import Pipeline, pipeline_from
from striate.runtime.store.commit import TRIAL
from striate.runtime.store.frame import as_records

Bytes = npt.NDArray[np.uint8]

SAMPLE_BYTES = 2**20


@dataclass(frozen=True)
class Trial:
    """What one sample cost: to write it as it is, to compress it, and how much of it was left."""

    write_seconds: float
    compress_seconds: float
    share: float

    @property
    def pays(self) -> bool:
        """True when compressing and writing the rest is faster than writing all."""
        return self.compress_seconds + self.share * self.write_seconds < self.write_seconds


def choose_codec(state: State, chunks: list[Bytes]) -> State:
    """Collective: the state with the codec that most of the ranks with data found to pay, or with none."""
    pipeline = pipeline_from("blosc", state.dtype.itemsize)
    gains = 0
    with Collective(state.ranks):
        if chunks:
            gains = 1 if try_sample(chunks[0], pipeline, state).pays else -1
    votes = state.ranks.gather_rows(np.array([gains], np.int64)).sum()
    return replace(state, pipeline=pipeline if votes > 0 else Pipeline(()), choose_codec=False)


def try_sample(chunk: Bytes, pipeline: Pipeline, state: State) -> Trial:
    """Compress and write part of a chunk, and look at the clock."""
    size = state.dtype.itemsize
    sample = chunk[: max(size, min(chunk.size, SAMPLE_BYTES) // size * size)]
    begin = time.perf_counter()
    encoded = pipeline.encode(as_records(sample, size))
    compressed = time.perf_counter()
    _write_once(sample, state)
    written = time.perf_counter()
    return Trial(written - compressed, compressed - begin, encoded.size / sample.size)


def _write_once(sample: Bytes, state: State) -> None:
    folder = state.store.folder(state.ranks.rank % len(state.plan.server_ranks))
    path = folder / TRIAL.format(identity=state.identity, rank=state.ranks.rank)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        path.unlink()  # the file lives on until it is closed: a program that is killed leaves none
        os.write(descriptor, sample.data)
        if state.options.sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
