"""Results as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from striate.predict.forecast import Forecast
from striate.units import about_seconds


def columns(rows: Sequence[Sequence[str]], *, numbers_from: int) -> str:
    """Rows as aligned columns; those from `numbers_from` on are right-aligned."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if at >= numbers_from else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def forecast_text(forecast: Forecast) -> str:
    """The forecast on one screen: the answer first, then the rungs, the resources, and what to keep in mind."""
    head = f"{forecast.workload} on {forecast.cluster}, {forecast.ranks:,} ranks: {forecast}"
    rungs = [("rung", "predicted", "low", "high", "error", "cost")]
    for answer in forecast.answers:
        predicted, bounds = about_seconds(answer.raw.estimate), answer.combined
        low, high, cost = map(about_seconds, (bounds.low, bounds.high, answer.cost.cpu_seconds))
        rungs.append((answer.rung, predicted, low, high, f"{bounds.relative_error:.1%}", cost))
    uses = [("resource", "busiest", "its work", "mean")]
    for use in forecast.uses:
        work, mean = about_seconds(use.busiest_seconds), about_seconds(use.mean_seconds)
        uses.append((f"{use.count:,} x {use.kind}", use.busiest, work, mean))
    parts = [head, columns(rungs, numbers_from=1), columns(uses, numbers_from=2)]
    notes = [f"note: {note}" for note in forecast.notes]
    if not forecast.reached:
        notes.append(f"note: the range is wider than the {forecast.within:.0%} asked for (exit status 3)")
    return "\n\n".join(parts + ["\n".join(notes)] * bool(notes))
