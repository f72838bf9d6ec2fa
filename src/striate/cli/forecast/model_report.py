"""`striate model --at P,D`: components, utilisation, bounds, effects and knee at one point; and derived models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from striate.cli.output import print_json, say
from striate.errors import QueueingError

if TYPE_CHECKING:
    from striate.interval import Interval
    from striate.queueing import Derived
    from striate.queueing.program import Solvable
    from striate.queueing.report import PhaseReport

_SIZES = (2, 4, 8, 16)


def point_of(text: str) -> tuple[int, int]:
    """`P,D` as two whole numbers."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise QueueingError(
            f"expected numbers of processors and disks P,D such as 64,8, got {text[:40]!r}", at="--at"
        )
    return int(parts[0]), int(parts[1])


def derived_from(options: dict[str, Any]) -> Derived:
    """The model of `--from-program` or `--from-trace`, counted on `--machine`."""
    from striate.cluster.load import load_cluster
    from striate.queueing import from_trace, from_workload

    if options["machine"] is None:
        raise click.UsageError(
            "--from-program and --from-trace need --machine CLUSTER, the cluster that the model is for"
        )
    cluster = load_cluster(options["machine"])
    if options["from_trace"]:
        from striate.formats.read import read_trace

        found = from_trace([read_trace(Path(path)) for path in options["from_trace"]], cluster)
    else:
        found = from_workload(
            lambda ranks: _workload(options["from_program"], ranks),
            cluster,
            processors=_SIZES,
            kind=options["kind"],
        )
    near, far = found.contention
    say(
        f"derived: curves differ from the counts by at most {found.deviation:.1%}; "
        f"contention {near:.3g} to {far:.3g} on {cluster.name}",
        error=True,
    )
    return found


def _workload(name: str, ranks: int) -> Any:
    from striate.cli.programs import find_workload
    from striate.workload import Workload

    found, _ = find_workload(name, ranks=ranks)
    if not isinstance(found, Workload):
        raise QueueingError(
            "expected a program that lists the operations of each rank, got one that describes a stream of data blocks",
            source=name,
        )
    return found


def tell_point(
    model: Solvable,
    point: tuple[int, int],
    derived: Derived | None,
    sizes: list[int],
    *,
    percentiles: Sequence[float],
    as_json: bool,
) -> None:
    """Print what the model says at a point; the knee is looked for among `sizes`."""
    from striate.queueing import surface
    from striate.queueing.report import reports

    p, d = point
    seconds, speedup = float(model.time(p, d)), float(model.speedup(p, d))
    band = None if derived is None else derived.band(p, d)
    phases = reports(model, p, d, percentiles)
    knee = surface(model, sizes, [d]).knee(d)
    if as_json:
        document = {"schema": "striate.model-point/1", "processors": p, "disks": d, "seconds": seconds}
        document |= {"speedup": speedup, "knee_processors": knee.processors}
        document["band"] = None if band is None else {"low": band.low, "high": band.high}
        print_json(document | {"phases": [phase.document() for phase in phases]})
        return
    lines = [f"p = {p}, d = {d}: {seconds:.6g} s, speedup {speedup:.4g}{_band(band)}"]
    for number, phase in enumerate(phases):
        lines += _phase_lines(phase, f"phase {number + 1}, " if len(phases) > 1 else "")
    lines.append(f"knee at d = {d}: p = {knee.processors}, {knee.seconds:.6g} s")
    say("\n".join(lines))


def _band(band: Interval | None) -> str:
    return (
        ""
        if band is None
        else f"; {band.low:.4g} to {band.high:.4g} s with the effects that the model leaves out"
    )


def _phase_lines(phase: PhaseReport, title: str) -> list[str]:
    parts, busy = phase.components, phase.utilisation
    lines = [
        f"{title}{phase.kind}: bottleneck {phase.bottleneck}",
        f"  components    CPU {parts.cpu:.4g} s, communication {parts.communication:.4g} s, I/O {parts.io:.4g} s",
        f"  utilisation   processors {busy.processors:.1%}, network {busy.network:.1%}, disks {busy.disks:.1%}",
    ]
    if phase.bounds is not None:
        lines.append(
            f"  bounds        {phase.bounds.low:.4g} to {phase.bounds.high:.4g} s for the exact time"
        )
    if phase.cycle_percentiles:
        told = (f"{percent:g} % {seconds:.4g} s" for percent, seconds in phase.cycle_percentiles.items())
        lines.append(f"  of the cycles {', '.join(told)} at most")
    strong = [f"{name} {value:.2f}" for name, value in phase.effects.items() if abs(value) >= 0.005]
    return [*lines, f"  effects       {', '.join(strong)} (% of time per %)"]
