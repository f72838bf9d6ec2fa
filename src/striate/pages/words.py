"""Sentences about runs and forecasts that need no glossary."""

from __future__ import annotations

from collections.abc import Sequence

from striate.interval import Interval
from striate.ladder.distribution import SHARE
from striate.ladder.forecast import Forecast
from striate.pages.names import shown_name
from striate.pages.run import Run
from striate.pages.where import REST, TimeShare
from striate.trace.analysis.summary import Summary
from striate.units import about_rate, about_seconds, about_size, counted


def span(bounds: Interval) -> str:
    """ "82.2 s to 94.6 s", or one time where both ends read the same."""
    low, high = about_seconds(bounds.low), about_seconds(bounds.high)
    return low if low == high else f"{low} to {high}"


def about_trace(summary: Summary, parts: Sequence[TimeShare]) -> list[str]:
    """How long, how much, where the time went, and whether the ranks shared it evenly."""
    ranks, hosts = counted(summary.ranks, "rank"), counted(summary.hosts, "host")
    where = f"{ranks} on {hosts}" if summary.hosts else ranks
    found = [
        f"{where} ran for {about_seconds(summary.seconds)}, read {about_size(summary.bytes_read)} and wrote "
        f"{about_size(summary.bytes_written)} in {counted(summary.files, 'file')}, "
        f"in {counted(summary.operations, 'operation')}."
    ]
    if below := summary.read_below:
        found.append(f"{below[0].upper()}{below[1:]}.")
    named = [part for part in parts if part.name != REST]
    if named and summary.seconds:
        largest = max(named, key=lambda part: part.mean_seconds)
        share = largest.mean_seconds / summary.seconds
        found.append(
            f"The largest known part is {largest.name}: {share:.0%} of an average rank's time; "
            f"I/O takes {summary.io_share:.0%}, {_messages(summary)}."
        )
    moved = summary.bytes_read + summary.bytes_written
    busy = sum(phase.end - phase.start for phase in summary.phases)
    if moved and busy > 0:
        found.append(
            f"While there was I/O, {about_rate(moved / busy)} went through in {counted(len(summary.phases), 'phase')}."
        )
    if summary.slowest_rank is not None and summary.mean_rank_seconds > 0:
        found.append(_evenness(summary))
    return found


def _messages(summary: Summary) -> str:
    return (
        "messages were not recorded"
        if summary.message_share is None
        else f"messages {summary.message_share:.0%}"
    )


def _evenness(summary: Summary) -> str:
    ratio = summary.slowest_rank_seconds / summary.mean_rank_seconds
    most, mean = about_seconds(summary.slowest_rank_seconds), about_seconds(summary.mean_rank_seconds)
    if ratio > 1.25:
        least = "" if summary.ranks_known else "at least "
        times = f"{least}{ratio:.1f} times"
        return f"Rank {summary.slowest_rank} was {times} as long in I/O as the mean: {most} against {mean}."
    if not summary.ranks_known:
        return f"The ranks were in I/O for {mean} on average; the log does not say how evenly."
    return f"The ranks spent about the same time in I/O: {mean} on average, {most} at most."


def about_forecast(forecast: Forecast) -> list[str]:
    """The time with its range, the busiest resource, and how far it can be trusted."""
    found = [
        f"{counted(forecast.ranks, 'rank')} of {shown_name(forecast.workload, 80)} on "
        f"{shown_name(forecast.cluster, 80)} take {_range(forecast)}, "
        f"by the {shown_name(forecast.rung, 60)} rung."
    ]
    if (busiest := forecast.bottleneck) and forecast.seconds.estimate:
        share = busiest.busiest_seconds / forecast.seconds.estimate
        work = about_seconds(busiest.busiest_seconds)
        found.append(
            f"The busiest resource is {shown_name(busiest.busiest, 60)}: {work}, {share:.0%} of the time."
        )
    if not forecast.trusted:
        found.append("The validity tests say that this answer is not reliable.")
    elif not forecast.reached:
        found.append(f"The bounds are wider than the {forecast.within:.0%} that were asked for.")
    return found


def _range(forecast: Forecast) -> str:
    """The median and the range of most runs; of an exact forecast its one number."""
    if not forecast.spreads:
        return span(forecast.seconds)
    return (
        f"{about_seconds(forecast.seconds.estimate)}, and {span(forecast.seconds)} in {SHARE:.0%} of the runs"
    )


def against(observed: Run, forecast: Forecast) -> str:
    """What a forecast says about a run that was observed."""
    seconds, bounds = observed.seconds, forecast.seconds
    name = shown_name(observed.name, 60)
    if seconds in bounds:
        place = "inside the forecast's range"
    else:
        edge, word = (
            (bounds.low, "below the lower") if seconds < bounds.low else (bounds.high, "above the upper")
        )
        place = (
            f"{abs(seconds - edge) / edge:.1%} {word} bound of the forecast"
            if edge
            else f"{word} bound of the forecast"
        )
    error = f"; the estimate is {bounds.estimate / seconds - 1:+.1%} off" if seconds else ""
    return f"{name} took {about_seconds(seconds)}, {place} ({span(bounds)}){error}."
