"""Another striping unit or another number of servers: the best of a few, by prediction."""

from __future__ import annotations

from striate.advice.item import Evidence
from striate.advice.trials.finding import Finding
from striate.advice.trials.situation import Situation, column
from striate.errors import StriateError
from striate.shell import path_word
from striate.tuning.change import Change
from striate.units import about_size, format_size
from striate.workload.workload import Workload

UNITS = (2**16, 2**20, 2**22, 2**24)


def look(situation: Situation) -> Finding | None:
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
    rows = situation.accesses
    files = {situation.file_name(int(number)) for number in set(rows.column("file").tolist())}
    name = sorted(files)[0] if len(files) == 1 else "DIRECTORY"
    word = path_word(name, otherwise="FILE")
    words = f"{len(rows):,} accesses of {len(files):,} files striped by {about_size(int(_unit(situation)))}"
    return Finding(
        title="Another stripe size suits these files better",
        evidence=Evidence(
            len(rows), int(column(rows, "bytes").sum()), float(situation.durations(rows).sum()), words
        ),
        change=Change(
            f"Stripe by {format_size(unit)} over {count} servers; "
            "this affects new files only, so set it before they are created",
            hints={"striping_unit": str(unit), "striping_factor": str(count)},
            commands=(f"lfs setstripe -S {unit} -c {count} {word}",),
            runtime={"servers": count, "chunk": format_size(unit)},
        ),
        verify=f"lfs getstripe {word}: stripe_size {unit}, stripe_count {count}",
        after=lambda: workload,
    )


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
