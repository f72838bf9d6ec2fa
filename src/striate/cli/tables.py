"""Results as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from striate.interval import Interval
from striate.ladder.distribution import source_rows
from striate.ladder.forecast import Answer, Forecast, Phase
from striate.ladder.proofs import Proof
from striate.noise.model import Day
from striate.printable import columns, one_line
from striate.rungs.server_use import ForwarderUse, MetadataUse, ServerUse
from striate.units import about_count, about_seconds, about_size, counted


def _answer_row(answer: Answer) -> tuple[str, ...]:
    """A line of the table of paper 004: raw bounds, combined bounds, and how much faster than the run itself."""
    bounds = [word for interval in (answer.raw, answer.combined) for word in _bounds_words(interval)]
    cost = answer.cost.cpu_seconds
    speed_up = about_count(answer.raw.estimate / cost) if cost else "-"
    name = answer.rung if answer.counted else f"({answer.rung})"
    return (name, about_seconds(answer.raw.estimate), *bounds, about_seconds(cost), speed_up)


def _bounds_words(interval: Interval) -> tuple[str, ...]:
    """Both ends and how far they are apart; a rung that plays one order of events bounds nothing.

    A high end that says nothing is left out.
    """
    if interval.width == 0:
        return ("-", "-", "-")
    if not interval.is_bounded_above:
        return (about_seconds(interval.low), "-", "-")
    return (about_seconds(interval.low), about_seconds(interval.high), f"{interval.relative_error:.1%}")


def _phase_row(phase: Phase) -> tuple[str, ...]:
    low, high, _ = _bounds_words(phase.seconds)
    return (phase.name, phase.rung, phase.why, about_seconds(phase.seconds.estimate), low, high)


def _day_row(day: Day) -> tuple[str, ...]:
    low, high = about_seconds(day.seconds.low), about_seconds(day.seconds.high)
    return (day.name, f"x {day.slowdown:.2f}", about_seconds(day.seconds.estimate), f"({low}", f"to {high})")


def forecast_text(forecast: Forecast, percentiles: Sequence[float] = ()) -> str:
    """The forecast on one screen: the answer first, then the rungs, the resources, and what to keep in mind."""
    named = f"{one_line(forecast.workload)} on {one_line(forecast.cluster)}"
    head = f"{named}, {counted(forecast.ranks, 'rank')}: {forecast}"
    rungs: list[tuple[str, ...]] = [
        ("rung", "predicted", "low", "high", "error", "low, combined", "high", "error", "cost", "speed-up")
    ]
    rungs += [_answer_row(answer) for answer in forecast.answers]
    if all(answer.raw.width == 0 == answer.combined.width for answer in forecast.answers):
        rungs = [(*row[:2], *row[-2:]) for row in rungs]  # nothing but packet-level runs: no bounds
    uses: list[tuple[str, ...]] = [("resource", "busiest", "its work", "mean", "its queue", "mean")]
    for use in forecast.uses:
        work, mean = about_seconds(use.busiest_seconds), about_seconds(use.mean_seconds)
        queues = ("" if queue is None else f"{queue:.3g}" for queue in (use.busiest_queue, use.mean_queue))
        uses.append((f"{use.count:,} x {use.kind}", use.busiest, work, mean, *queues))
    if all(use.busiest_queue is None for use in forecast.uses):
        uses = [row[:4] for row in uses]
    times = [(f"{percent:g} %", about_seconds(forecast.percentile(percent))) for percent in percentiles]
    parts = [head]
    if times:
        parts.append(columns([("of the runs", "take at most"), *times], numbers_from=1))
    if forecast.spreads:
        spreads = [("source of the range", "below", "above", "how"), *source_rows(forecast.spreads)]
        parts.append(columns(spreads, numbers_from=4))
    parts += [columns(rungs, numbers_from=1), columns(uses, numbers_from=2)]
    if len(forecast.applications) > 1:
        shares = [
            (share.application, f"{share.ranks:,}", about_seconds(share.start), about_seconds(share.end))
            for share in forecast.applications
        ]
        parts.append(columns([("application", "ranks", "begins", "ends"), *shares], numbers_from=1))
    if forecast.servers:
        parts.append(columns(_server_rows(forecast.servers), numbers_from=1))
    if forecast.metadata:
        parts.append(columns(_metadata_rows(forecast.metadata), numbers_from=1))
    if forecast.forwarders:
        parts.append(columns(_forwarder_rows(forecast.forwarders), numbers_from=1))
    if forecast.checks:
        words = [
            (check.name, "passed" if check.passed else "failed", check.finding) for check in forecast.checks
        ]
        parts.append(columns([("test", "", "finding"), *words], numbers_from=3))
    if forecast.phases:
        parts.append(
            columns(
                [("phase", "rung", "why", "predicted", "low", "high"), *map(_phase_row, forecast.phases)],
                numbers_from=3,
            )
        )
    if forecast.days:
        parts.append(
            columns([("on a shared machine", "", "", "", ""), *map(_day_row, forecast.days)], numbers_from=1)
        )
    notes = []
    if forecast.stopped:
        notes.append(f"chosen: {forecast.rung}, because {forecast.stopped}")
    if forecast.proved is not None:
        notes.append(_proved_words(forecast.proved))
    if any(not answer.counted for answer in forecast.answers):
        notes.append("in brackets: shown for comparison, not relied on (refused by a test, or a model)")
    notes += [f"note: {one_line(note)}" for note in forecast.notes]
    for sentence in forecast.contradictions:
        notes.append(f"CONTRADICTION: {sentence}. Please report this forecast (exit status 3).")
    if not forecast.trusted:
        notes.append("note: this answer is not to be trusted (exit status 3)")
    elif not forecast.reached and not forecast.contradictions:
        notes.append(f"note: the bounds are wider than the {forecast.within:.0%} asked for (exit status 3)")
    return "\n\n".join(parts + ["\n".join(notes)] * bool(notes))


def _proved_words(proved: Proof) -> str:
    low = f"proved: no run takes less than {about_seconds(proved.low)}, by {proved.reason}"
    return low if proved.high is None else f"{low}; none takes more than {about_seconds(proved.high)}"


MOST_SERVERS = 8  # on one screen; --json has all


def _server_rows(servers: Sequence[ServerUse]) -> list[tuple[str, ...]]:
    """The busiest servers: bytes, disk jobs and seeks, cache hits, queue and utilisation; burst buffers first."""
    heads = ("server", "read", "written", "disk jobs", "short seeks", "long", "hits", "longest queue", "mean")
    burst = any(server.burst_bytes_written or server.burst_bytes_read for server in servers)
    before = ("burst read", "burst written", "burst busy") if burst else ()
    rows: list[tuple[str, ...]] = [(heads[0], *before, *heads[1:], "busy")]
    if burst:
        rows = [(heads[0], *before, "disk read", "disk written", *heads[3:], "disk busy")]
    shown = sorted(servers, key=lambda server: -(server.busy_seconds + server.burst_busy_seconds))
    shown = shown[:MOST_SERVERS]
    rows += [
        (server.name, *(_burst_words(server) if burst else ()), *_disk_words(server)) for server in shown
    ]
    if len(servers) > len(shown):
        rows.append((f"and {len(servers) - len(shown):,} less busy", *[""] * (len(rows[0]) - 1)))
    return rows


def _burst_words(server: ServerUse) -> tuple[str, ...]:
    bytes_ = (about_size(size) for size in (server.burst_bytes_read, server.burst_bytes_written))
    return (*bytes_, f"{server.burst_utilisation:.0%}")


def _disk_words(server: ServerUse) -> tuple[str, ...]:
    jobs = (f"{count:,}" for count in (server.operations, server.short_seeks, server.long_seeks))
    bytes_ = (about_size(size) for size in (server.bytes_read, server.bytes_written))
    queue = (f"{server.longest_queue:,}", f"{server.mean_queue:.1f}", f"{server.utilisation:.0%}")
    return (*bytes_, *jobs, about_size(server.cache_hit_bytes), *queue)


def _forwarder_rows(forwarders: Sequence[ForwarderUse]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("forwarder", "messages", "passed on", "most held")]
    for one in forwarders[:MOST_SERVERS]:
        rows.append(
            (one.name, f"{one.messages:,}", about_size(one.bytes), about_size(one.most_buffered_bytes))
        )
    return rows


def _metadata_rows(servers: Sequence[MetadataUse]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("metadata server", "calls", "busy", "mean wait", "longest queue")]
    for server in servers[:MOST_SERVERS]:
        times = about_seconds(server.busy_seconds), about_seconds(server.mean_wait_seconds)
        rows.append((server.name, f"{server.operations:,}", *times, f"{server.longest_queue:,}"))
    return rows
