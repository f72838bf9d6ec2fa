"""Sample files into a parallel file, and back: what a sampler writes record by record, made from files at hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from striate.apps.pmc3.format import Arrangement
from striate.apps.pmc3.parallel_file import ParallelFile, SampleDescription, mark
from striate.apps.pmc3.sample_files import RunSamples, write_runs
from striate.errors import LayoutError
from striate.layout.mapped.line_buffer import Batch, LineBuffer


def describe(runs: Sequence[RunSamples], arrangement: Arrangement = "run") -> SampleDescription:
    """A format with room for the longest line of each kind; refuses runs whose headers differ in size."""
    heads = {(len(run.parameter_header), len(run.tree_header)) for run in runs}
    if len(heads) != 1:
        raise LayoutError(
            "expected file headers of the same size in all runs, "
            f"got (.p header, .t header) sizes of {sorted(heads)} bytes"
        )
    ((parameter_header, tree_header),) = heads
    return SampleDescription(
        runs=len(runs),
        lines=min(run.samples for run in runs),
        parameter_line=max(len(line) for run in runs for line in run.parameter_lines),
        tree_line=max(len(line) for run in runs for line in run.tree_lines),
        parameter_header=parameter_header,
        tree_header=tree_header,
        arrangement=arrangement,
    )


def pack(
    stream: BinaryIO, runs: Sequence[RunSamples], description: SampleDescription, generations: int = 1
) -> None:
    """Write the runs through the map, `generations` samples a write, and mark them complete at the end."""
    record_map = description.record_map()
    stream.write(description.preamble())
    stream.truncate(record_map.size)
    for run, samples in enumerate(runs):
        for name in ("parameter_header", "tree_header"):
            stream.seek(int(record_map.offset(name, run=run)))
            stream.write(getattr(samples, name))
    buffer = LineBuffer(record_map, generations)
    for line in range(description.lines):
        for run, samples in enumerate(runs):
            buffer.add("parameter", samples.parameter_lines[line], run=run, line=line)
            buffer.add("tree", samples.tree_lines[line], run=run, line=line)
        write_batch(stream, buffer.end_sample(checkpoint=line == description.lines - 1))
    stream.seek(int(record_map.offset("mark", turn=0)))
    stream.write(mark(description.lines))


def write_batch(stream: BinaryIO, batch: Batch | None) -> None:
    """Put a batch where it belongs; None is nothing to do."""
    if batch is None:
        return
    taken = 0
    for offset, size in zip(batch.extents.offsets.tolist(), batch.extents.sizes.tolist(), strict=True):
        stream.seek(offset)
        stream.write(batch.payload[taken : taken + size])
        taken += size


def export(stream: BinaryIO, stem: Path) -> int:
    """Write the .p and .t files of every run that MrBayes reads; how many samples they have."""
    file = ParallelFile.open(stream)
    return write_runs(stem, (file.run(run) for run in range(file.description.runs)))
