"""The summary a page opens with: how long, where the time went, what forecasts say, what to change, how sure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from striate.advice import Item
from striate.interval import Interval
from striate.ladder.distribution import SHARE, source_rows
from striate.ladder.forecast import Forecast
from striate.pages.names import shown_name
from striate.pages.page import View
from striate.pages.run import Run
from striate.pages.where import TimeShare, busy_levels, where_time_went
from striate.pages.words import about_forecast, about_trace, against, span
from striate.units import about_seconds, about_size

_MOST_FLAGS = 20


def view(runs: Sequence[Run]) -> View | None:
    """Cards of all runs, how forecasts and observations agree, and advice; None when there are only machines."""
    cards = [_card(run) for run in runs if run.origin in ("observed", "simulated", "forecast")]
    advice = [run.advice for run in runs if run.advice is not None]
    if not cards and not advice:
        return None
    data = {
        "runs": cards,
        "comparison": [
            against(run, other.forecast)
            for other in runs
            if other.forecast is not None
            for run in runs
            if run.origin == "observed"
        ],
        "advice": [_advised(item) for each in advice for item in each.items],
        "notes": [shown_name(note) for each in advice for note in each.notes],
    }
    return View("report", "Summary", data)


def _card(run: Run) -> dict[str, Any]:
    card: dict[str, Any] = {
        "name": shown_name(run.name),
        "origin": run.origin,
        "headline": about_seconds(run.seconds),
    }
    if run.forecast is not None:
        return card | _forecast(run.forecast)
    assert run.trace is not None
    summary = run.trace.info()
    parts = where_time_went(run.trace.of_ranks())
    source = shown_name(summary.source, 80)
    return card | {
        "words": about_trace(summary, parts),
        "parts": _parts(parts, run.seconds),
        "flags": [shown_name(flag.message) for flag in summary.flags[:_MOST_FLAGS]],
        "made": f"{source.capitalize()}." if run.origin == "simulated" else f"Recorded by {source}.",
        "busy": _parts(busy_levels(run.trace), run.seconds),
    }


def _parts(parts: Sequence[TimeShare], seconds: float) -> list[dict[str, Any]]:
    return [
        {
            "name": shown_name(part.name, 60),
            "share": min(part.mean_seconds / seconds, 1.0) if seconds else 0.0,
            "mean": about_seconds(part.mean_seconds),
            "worst": part.most,
        }
        for part in parts
    ]


def _forecast(forecast: Forecast) -> dict[str, Any]:
    cost = forecast.cost
    versions = ", ".join(f"{name} {number}" for name, number in forecast.provenance.versions.items())
    inputs = [f"{name} {digest}" for name, digest in forecast.provenance.inputs.items()]
    return {
        "words": about_forecast(forecast),
        "range": span(forecast.seconds),
        "spreads": [
            [source, low, high, shown_name(how)] for source, low, high, how in source_rows(forecast.spreads)
        ],
        "rungs": [
            *([_bar(f"{SHARE:.0%} of runs", forecast.seconds, "")] if forecast.spreads else []),
            *(
                _bar(answer.rung, answer.combined, f"; cost {about_seconds(answer.cost.cpu_seconds)}")
                for answer in forecast.answers
            ),
        ],
        "uses": [
            [
                f"{use.count:,} × {shown_name(use.kind, 60)}",
                shown_name(use.busiest, 60),
                about_seconds(use.busiest_seconds),
                about_seconds(use.mean_seconds),
            ]
            for use in forecast.uses
        ],
        "checks": [
            [shown_name(check.name), "passed" if check.passed else "failed", shown_name(check.finding)]
            for check in forecast.checks
        ],
        "flags": [shown_name(note) for note in forecast.notes[:_MOST_FLAGS]],
        "made": shown_name(
            f"{versions}; {about_seconds(cost.cpu_seconds)} of CPU, {about_size(cost.peak_memory_bytes)} of memory.",
            600,
        ),
        "inputs": [shown_name(text) for text in inputs],
    }


def _bar(name: str, bounds: Interval, more: str) -> dict[str, Any]:
    """A bar of the drawing of ranges: both ends, the estimate between them, and words."""
    high = None if math.isinf(bounds.high) else bounds.high
    ends = {"low": bounds.low, "estimate": bounds.estimate, "high": high}
    return {"name": shown_name(name, 60), **ends, "text": f"{span(bounds)}{more}"}


def _advised(item: Item) -> dict[str, Any]:
    """What to change, why, what it brings, in which words of which tool, and how to see whether it did."""
    change = item.change
    lines = [f"{name} = {value}" for name, value in change.hints.items()]
    lines += [*change.commands, *(f"export {name}={value}" for name, value in change.environment.items())]
    lines += [f"{name}={value!r}" for name, value in change.runtime.items()]
    return {
        "title": shown_name(item.title),
        "severity": item.severity,
        "gain": f"saves {span(item.gain)}, {item.share:.0%} of the run"
        if item.gain
        else "the gain is unknown",
        "evidence": shown_name(item.evidence.words, 600),
        "change": shown_name(change.words, 600),
        "lines": [shown_name(line) for line in (*lines, *change.code.splitlines())],
        "verify": shown_name(item.verify, 600),
    }
