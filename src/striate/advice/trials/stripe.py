"""Another striping unit or another number of servers: the best of a few, by prediction."""

from __future__ import annotations

from striate.advice.diagnosis import Diagnosis
from striate.advice.item import Evidence
from striate.advice.trials.situation import Situation, Variant, column
from striate.errors import StriateError
from striate.interval import Interval
from striate.shell import path_word
from striate.tuning.change import Change
from striate.units import about_size, format_size
from striate.workload.workload import Workload

UNITS = (2**16, 2**20, 2**22, 2**24)


def best_stripe(situation: Situation) -> tuple[Diagnosis, Variant] | None:
    """The best of a few stripes on the cluster, with the workload that uses it; None where none is faster."""
    if not situation.cluster.servers:
        return None  # the servers of the traced machine are not known
    servers = len(situation.cluster.servers)
    best = min(
        (
            (situation.times(workload)[1], unit, count, workload)
            for unit, count, workload in _tried(situation, servers)
        ),
        key=lambda found: found[:3],
        default=None,
    )
    if best is None or best[0] >= situation.times_now[1]:
        return None
    _, unit, count, workload = best
    most = float(situation.io_seconds.max(initial=0.0))
    rows = situation.accesses
    files = {situation.file_name(int(number)) for number in set(rows.column("file").tolist())}
    name = sorted(files)[0] if len(files) == 1 else "DIRECTORY"
    word = path_word(name, otherwise="FILE")
    words = f"{len(rows):,} accesses of {len(files):,} files striped by {about_size(int(_unit(situation)))}"
    seconds = float(situation.durations(rows).sum())
    found = Diagnosis(
        title="Another stripe size suits these files better",
        evidence=Evidence(len(rows), int(column(rows, "bytes").sum()), seconds, words),
        why=f"Simulated on {situation.cluster.name}, the change makes the run shorter.",
        wall=Interval(0.0, min(seconds, most), most),
        change=Change(
            f"Stripe by {format_size(unit)} over {count} servers; "
            "this affects new files only, so set it before they are created",
            hints={"striping_unit": str(unit), "striping_factor": str(count)},
            commands=(f"lfs setstripe -S {unit} -c {count} {word}",),
            runtime={"servers": count, "chunk": format_size(unit)},
        ),
        verify=f"lfs getstripe {word}: stripe_size {unit}, stripe_count {count}",
    )
    return found, Variant(workload)


def _unit(situation: Situation) -> int:
    return int(situation.cluster.settings.stripe_unit)


def _tried(situation: Situation, servers: int) -> list[tuple[int, int, Workload]]:
    counts = sorted({1, max(1, servers // 2), servers})
    found = []
    for unit in UNITS:
        for count in counts:
            layout = f"simple:{count}:{unit}"
            names = {file.name for one in situation.workload.applications for file in one.files}
            try:
                found.append((unit, count, situation.workload.with_layouts(dict.fromkeys(names, layout))))
            except StriateError:
                continue
    return found
