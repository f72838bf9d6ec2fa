"""`python -m striate.apps.pmc3 MATRIX.nex ...` samples phylogenies, `... export FILE` writes MrBayes' files.

Under mpiexec the runs' chains are spread over the ranks.
"""

from __future__ import annotations

import fcntl
import os
import sys
import termios
import time
from pathlib import Path
from typing import Any

import click

from striate.errors import OutputError, StriateError, WorkloadError

WORLD_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE")


@click.command()
@click.argument("matrix", type=click.Path(path_type=Path))
@click.option("--runs", type=click.IntRange(1, 10**6), default=2, show_default=True)
@click.option("--chains", type=click.IntRange(1, 10**4), default=4, show_default=True)
@click.option("--generations", type=click.IntRange(1, 10**12), default=1000, show_default=True)
@click.option("--sample-frequency", type=click.IntRange(1), default=10, show_default=True)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True)
@click.option("--model", type=click.Choice(["jc69", "gtr+g"]), default="gtr+g", show_default=True)
@click.option("--temperature", type=click.FloatRange(0), default=0.1, show_default=True)
@click.option("--parallel-file", type=click.Path(path_type=Path), help="all ranks write into this one file")
@click.option(
    "--serial-files", type=click.Path(path_type=Path), help="rank 0 writes STEM.run1.p, STEM.run1.t, ..."
)
@click.option(
    "--buffer", "buffered", type=click.IntRange(1), default=1, help="samples kept before a write (lambda)"
)
@click.option(
    "--arrangement",
    type=click.Choice(["run", "generation"]),
    default="run",
    show_default=True,
    help="of the parallel file: an area for each run, or all runs' samples in the order of time",
)
@click.option(
    "--layout",
    help="ask the file system for this layout, such as simple:8:64KiB; varstrip alone, with --arrangement generation: "
    "a strip per rank, as large as its writes",
)
@click.option("--checkpoint-every", "every", type=click.IntRange(1), default=500, show_default=True)
@click.option("--restart", is_flag=True, help="continue from the last checkpoint")
@click.option("--force", is_flag=True, help="overwrite an existing output")
def sample(**options: Any) -> None:
    """Sample phylogenies of the sequences in MATRIX, a NEXUS file."""
    from striate.apps.pmc3.nexus import read_nexus
    from striate.apps.pmc3.run import sample_all
    from striate.apps.pmc3.sampler import Sampler, SamplerSettings

    comm = _world()
    output: Path | None = options["parallel_file"] or options["serial_files"]
    if output is None or (options["parallel_file"] and options["serial_files"]):
        raise click.UsageError("expected either --parallel-file or --serial-files")
    checkpoint, diagnosed = (output.with_name(f"{output.name}{end}") for end in (".ckp", ".mcmc"))
    files = [*(_serial_paths(options) or [output]), diagnosed]
    if options["restart"]:
        _refuse_missing([checkpoint, *files], comm)
    else:
        _clear_all([output, checkpoint, *files], comm, force=options["force"])
    names = ("runs", "chains", "generations", "sample_frequency", "seed", "model", "temperature")
    settings = SamplerSettings(**{name: options[name] for name in names})
    matrix = read_nexus(options["matrix"])
    sampler = Sampler(matrix, settings, comm)
    writer = _writer(options, settings, matrix.names, comm)
    diagnostics = _diagnostics(diagnosed, settings) if comm.rank == 0 else None
    samples = sample_all(
        sampler,
        writer,
        checkpoint,
        every=options["every"],
        restart=options["restart"],
        diagnostics=diagnostics,
    )
    if comm.rank == 0:
        click.echo(f"{samples} samples of each of {settings.runs} runs in {output}")
        click.echo(sampler.coupling.told())


def _diagnostics(path: Path, settings: Any) -> Any:
    from striate.apps.pmc3.diagnostics import McmcFile
    from striate.apps.pmc3.writers import identity

    return McmcFile(
        path, identity=identity(settings), model=settings.model, runs=settings.runs, chains=settings.chains
    )


def _serial_paths(options: dict[str, Any]) -> list[Path]:
    from striate.apps.pmc3.sample_files import run_paths

    stem, runs = options["serial_files"], options["runs"]
    return [path for run in range(runs) for path in run_paths(stem, run, runs)] if stem else []


def _clear_all(paths: list[Path], comm: Any, *, force: bool) -> None:
    """Make room for new output: rank 0 looks, and all ranks refuse, or go on when old files are gone."""
    existing = [path for path in paths if path.exists()] if comm.rank == 0 else []
    if comm.rank == 0 and force:
        for path in existing:
            path.unlink()
    found = comm.allgather(existing)[0]
    if found and not force:
        words = "the output exists; give --force to replace it, or --restart to continue the run"
        raise OutputError(words, at=str(found[0]))


def _refuse_missing(paths: list[Path], comm: Any) -> None:
    """A run that goes on needs its checkpoint and what it has written so far: rank 0 looks, and all refuse."""
    missing = comm.allgather([path for path in paths if not path.exists()])[0]
    if missing:
        what = "a checkpoint to restart from" if missing[0] == paths[0] else "the output to continue"
        raise OutputError(f"expected {what}, found none", at=str(missing[0]))


