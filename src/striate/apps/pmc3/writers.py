"""Two ways to write samples: every rank into the mapped file, or all through rank 0 into MrBayes' files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from striate.apps.pmc3 import lines
from striate.apps.pmc3.parallel_file import SampleDescription, mark
from striate.apps.pmc3.sample_files import TREE_END, RunSamples, file_contents, read_run, run_paths
from striate.apps.pmc3.sampler import SamplerComm, SamplerSettings
from striate.apps.pmc3.stores import SampleStore
from striate.layout.mapped.line_buffer import Batch, LineBuffer

ColdLines = dict[int, tuple[bytes, bytes]]


class Writer(Protocol):
    """Takes the lines of the cold chains a rank holds; all methods are called on all ranks."""

    def start_all(self, samples: int) -> None:
        """Begin a new output, or go on after `samples` samples."""

    def put_all(self, sample: int, cold: ColdLines) -> None: ...

    def flush_all(self) -> None:
        """Return when every sample put so far is on disk."""

    def mark_all(self, turn: int, samples: int) -> None: ...

    def close_all(self) -> None: ...


class MappedWriter:
    """Every rank writes its lines where the map says: nobody sends, nobody waits (thesis 003, section 6.2)."""

    def __init__(
        self,
        store: SampleStore,
        description: SampleDescription,
        headers: tuple[bytes, bytes],
        comm: SamplerComm,
        generations: int,
    ) -> None:
        self._store, self._description, self._headers, self._comm = store, description, headers, comm
        self._map, self._format = description.record_map(), description.format
        self._buffer = LineBuffer(self._map, generations)

    def start_all(self, samples: int) -> None:
        if self._comm.rank == 0 and samples == 0:
            self._store.write_at(0, self._description.preamble())
            for run in range(self._description.runs):
                for name, content in zip(("parameter_header", "tree_header"), self._headers, strict=True):
                    self._store.write_at(int(self._map.offset(name, run=run)), content)
            self._store.write_at(self._map.size - 1, b"\0")
        self._store.sync_all()

    def put_all(self, sample: int, cold: ColdLines) -> None:
        for run, (parameter, tree) in cold.items():
            where = self._format.indices(run, sample)
            self._buffer.add("parameter", parameter, **where)
            self._buffer.add("tree", tree, **where)
        self._write(self._buffer.end_sample())

    def flush_all(self) -> None:
        self._write(self._buffer.flush())
        self._store.sync_all()

    def mark_all(self, turn: int, samples: int) -> None:
        if self._comm.rank == 0:
            self._store.write_at(int(self._map.offset("mark", turn=turn % 2)), mark(samples))
        self._store.sync_all()

    def close_all(self) -> None:
        self._store.close_all()

    def _write(self, batch: Batch | None) -> None:
        """Neighbouring lines go out as one write."""
        if batch is None:
            return
        taken = 0
        joined = batch.extents.merged()
        for offset, size in zip(joined.offsets.tolist(), joined.sizes.tolist(), strict=True):
            self._store.write_at(offset, batch.payload[taken : taken + size])
            taken += size


class SerialWriter:
    """The old way: all lines go to rank 0, which writes a .p and a .t file for every run, in order."""

    def __init__(
        self, stem: Path, settings: SamplerSettings, headers: tuple[bytes, bytes], comm: SamplerComm
    ) -> None:
        self._stem, self._runs, self._headers, self._comm = stem, settings.runs, headers, comm
        self._files: list[tuple[Any, Any]] = []

    def start_all(self, samples: int) -> None:
        if self._comm.rank != 0:
            return
        for run in range(self._runs):
            kept = self._kept(run, samples)
            paths = run_paths(self._stem, run, self._runs)
            for path, content in zip(paths, file_contents(kept, samples), strict=True):
                path.write_bytes(content.removesuffix(TREE_END))
            self._files.append((paths[0].open("ab"), paths[1].open("ab")))

    def _kept(self, run: int, samples: int) -> RunSamples:
        if samples == 0:
            return RunSamples(self._headers[0], (), self._headers[1], ())
        return read_run(self._stem, run, self._runs)

    def put_all(self, sample: int, cold: ColdLines) -> None:
        gathered: ColdLines = {run: pair for part in self._comm.allgather(cold) for run, pair in part.items()}
        for run, files in enumerate(self._files):
            for file, line in zip(files, gathered[run], strict=True):
                file.write(line)
                file.flush()

    def flush_all(self) -> None:
        """Nothing: every line was flushed when it came."""

    def mark_all(self, turn: int, samples: int) -> None:
        """Nothing: these files carry no mark."""

    def close_all(self) -> None:
        for parameters, trees in self._files:
            trees.write(TREE_END)
            parameters.close()
            trees.close()


def headers(names: Sequence[str], settings: SamplerSettings) -> tuple[bytes, bytes]:
    """The parameter and the tree header, the same for all runs; the seed is the identity."""
    number = identity(settings)
    return lines.parameter_header(settings.model, number), lines.tree_header(names, number)


def identity(settings: SamplerSettings) -> int:
    """What MrBayes' files of one analysis have in common."""
    return settings.seed % 10**10
