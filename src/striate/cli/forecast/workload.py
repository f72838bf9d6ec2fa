"""`striate workload show PROGRAM`: what was understood of a program, before anything is forecast."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import deliver, json_option, output_option, refuse_overwrite

if TYPE_CHECKING:
    from striate.workload.summary import ApplicationSummary


@click.group()
def command() -> None:
    """Show how Striate interprets a program, without a forecast."""


@command.command()
@click.argument("program")
@click.option("--ranks", type=click.IntRange(min=1), help="number of MPI ranks of the program")
@json_option
@output_option("write the answer to this file")
def show(program: str, ranks: int | None, as_json: bool, output: Path | None, force: bool) -> None:
    """Print ranks, files, bytes, calls and phases of PROGRAM, given in any form that `striate predict` accepts."""
    from striate.cli.forecast.training import show_job
    from striate.cli.programs import find_workload
    from striate.errors import WorkloadError
    from striate.importers.kinds import is_dlio
    from striate.workload import Workload
    from striate.workload.summary import summary_of

    if output is not None:
        refuse_overwrite(output, force=force)
    if is_dlio(program):
        show_job(program, ranks, as_json=as_json, output=output, force=force)
        return
    workload, _ = find_workload(program, ranks=ranks)
    if not isinstance(workload, Workload):
        raise WorkloadError(
            "expected a program that lists the operations of each rank, got one that describes a stream of data blocks",
            source=program,
        )
    found = summary_of(workload)
    text = "\n\n".join(map(_text, found.applications))
    deliver(found, text, as_json=as_json, output=output, force=force)


def _text(one: ApplicationSummary) -> str:
    from striate.printable import columns, one_line
    from striate.units import about_size, counted

    rows = [("written", f"{one.bytes_written:,} bytes", about_size(one.bytes_written))]
    rows.append(("read", f"{one.bytes_read:,} bytes", about_size(one.bytes_read)))
    if one.reused_buffer is not None:
        rows.append(("buffer", f"{one.reused_buffer:,} bytes", about_size(one.reused_buffer)))
    rows += [(kind, counted(count, "call"), "") for kind, count in one.calls.items()]
    head = f"{one_line(one.name)}: {counted(one.ranks, 'rank')}, {counted(one.files, 'file')}"
    phases = f"\nphases: {', '.join(map(one_line, one.phases))}" if one.phases else ""
    return f"{head}{phases}\n\n{columns(rows, numbers_from=1)}"
