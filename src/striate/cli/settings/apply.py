"""`striate apply TUNED -o FOLDER`: write settings down where programs find them, and run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from striate.cli.output import json_option, print_json, progress, say, write_output
from striate.errors import TuningError

if TYPE_CHECKING:
    from striate.apps.rerun import Rerun
    from striate.tuning.apply import ApplyPlan
    from striate.tuning.tuned import Tuned

SCHEMA = "striate.applied/1"


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="folder to which the files with the settings are written",
)
@click.option("--force", is_flag=True, help="overwrite files that are there")
@click.option(
    "--rerun",
    "again",
    is_flag=True,
    help="run the tuned program without and with the settings, and compare the times",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="for --rerun: number of runs without the settings, and of runs with the settings, in alternation",
)
@click.option(
    "--now",
    type=click.Path(path_type=Path),
    help="for --rerun: .toml file with the settings of the runs to compare with (default: the settings from which "
    "`striate tune` started)",
)
@json_option
def command(
    source: Path, output: Path, force: bool, again: bool, repeats: int, now: Path | None, as_json: bool
) -> None:
    """Read I/O settings from SOURCE and write them to a folder, as files that a job can use.

    SOURCE is a file that `striate tune -o x.toml` or `striate advise -o x.json` wrote. The folder gets hints.txt and
    environment.sh (ROMIO_HINTS, MPICH_MPIIO_HINTS) for MPI-IO, commands.sh for the file system (`lfs setstripe`), and
    runtime.toml for programs that write with the Python package striate.runtime.

    With --rerun, a tuned program that writes with striate.runtime is run without and with the settings, and the
    measured times are written to rerun.json.
    """
    from striate.cli.output import refuse_overwrite

    tuned, plan = _plan(source)
    files = plan.files(output)
    if again and (tuned is None or "runtime.toml" not in files):
        raise TuningError(
            "--rerun needs settings tuned for a program that writes with striate.runtime, got other settings",
            source=str(source),
        )
    output.mkdir(exist_ok=True)
    for name in (*files, *["rerun.json"] * again):
        refuse_overwrite(output / name, force=force)
    for name, content in files.items():
        write_output(output / name, content, force=force)
    measured = None
    if again and tuned is not None:
        measured = _rerun(tuned, output, repeats, now)
        write_output(output / "rerun.json", measured.to_json(), force=force)
    if as_json:
        document: dict[str, Any] = {"schema": SCHEMA, "files": sorted(files), "notes": list(plan.notes)}
        print_json(document | {"rerun": measured.to_dict() if measured else None})
    else:
        say(_text(output, files, plan, measured))


def _plan(source: Path) -> tuple[Tuned | None, ApplyPlan]:
    from striate.advice import Advice
    from striate.apps.registry import find, names
    from striate.limits import SMALL_FILE, read_bounded
    from striate.tuning.apply import plan_of_changes, plan_of_tuned
    from striate.tuning.tuned import Tuned

    if source.suffix == ".json":
        advice = Advice.from_json(read_bounded(source, SMALL_FILE, kind=TuningError), source=str(source))
        return None, plan_of_changes([item.change for item in advice.items])
    tuned = Tuned.load(source)
    on_runtime = tuned.program in names() and find(tuned.program).on_runtime
    return tuned, plan_of_tuned(tuned, {} if on_runtime else _hints(tuned), on_runtime=on_runtime)


def _hints(tuned: Tuned) -> dict[str, str]:
    """What an MPI library's own I/O understands of the settings."""
    from striate.layout import SimpleStripe, VarStrip, parse
    from striate.runtime import hints
    from striate.units import size

    given = tuned.settings
    found: dict[str, str] = {}
    if "layout" in given:
        found |= hints(layout=parse(str(given["layout"])))
    elif "strips" in given:
        found |= hints(layout=VarStrip(str(given["strips"])))
    elif "servers" in given and "unit" in given:
        found |= hints(layout=SimpleStripe(_whole(given, "servers"), size(str(given["unit"]))))
    elif "servers" in given:
        found["striping_factor"] = str(_whole(given, "servers"))
    elif "unit" in given:
        found["striping_unit"] = str(size(str(given["unit"])))
    found |= _multiplier(given.get("aggregators"))
    counted = "aggregators" in given and not isinstance(given["aggregators"], str)
    aggregators = _whole(given, "aggregators") if counted else None
    return found | hints(aggregators=aggregators, aggregator_buffer=given.get("buffer"))


def _multiplier(aggregators: object) -> dict[str, str]:
    """Aggregators per stripe as Cray MPICH takes them; "all" and "nodes" are what a library chooses itself."""
    from striate.errors import WorkloadError
    from striate.workload.collective_io import parse_aggregators

    if not isinstance(aggregators, str):
        return {}
    try:
        _, per_stripe = parse_aggregators(aggregators)
    except WorkloadError as error:
        raise TuningError(error.message, at="$.settings.aggregators") from None
    return {"cray_cb_nodes_multiplier": str(per_stripe), "romio_cb_write": "enable"} if per_stripe else {}


def _whole(settings: dict[str, Any], key: str) -> int:
    try:
        return int(settings[key])
    except (TypeError, ValueError, OverflowError):  # text, and numbers that are none
        raise TuningError(
            f"expected a whole number as the setting {key}, got {settings[key]!r:.60}", at=f"$.settings.{key}"
        ) from None


def _rerun(tuned: Tuned, output: Path, repeats: int, now: Path | None) -> Rerun:
    from striate.apps.rerun import rerun

    with progress("running", total=2 * repeats) as advance:
        return rerun(
            tuned,
            output / "runtime.toml",
            repeats=repeats,
            folder=output,
            now=now,
            progress=lambda: advance(1),
        )


def _text(output: Path, files: dict[str, str], plan: ApplyPlan, measured: Rerun | None) -> str:
    import statistics

    from striate.units import about_seconds

    lines = [f"wrote {output / name}" for name in sorted(files)] or ["nothing to write"]
    if "environment.sh" in files:
        lines.append(f"use them with: . {output / 'environment.sh'}")
    lines += [f"note: {note}" for note in plan.notes]
    if measured is not None:
        was, will = (about_seconds(statistics.median(times)) for times in (measured.before, measured.after))
        gain = measured.measured_gain
        lines += [
            "",
            f"measured: {was} without, {will} with the settings (medians of {len(measured.before)} alternating runs)",
            f"measured gain: {gain.estimate:.1%} ({gain.low:.1%} to {gain.high:.1%}, from quartiles)",
        ]
        if measured.predicted_gain is not None:
            lines.append(f"predicted gain: {measured.predicted_gain:.1%}")
    return "\n".join(lines)
