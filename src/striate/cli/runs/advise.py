"""`striate advise TRACE [CLUSTER]`: what to change in a traced program, and what that would bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from striate.cli.output import (
    json_option,
    memory_option,
    output_option,
    progress,
    say,
    say_json,
    write_output,
)

if TYPE_CHECKING:
    from striate.advice import Advice, Item
    from striate.advice.facts import Sample
    from striate.advice.folder import FolderAdvice, LogAdvice
    from striate.trace import Trace

SAMPLE_BYTES = 2**20


@click.command()
@click.argument("trace", type=click.Path(path_type=Path))
@click.argument("cluster", required=False)
@memory_option
@json_option
@output_option(
    "write the advice to a .json file, which `striate apply` reads; for a folder of logs, to a .jsonl file"
)
@click.option(
    "--open-files",
    is_flag=True,
    help="open the largest files that TRACE names, if they still exist, to see how well they compress",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    help="number of processes that read the logs of a folder (default: one per CPU)",
)
def command(
    trace: Path,
    cluster: str | None,
    as_json: bool,
    output: Path | None,
    force: bool,
    open_files: bool,
    jobs: int | None,
) -> int:
    """Diagnose the I/O of TRACE, a trace of Striate or the log of a tool such as Darshan, and say what to change.

    The gain of each change is a range, estimated by a cost model that is fitted to the trace. With CLUSTER (a cluster
    description or a bundled machine), the gain is simulated on that cluster if TRACE records single accesses.
    Diagnostic rules that could not be applied to the trace are listed with the reason.

    TRACE may be a folder of Darshan logs; the logs are then diagnosed in parallel and ranked by the time that can be
    saved. With `-o advice.jsonl`, the advice on each log of the folder is written as soon as it is complete, and logs
    whose advice is already in this file are skipped.
    """
    from striate.advice import advise
    from striate.advice.advise import RULES
    from striate.cli.clusters import find_cluster
    from striate.cli.output import refuse_overwrite
    from striate.formats.read import read_trace

    if _is_folder_of_logs(trace):
        return _advise_folder(trace, cluster, as_json, output, force, jobs)
    if output is not None:
        if output.suffix != ".json":
            raise click.UsageError(f"expected an output file ending in .json, got {output.name!r}")
        refuse_overwrite(output, force=force)
    machine = find_cluster(cluster)[0] if cluster else None
    found = read_trace(trace)
    with progress("looking", total=len(RULES)) as advance:
        advice = advise(
            found, machine, samples=samples_of(found) if open_files else {}, progress=lambda rule: advance(1)
        )
    if output is not None:
        write_output(output, advice.to_json(), force=force)
    say_json(advice.to_json()) if as_json else say(advice_text(advice))
    return 0


def _is_folder_of_logs(path: Path) -> bool:
    from striate.advice.folder import logs_in

    return path.is_dir() and bool(logs_in(path))


def _advise_folder(
    folder: Path, cluster: str | None, as_json: bool, output: Path | None, force: bool, jobs: int | None
) -> int:
    import os

    from striate.advice.folder import advise_all, logs_in, ranked, unchanged
    from striate.cli.output import progress as shown

    if cluster is not None:
        raise click.UsageError(
            "CLUSTER is not accepted for a folder of Darshan logs: gains for a folder are not simulated"
        )
    if output is not None and output.suffix != ".jsonl":
        raise click.UsageError(f"expected an output file ending in .jsonl, got {output.name!r}")
    paths = logs_in(folder)
    known = {}
    if output is not None and output.exists() and not force:
        known = unchanged(output.read_bytes(), paths, source=str(output))
    rest = [path for path in paths if str(path) not in known]
    found = list(known.values())
    with shown("looking", total=len(rest)) as advance, _lines(output, found) as write:
        for one in advise_all(rest, jobs=jobs or os.cpu_count() or 1):
            found.append(one)
            write(one)
            advance(1)
    advice = ranked(found)
    say_json(advice.to_json()) if as_json else say(folder_text(advice))
    broken = [log for log in advice.logs if log.error]
    return 0 if not broken else 3 if len(broken) < len(advice.logs) else 1


@contextmanager
def _lines(output: Path | None, known: list[LogAdvice]) -> Iterator[Callable[[LogAdvice], None]]:
    """Writes one line per log as it is done, after those that are known."""
    import msgspec

    if output is None:
        yield lambda one: None
        return
    with output.open("wb") as file:

        def write(one: LogAdvice) -> None:
            file.write(msgspec.json.encode(one) + b"\n")
            file.flush()

        for one in known:
            write(one)
        yield write


def folder_text(advice: FolderAdvice) -> str:
    """One line per log: the most that one change saves, and what was found."""
    from striate.printable import one_line
    from striate.units import about_seconds

    lines = []
    for log in advice.logs:
        if log.advice is None:
            lines.append(f"{one_line(log.path)}: not read: {one_line(log.error)}")
            continue
        found = ", ".join(f"{item.rule} ({item.severity})" for item in log.advice.items) or "nothing found"
        saved = about_seconds(log.gain_seconds)
        lines.append(f"{one_line(log.path)}: up to about {saved} of all ranks, {log.ranks:,} ranks: {found}")
    return "\n".join(lines)


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

    from striate.advice.facts import Sample
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
    """All items on one screen, the largest gain first; then what could not be judged."""
    from striate.printable import one_line
    from striate.units import about_seconds

    name = " ".join(word.rsplit("/", 1)[-1] for word in advice.program.split()[:2]) or "the program"
    run, io = about_seconds(advice.run_seconds), about_seconds(advice.io_seconds)
    head = f"{name}: {run}, of which I/O takes up to {io} on one rank"
    parts = [head, *(item_text(item) for item in advice.items)]
    if not advice.items:
        parts.append(
            f"none of {len(advice.looked_at)} rules found a problem: "
            f"{', '.join(advice.looked_at) or 'none could judge'}"
        )
    lacking: dict[str, list[str]] = {}
    for rule, lacks in advice.unjudged.items():
        lacking.setdefault(lacks, []).append(rule)
    notes = [
        f"could not judge {', '.join(rules)}: this log has no record of {lacks}"
        for lacks, rules in lacking.items()
    ]
    notes += [f"note: {one_line(note)}" for note in advice.notes]
    return "\n\n".join(parts + ["\n".join(notes)] * bool(notes))


def item_text(item: Item) -> str:
    """One item: title and gain, evidence, why, change, how to verify."""
    from striate.printable import one_line
    from striate.shell import export_line
    from striate.units import about_seconds, about_size

    lines = [
        f"{item.severity}: {item.title} - {gain_text(item)}",
        f"  seen    {one_line(item.evidence.words)}",
        f"          {item.evidence.operations:,} operations, {about_size(item.evidence.bytes)}, "
        f"{about_seconds(item.evidence.seconds)} summed over ranks ({item.certainty})",
        f"  why     {item.why}",
        f"  change  {one_line(item.change.words)}",
    ]
    lines += [f"          hint {key} = {value}" for key, value in item.change.hints.items()]
    lines += [f"          $ {one_line(command)}" for command in item.change.commands]
    lines += [f"          {export_line(key, value)}" for key, value in item.change.environment.items()]
    lines += [f"          {line}" for line in item.change.code.splitlines()]
    if item.change.runtime:
        settings = ", ".join(f"{key}={value!r}" for key, value in item.change.runtime.items())
        lines.append(f"          striate.runtime: {settings}")
    return "\n".join([*lines, f"  verify  {one_line(item.verify)}"])


def gain_text(item: Item) -> str:
    """What the change saves, or what the operations take where no price can be put on it."""
    from striate.units import about_seconds

    if item.gain is None:
        return f"takes {about_seconds(item.affected.estimate)} of the run; the gain is unknown from this log"
    low, high = about_seconds(item.gain.low), about_seconds(item.gain.high)
    return f"saves {low} to {high}, {item.share:.1%} of the run"
