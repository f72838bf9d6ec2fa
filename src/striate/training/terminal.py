"""Training jobs and their forecasts as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable

from striate.interval import Interval
from striate.printable import columns, one_line
from striate.training.forecast import TrainingForecast
from striate.training.job import TrainingJob
from striate.units import about_rate, about_seconds, about_size, counted

SHOWN_WIDTHS = 5
LEAST_SHARE = 0.02


def job_text(job: TrainingJob) -> str:
    """What was understood of a workload: accelerators, files, bytes, steps, readers, checkpoints."""
    rows = [
        ("files", f"{job.files:,}", f"{counted(job.samples_per_file, 'sample')} each, {job.record_format}"),
        ("sample", f"{job.sample_bytes:,.0f} bytes", about_size(job.sample_bytes)),
        (
            "dataset",
            about_size(job.dataset_bytes),
            "shuffled every epoch" if job.shuffled else "in the same order every epoch",
        ),
        (
            "epoch",
            f"{job.steps:,} steps",
            f"of {job.batch_size} samples per accelerator, {about_seconds(job.compute_seconds)} each",
        ),
        ("epochs", f"{job.epochs:,}", f"{about_size(job.epochs * job.steps * job.step_bytes)} read"),
        (
            "readers",
            f"{job.read_threads:,}",
            f"per accelerator ({job.loader}), {counted(job.prefetch_depth, 'batch')} ahead".replace(
                "batchs", "batches"
            ),
        ),
        ("demand", about_rate(job.demand), f"{job.pace:,.1f} samples/s when no accelerator waits"),
    ]
    if job.checkpoints is not None:
        plan = job.checkpoints
        who = "a shard per rank" if plan.sharded else "by rank 0"
        rows.append(
            (
                "checkpoints",
                f"{plan.count(job.epochs, job.steps):,}",
                f"of {about_size(plan.model_bytes)} {who}",
            )
        )
    head = f"{one_line(job.name)}: {counted(job.accelerators, 'accelerator')} on {counted(job.hosts, 'host')}"
    return f"{head}\n\n{columns(rows, numbers_from=1)}"


def training_text(forecast: TrainingForecast) -> str:
    """The forecast on one screen: the answer, what binds, what makes the range, what is proved."""
    head = (
        f"{one_line(forecast.job)} on {one_line(forecast.system)}, {counted(forecast.accelerators, 'accelerator')} on "
        f"{counted(forecast.hosts, 'host')}: utilisation {_span(forecast.utilisation, '{:.1%}'.format)}"
    )
    rows = [
        ("throughput", _span(forecast.throughput, "{:,.1f} samples/s".format)),
        ("read", _span(forecast.bytes_per_second, about_rate)),
        ("time", _span(forecast.seconds, about_seconds)),
        (f"utilisation of {forecast.wanted_utilisation:.0%} or more", f"{forecast.chance:.0%} likely"),
    ]
    if forecast.checkpoint is not None:
        save = forecast.checkpoint
        rows.append(("a checkpoint takes", _span(save.save_seconds, about_seconds)))
        restart = about_seconds(save.restore_seconds.estimate)
        rows.append(
            ("", f"{save.steps_lost:,.1f} steps of computing; {save.count} in all; restart {restart}")
        )
    parts = [f"{one_line(name)} {share:.0%}" for name, share in forecast.binding if share >= LEAST_SHARE]
    widths = [("width from", "range", "share", "source")]
    for one in forecast.widths[:SHOWN_WIDTHS]:
        if one.share >= LEAST_SHARE:
            widths.append((one.name, f"{one.low:.3g} to {one.high:.3g}", f"{one.share:.0%}", one.source))
    lines = [
        head,
        "",
        columns(rows, numbers_from=2),
        "",
        f"binds: {', '.join(parts)}",
        "",
        columns(widths, numbers_from=4),
    ]
    word = "proved" if forecast.proved else "on average"
    lines += [
        "",
        f"{word}: at most {forecast.pace:,.1f} samples/s, at least {about_seconds(forecast.least_seconds)}",
    ]
    lines += [
        f"at most {rate:,.1f} samples/s by the {name}, if the sheet is right"
        for name, rate in forecast.ceilings
    ]
    if forecast.missing:
        lines.append(f"not on the sheet: {', '.join(forecast.missing)}")
    lines += [f"note: {one_line(note)}" for note in forecast.notes]
    return "\n".join(lines)


def _span(interval: Interval, shown: Callable[[float], str]) -> str:
    return f"{shown(interval.estimate)} (80%: {shown(interval.low)} to {shown(interval.high)})"
