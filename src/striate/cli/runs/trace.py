"""`striate trace -- mpiexec -n 8 PROGRAM`: record what a program does, with MPI or without."""

from __future__ import annotations

from pathlib import Path

import click

from striate.cli.output import output_option, refuse_ending, refuse_overwrite, say

_SHORTEST, _LONGEST = 1e-3, 3600.0  # seconds between two samples
LEVELS = {
    "mpi-io": ("mpi-io",),
    "mpi": ("mpi-io", "mpi"),
    "posix": ("mpi-io", "posix"),
    "all": ("mpi-io", "mpi", "posix"),
}


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, required=True, metavar="-- COMMAND...")
@click.option(
    "--level",
    type=click.Choice(list(LEVELS)),
    default="all",
    help="calls to record: MPI-IO only (mpi-io), also messages and collectives (mpi), MPI-IO and POSIX (posix), or "
    "all of these (default: all)",
)
@click.option(
    "--max-memory",
    default="1 GiB",
    help="memory per process for the recorded events; when this memory is full, further operations are only counted "
    "(default: 1 GiB)",
)
@click.option(
    "--sample", help="also sample CPU, memory, network and disk of every host at this interval, such as 100ms"
)
@click.option(
    "--scratch",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="directory in which processes store their events during the run, visible to all hosts (default: the "
    "directory of the trace)",
)
@output_option("the trace to write (default: run.parquet)")
def command(
    words: tuple[str, ...],
    level: str,
    max_memory: str,
    sample: str | None,
    scratch: Path | None,
    output: Path | None,
    force: bool,
) -> int:
    """Run COMMAND, an MPI launcher with its program or any other command, and write a trace of its MPI and file calls.

    If the program does not use MPI, each thread that does file I/O is a rank of the trace.

    Example: striate trace -o run.parquet -- mpiexec -n 8 ./solver input.nml

    Example: striate trace -o train.parquet -- python train.py
    """
    from striate import units
    from striate.record.launch import record

    target = output or Path("run.parquet")
    refuse_ending(target, ".parquet")
    refuse_overwrite(target, force=force)
    recording = record(
        words,
        scratch=(scratch or target.parent).resolve(),
        levels=LEVELS[level],
        max_bytes=units.size(max_memory),
        sample_seconds=_interval(sample),
    )
    recording.trace.save(target)
    say(f"wrote {target}: {recording.trace!r}", error=True)
    for flag in recording.trace.header.flags:
        say(f"note: {flag.message}", error=True)
    if recording.exit_status:
        say(f"striate: the command ended with status {recording.exit_status}", error=True)
    return 1 if recording.exit_status else 0


def _interval(text: str | None) -> float:
    """Seconds between two looks at a host, 0 for none."""
    from striate import units
    from striate.errors import UnitError

    if text is None:
        return 0.0
    seconds = units.seconds(text)
    if not _SHORTEST <= seconds <= _LONGEST:
        raise UnitError(f"expected a time from 1 ms to 1 h between two samples, got {text!r}", at="--sample")
    return seconds