def _refuse_other_map(path: Path, described: Any, comm: Any) -> None:
    """A run that goes on writes its samples where those before lie: rank 0 looks, and all refuse another map."""
    from striate.apps.pmc3.parallel_file import PREAMBLE_BYTES, ParallelFileError, read_description

    refusal = ""
    if comm.rank == 0:
        with path.open("rb") as stream:
            preamble = stream.read(PREAMBLE_BYTES)
        try:
            found = read_description(preamble)
            if found.arrangement != described.arrangement:
                refusal = f"expected --arrangement {found.arrangement}, as it was begun, got {described.arrangement}"
            elif found.together != described.together:
                begun = f"--layout varstrip --buffer {found.together}" if found.together else "no strips"
                refusal = f"expected {begun}, as it was begun, got {described.together or 'no strips'}"
        except ParallelFileError as error:
            refusal = error.message
    refusal = comm.allgather(refusal)[0]
    if refusal:
        raise OutputError(refusal, at=str(path))


def _writer(options: dict[str, Any], settings: Any, names: tuple[str, ...], comm: Any) -> Any:
    from striate.apps.pmc3.lines import describe
    from striate.apps.pmc3.stores import MpiStore, PlainStore, SampleStore
    from striate.apps.pmc3.strips import strips_of
    from striate.apps.pmc3.writers import MappedWriter, SerialWriter, headers
    from striate.layout import parse

    heads = headers(names, settings)
    if options["serial_files"]:
        return SerialWriter(options["serial_files"], settings, heads, comm)
    strips = options["layout"] == "varstrip"  # without sizes: lambda gives them
    if strips and options["arrangement"] != "generation":
        raise WorkloadError(
            "expected --arrangement generation with --layout varstrip, "
            f"got --arrangement {options['arrangement']}",
            at="--layout",
        )
    path = options["parallel_file"]
    described = describe(
        settings.model,
        names,
        settings.runs,
        settings.generations,
        settings.sample_frequency,
        options["arrangement"],
        options["buffered"] if strips else 0,
    )
    if options["restart"]:
        _refuse_other_map(path, described, comm)
    layout = None if strips or not options["layout"] else parse(options["layout"])
    if strips and not options["restart"]:  # a file that is there keeps its strips
        layout = strips_of(described.format, comm.size)
    store: SampleStore = PlainStore(path) if comm.size == 1 else MpiStore(path, comm, layout)
    return MappedWriter(store, described, heads, comm, options["buffered"])


def _world() -> Any:
    """The communicator of all ranks; refuses to run as many copies that know nothing of each other."""
    from striate.apps.pmc3.sampler import Alone

    promised = max(
        (int(os.environ[name]) for name in WORLD_SIZES if os.environ.get(name, "").isdigit()), default=1
    )
    try:
        from mpi4py import MPI
    except ImportError:
        comm: Any = Alone()
        advice = "install mpi4py"
    else:
        comm = MPI.COMM_WORLD if MPI.COMM_WORLD.size > 1 else Alone()
        advice = "use the mpiexec of the MPI that mpi4py uses"
    if comm.size != promised and promised > 1:
        raise WorkloadError(
            f"expected {promised} ranks, as many as mpiexec started, "
            f"found {comm.size} in MPI_COMM_WORLD: {advice}"
        )
    return comm


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", "stem", type=click.Path(path_type=Path), required=True, help="stem of the files"
)
@click.option("--force", is_flag=True, help="overwrite existing files")
def export_files(file: Path, stem: Path, force: bool) -> None:
    """Write the .p and .t files of every run in FILE, as MrBayes reads them."""
    from striate.apps.pmc3.pack import export
    from striate.apps.pmc3.parallel_file import ParallelFile
    from striate.apps.pmc3.sample_files import run_paths

    with file.open("rb") as stream:
        runs = ParallelFile.open(stream).description.runs
        existing = [path for run in range(runs) for path in run_paths(stem, run, runs) if path.exists()]
        if existing and not force:
            raise OutputError("the output exists; give --force to replace it", at=str(existing[0]))
        samples = export(stream, stem)
    click.echo(f"{samples} samples of each of {runs} runs in {stem}.*")


def main(arguments: list[str]) -> int:
    """Run one command line; a refusal prints one line and, under MPI, ends all ranks."""
    exporting = arguments[:1] == ["export"]
    command = export_files if exporting else sample
    try:
        command.main(arguments[1:] if exporting else arguments, prog_name="pmc3", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return _end(error.exit_code)
    except (StriateError, OSError) as error:
        words = (
            str(error)
            if isinstance(error, StriateError)
            else f"{error.strerror or error} - at {error.filename}"
        )
        print(f"pmc3: {' '.join(words.splitlines())}", file=sys.stderr)
        return _end(1)
    return 0


def _end(status: int) -> int:
    """End every rank: one that refused must not leave the others waiting."""
    module = sys.modules.get("mpi4py.MPI")
    if module is not None and module.COMM_WORLD.size > 1:
        sys.stderr.flush()
        wait_until_read(sys.stderr.fileno())
        module.COMM_WORLD.Abort(status)
    return status


def wait_until_read(descriptor: int, *, seconds: float = 1.0) -> None:
    """Wait, at most so long, until a pipe is empty: a launcher that ends all ranks may drop what it has not read."""
    nothing, end = bytes(4), time.monotonic() + seconds
    try:
        while fcntl.ioctl(descriptor, termios.FIONREAD, nothing) != nothing and time.monotonic() < end:
            time.sleep(0.001)
    except OSError:
        return  # no pipe: a file or a terminal keeps what was written


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
