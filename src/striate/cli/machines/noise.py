"""`striate noise learn RUNS.csv` and `striate noise show`: how much the same job differs from day to day."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import (
    json_option,
    output_option,
    print_json,
    refuse_ending,
    refuse_overwrite,
    say,
    write_output,
)

if TYPE_CHECKING:
    from striate.noise.model import Noise


@click.group()
def command() -> None:
    """Learn from repeated runs how much other jobs slow a job down on a shared machine."""


@command.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
@output_option(
    "write the slowdowns (times of runs in multiples of the time alone) to a .json file, for --noise of "
    "`striate predict` and `striate compare`"
)
def learn(runs: tuple[Path, ...], as_json: bool, output: Path | None, force: bool) -> None:
    """Learn from RUNS, which are CSV tables with one row per run, how much the times of repeated runs differ.

    A table of runs has the columns machine, program, ranks, and seconds or rate; the columns start and bytes are
    optional. Job summaries of the TOKIO project (.csv.gz) are accepted as they are.
    """
    from striate.noise.learn import learn as learnt
    from striate.noise.runs import read_runs

    if output is not None:
        refuse_ending(output, ".json")
        refuse_overwrite(output, force=force)
    tables = [read_runs(path) for path in runs]
    series = [one for table in tables for one in table.series]
    noise = learnt(series, source=", ".join(path.name for path in runs))
    left_out = {
        "without a time": sum(table.without_time for table in tables),
        "that moved another amount of data": sum(table.other_jobs for table in tables),
        "of jobs with too few runs": sum(len(one.log_seconds) for one in series)
        - sum(one.runs for one in noise.series),
    }
    for why, count in left_out.items():
        if count:
            say(f"left out: {count:,} runs {why}", error=True)
    if output is not None:
        write_output(output, noise.to_json(), force=force)
    _print(noise, as_json)


@command.command()
@click.argument("name", default="tokio")
@json_option
def show(name: str, as_json: bool) -> None:
    """Print how much longer jobs take on a shared machine than alone.

    NAME is a file that `striate noise learn` wrote, or tokio (the default), a bundled table of jobs (TOKIO project).
    """
    from striate.noise.model import load_noise

    _print(load_noise(name), as_json)


def _print(noise: Noise, as_json: bool) -> None:
    if as_json:
        print_json(noise)
    else:
        say(noise_text(noise))


def noise_text(noise: Noise) -> str:
    """A line per series: its runs, a usual day, and the 90 % range of the next ones."""
    from striate.noise.model import BAD, USUAL
    from striate.printable import columns, one_line

    rows: list[tuple[str, ...]] = [("job", "runs", "usual day", "bad day", "90 % of next runs", "")]
    for one in (*noise.series, noise.pooled):
        days = (f"{one.slowdowns[day]:.2f}" for day in (USUAL, BAD))
        span = one.next_runs
        rows.append((one.name, f"{one.runs:,}", *days, f"{span.low:.2f}", f"to {span.high:.2f}"))
    return f"time in multiples of the time alone, from {one_line(noise.source)}\n\n" + columns(
        rows, numbers_from=1
    )
