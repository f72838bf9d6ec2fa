"""`striate advise TRACE [CLUSTER]`: what to change in a traced program, and what that would bring."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import json_option, output_option, progress, write_output

if TYPE_CHECKING:
    from striate.advice import Advice, Item
    from striate.advice.situation import Sample
    from striate.trace import Trace

SAMPLE_BYTES = 2**20


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.argument("cluster", required=False)
@json_option
@output_option("write the advice to a .json file, which `striate apply` reads")
def command(trace: Path, cluster: str | None, as_json: bool, output: Path | None, force: bool) -> None:
    """Say what to change in the program of TRACE, a trace of ours or another tool's log, with the largest gain first.

    Every gain is predicted with the change made: on CLUSTER where it is given, else on machines that answer requests
    as the trace shows. What may bring nothing is left out.
    """
    from striate.advice import advise
    from striate.advice.advise import RULES
    from striate.cli.clusters import find_cluster
    from striate.cli.output import refuse_overwrite
    from striate.formats.read import read_trace

    if output is not None:
        if output.suffix != ".json":
            raise click.UsageError(f"expected an output ending in .json, got {output.name!r}")
        refuse_overwrite(output, force=force)
    machine = find_cluster(cluster)[0] if cluster else None
    found = read_trace(trace)
    with progress("looking", total=len(RULES)) as advance:
        advice = advise(found, machine, samples=samples_of(found), progress=lambda rule: advance(1))
    if output is not None:
        write_output(output, advice.to_json(), force=force)
    click.echo(advice.to_json() if as_json else advice_text(advice), nl=not as_json)


def samples_of(trace: Trace, *, most: int = 4) -> dict[str, Sample]:
    """How the largest written files compress, where they are still here."""
    found = {}
    rows = sorted(trace.per_file().to_pylist(), key=lambda row: -row["bytes_written"])
    for row in rows[:most]:
        path = Path(row["file"])
        if row["bytes_written"] and path.is_absolute() and path.is_file():
            sample = _sample(path)
            if sample is not None:
                found[row["file"]] = sample
    return found


def _sample(path: Path) -> Sample | None:
    import time

    import numpy as np

    from striate.advice.situation import Sample
    from striate.runtime.store.codec import pipeline_from

    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size // 2 - SAMPLE_BYTES // 2))
            raw = np.frombuffer(file.read(SAMPLE_BYTES), np.uint8)
    except OSError:
        return None
    if not raw.size:
        return None
    pipeline = pipeline_from("blosc", 8)
    begin = time.process_time()
    stored = pipeline.encode(raw)
    spent = max(time.process_time() - begin, 1e-9)
    return Sample(stored.size / raw.size, spent / raw.size, "blosc")


def advice_text(advice: Advice) -> str:
    """All items on one screen, the largest gain first."""
    from striate.units import about_seconds

    name = " ".join(word.rsplit("/", 1)[-1] for word in advice.program.split()[:2]) or "the program"
    run, io = about_seconds(advice.run_seconds), about_seconds(advice.io_seconds)
    head = f"{name}: {run}, of it up to {io} of a rank in I/O"
    parts = [head, *(item_text(item) for item in advice.items)]
    if not advice.items:
        parts.append("no change is sure to help")
    return "\n\n".join(parts + ["\n".join(f"note: {note}" for note in advice.notes)] * bool(advice.notes))


def item_text(item: Item) -> str:
    """One item: title and gain, evidence, change, how to verify."""
    from striate.units import about_seconds, about_size

    gain = f"{about_seconds(item.gain.estimate)} ({about_seconds(item.gain.low)} to {about_seconds(item.gain.high)})"
    lines = [
        f"{item.severity}: {item.title} - saves {gain}, {item.share:.1%} of the run",
        f"  seen    {item.evidence.words}",
        f"          {item.evidence.operations:,} operations, {about_size(item.evidence.bytes)}, "
        f"{about_seconds(item.evidence.seconds)} summed over ranks",
        f"  change  {item.change.words}",
    ]
    lines += [f"          hint {key} = {value}" for key, value in item.change.hints.items()]
    lines += [f"          $ {command}" for command in item.change.commands]
    lines += [f"          export {key}={value}" for key, value in item.change.environment.items()]
    lines += [f"          {item.change.code}"] * bool(item.change.code)
    if item.change.runtime:
        settings = ", ".join(f"{key}={value!r}" for key, value in item.change.runtime.items())
        lines.append(f"          striate.runtime: {settings}")
    return "\n".join([*lines, f"  verify  {item.verify}"])
