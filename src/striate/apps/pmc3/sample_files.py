"""MrBayes' .p and .t files as headers and lines, and the names they go by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from striate.errors import TraceError

TREE_END = b"end;\n"


class SampleFileError(TraceError):
    """A .p or .t file that is not as MrBayes writes it."""


@dataclass(frozen=True)
class RunSamples:
    """What one run wrote: two headers, and as many parameter as tree lines."""

    parameter_header: bytes
    parameter_lines: tuple[bytes, ...]
    tree_header: bytes
    tree_lines: tuple[bytes, ...]

    @property
    def samples(self) -> int:
        """Samples that both files have: an interrupted run may end after a line of one."""
        return min(len(self.parameter_lines), len(self.tree_lines))


def run_paths(stem: Path, run: int, runs: int) -> tuple[Path, Path]:
    """Names of the .p and .t file of a run, counted from 0; a single run has no number in its names."""
    name = stem.name if runs == 1 else f"{stem.name}.run{run + 1}"
    return stem.with_name(f"{name}.p"), stem.with_name(f"{name}.t")


def read_run(stem: Path, run: int, runs: int) -> RunSamples:
    """Both files of one run."""
    parameters, trees = run_paths(stem, run, runs)
    head, lines = split_parameters(parameters.read_bytes(), source=str(parameters))
    tree_head, tree_lines = split_trees(trees.read_bytes(), source=str(trees))
    return RunSamples(head, lines, tree_head, tree_lines)


def split_parameters(content: bytes, *, source: str | None = None) -> tuple[bytes, tuple[bytes, ...]]:
    """Header (the identity and the column names) and data lines of a .p file."""
    lines = content.splitlines(keepends=True)
    names = next((number for number, line in enumerate(lines) if line.startswith(b"Gen\t")), None)
    if names is None:
        raise SampleFileError(
            'expected a line of column names that begins with "Gen", found none', source=source
        )
    return b"".join(lines[: names + 1]), _whole(lines[names + 1 :], source)


def split_trees(content: bytes, *, source: str | None = None) -> tuple[bytes, tuple[bytes, ...]]:
    """Header (up to the translate block) and tree lines of a .t file, its "end;" left out."""
    lines = content.splitlines(keepends=True)
    first = next(
        (number for number, line in enumerate(lines) if line.lstrip().startswith(b"tree ")), len(lines)
    )
    body = [line for line in lines[first:] if line.strip().lower() != b"end;"]
    if first == len(lines) or not lines[0].upper().startswith(b"#NEXUS"):
        raise SampleFileError(
            'expected #NEXUS in the first line and at least one line that begins with "tree"', source=source
        )
    return b"".join(lines[:first]), _whole(body, source)


def _whole(lines: list[bytes], source: str | None) -> tuple[bytes, ...]:
    """Whole lines: a last one without its newline was cut off, one between is a mistake."""
    if lines and not lines[-1].endswith(b"\n"):
        lines = lines[:-1]
    for number, line in enumerate(lines):
        if not line.strip():
            raise SampleFileError(
                "expected a line with a sample, found an empty line", at=f"sample {number}", source=source
            )
    return tuple(lines)


def file_contents(samples: RunSamples, count: int) -> tuple[bytes, bytes]:
    """The .p and .t file of the first `count` samples, byte for byte as MrBayes writes them."""
    parameters = samples.parameter_header + b"".join(samples.parameter_lines[:count])
    trees = samples.tree_header + b"".join(samples.tree_lines[:count]) + TREE_END
    return parameters, trees


def write_runs(stem: Path, all_runs: Iterable[RunSamples]) -> int:
    """Write the files of all runs, cut to the samples that every run has; their number."""
    runs = list(all_runs)
    count = min(samples.samples for samples in runs)
    for run, samples in enumerate(runs):
        for path, content in zip(run_paths(stem, run, len(runs)), file_contents(samples, count), strict=True):
            path.write_bytes(content)
    return count
