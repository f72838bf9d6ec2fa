"""`forecast_training`: utilisation, throughput and seconds of a training job, and what makes their ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from striate.errors import PredictionError
from striate.interval import Interval
from striate.training.checkpoints import checkpoint_of
from striate.training.job import TrainingJob
from striate.training.page_cache import RULE, cacheable_share, cached_share
from striate.training.parts import capacities, stated_ceilings
from striate.training.pipeline import Epoch, epoch_of
from striate.training.system import Rates, StorageSystem, rates_of
from striate.training.uncertain import Uncertain, normals, shares_of_width
from striate.units import counted

Floats = NDArray[np.float64]
DRAWS = 1024
LEAST_VALID = 0.01  # of the draws that must reach the wanted utilisation before they are looked at alone
SCHEMA = "striate.training/1"
STEPS = 500  # of an epoch: STEPS_PER_EPOCH of MLPerf Storage v1.0


@dataclass(frozen=True, slots=True)
class WidthShare:
    """A number that is known as a range, and its share of the width of the forecast."""

    name: str
    low: float
    high: float
    share: float
    stated: bool  # the sheet itself said it
    source: str


@dataclass(frozen=True, slots=True)
class CheckpointForecast:
    """One save and one restart, and what all saves add to the job."""

    count: int
    save_seconds: Interval
    restore_seconds: Interval
    steps_lost: float  # of one accelerator, by a save, at the median


@dataclass(frozen=True, slots=True)
class TrainingForecast:
    """Medians and 80 % ranges; `pace` bounds a run where `proved`, `ceilings` do if the sheet is right."""

    job: str
    system: str
    accelerators: int
    hosts: int
    utilisation: Interval
    throughput: Interval  # samples per second
    bytes_per_second: Interval
    seconds: Interval  # of all epochs and checkpoints
    proved: bool  # pace and least_seconds bound every run: computing always takes its time
    pace: float
    least_seconds: float
    wanted_utilisation: float
    chance: float  # of reaching the wanted utilisation
    binding: tuple[tuple[str, float], ...]  # parts and the share of draws in which each binds
    widths: tuple[WidthShare, ...]
    ceilings: tuple[tuple[str, float], ...]  # samples per second
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    cached: float
    checkpoint: CheckpointForecast | None = None
    valid_throughput: Interval | None = None  # given that the wanted utilisation is reached
    valid_utilisation: Interval | None = None
    schema: str = SCHEMA


def forecast_training(
    job: TrainingJob, system: StorageSystem, rates: Rates | None = None
) -> TrainingForecast:
    """The forecast from a job and a sheet; `rates` replace the ranges of the table of kinds.

    Raises PredictionError when the job has no whole step.
    """
    _expect_steps(job)
    rates = rates or rates_of(system, job.record_format)
    numbers = rates.listed()
    drawn = _drawn(rates, DRAWS)
    cached = cached_share(job, system.host_memory)
    limits = capacities(job, drawn, cached)
    delivered = np.minimum.reduce(list(limits.values()))
    epoch = _epoch(job, drawn, delivered)
    checkpoint, extra = _checkpoint(job, drawn, delivered)
    valid = epoch.utilisation >= job.wanted_utilisation
    enough = valid.mean() >= LEAST_VALID
    return TrainingForecast(
        job=job.name,
        system=system.name,
        accelerators=job.accelerators,
        hosts=job.hosts,
        utilisation=_range(epoch.utilisation),
        throughput=_range(epoch.throughput),
        bytes_per_second=_range(epoch.throughput * job.sample_bytes),
        seconds=_range(job.epochs * epoch.seconds + extra),
        proved=not job.compute_varies,
        pace=job.pace,
        least_seconds=job.epochs * job.steps * job.compute_seconds,
        wanted_utilisation=job.wanted_utilisation,
        chance=float(valid.mean()),
        binding=_binding(job, limits, delivered),
        widths=_widths(job, numbers, cached),
        ceilings=tuple(
            (name, rate / job.sample_bytes) for name, rate in stated_ceilings(job, system).items()
        ),
        missing=system.missing(),
        notes=(*system.notes, *_cache_note(job, system), *_short_epoch_note(job)),
        cached=cached,
        checkpoint=checkpoint,
        valid_throughput=_range(epoch.throughput[valid]) if enough else None,
        valid_utilisation=_range(epoch.utilisation[valid]) if enough else None,
    )


@dataclass(frozen=True, slots=True)
class JobDraws:
    """What a job does in every draw of the numbers that are known as ranges."""

    utilisation: Floats
    throughput: Floats
    seconds: Floats


def draws_of(job: TrainingJob, system: StorageSystem) -> JobDraws:
    """The draws behind `forecast_training`; raises PredictionError when the job has no whole step."""
    _expect_steps(job)
    drawn = _drawn(rates_of(system, job.record_format), DRAWS)
    limits = capacities(job, drawn, cached_share(job, system.host_memory))
    delivered = np.minimum.reduce(list(limits.values()))
    epoch = _epoch(job, drawn, delivered)
    _, extra = _checkpoint(job, drawn, delivered)
    return JobDraws(epoch.utilisation, epoch.throughput, job.epochs * epoch.seconds + extra)


def _expect_steps(job: TrainingJob) -> None:
    if job.steps < 1:
        raise PredictionError(
            f"expected a dataset with a batch of {job.batch_size} samples for each of {job.accelerators} "
            f"accelerators, got {job.files * job.samples_per_file} samples"
        )


def quantiles_of(
    job: TrainingJob, system: StorageSystem, rates: Rates, probabilities: tuple[float, ...], draws: int
) -> Floats:
    """The throughput alone, at some probabilities: what a search over ranges asks again and again."""
    drawn = _drawn(rates, draws)
    limits = capacities(job, drawn, cached_share(job, system.host_memory))
    epoch = _epoch(job, drawn, np.minimum.reduce(list(limits.values())))
    return np.quantile(epoch.throughput, probabilities)


def _drawn(rates: Rates, draws: int) -> dict[str, Floats]:
    numbers = rates.listed()
    points = normals(draws, len(numbers))
    return {name: number.at(points[:, place]) for place, (name, number) in enumerate(numbers)}


def _epoch(job: TrainingJob, drawn: Mapping[str, Floats], delivered: Floats) -> Epoch:
    return epoch_of(
        job,
        delivered=delivered,
        smoothness=drawn["smoothness"],
        step_loss=drawn["step_loss"],
        step_seconds=drawn["step_seconds"],
        start=drawn["start_per_file"] * job.files,
    )


def _range(values: Floats) -> Interval:
    low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
    return Interval(float(low), float(middle), float(high))


def _binding(
    job: TrainingJob, limits: Mapping[str, Floats], delivered: Floats
) -> tuple[tuple[str, float], ...]:
    """In which share of the draws each part is the slowest and slower than the accelerators."""
    waits = delivered < job.demand
    shares = {name: float(np.mean(waits & (rate == delivered))) for name, rate in limits.items()}
    shares["accelerators"] = float(1 - waits.mean())
    return tuple(sorted(shares.items(), key=lambda pair: -pair[1]))


def _widths(job: TrainingJob, numbers: list[tuple[str, Uncertain]], cached: float) -> tuple[WidthShare, ...]:
    """Each number at its ends with the others at their medians: how far the throughput moves."""
    normal = np.array([-1.2815515655446004, 0.0, 1.2815515655446004])
    spreads = []
    for name, _ in numbers:
        drawn = {other: number.at(normal if other == name else np.zeros(3)) for other, number in numbers}
        delivered = np.minimum.reduce(list(capacities(job, drawn, cached).values()))
        spreads.append(float(np.ptp(np.log(_epoch(job, drawn, delivered).throughput))))
    shares = shares_of_width(spreads)
    found = [
        WidthShare(number.name, number.low, number.high, share, number.stated, number.source)
        for (_, number), share in zip(numbers, shares, strict=True)
    ]
    return tuple(sorted(found, key=lambda one: -one.share))


def _checkpoint(
    job: TrainingJob, drawn: Mapping[str, Floats], delivered: Floats
) -> tuple[CheckpointForecast | None, Floats]:
    nothing = np.zeros(DRAWS)
    if job.checkpoints is None:
        return None, nothing
    time = checkpoint_of(job, job.checkpoints, drawn, delivered)
    count = job.checkpoints.count(job.epochs, job.steps)
    save = _range(time.save)
    forecast = CheckpointForecast(count, save, _range(time.restore), save.estimate / job.compute_seconds)
    return forecast, count * time.save + job.checkpoints.reads * time.restore


def _cache_note(job: TrainingJob, system: StorageSystem) -> tuple[str, ...]:
    if job.direct or system.host_memory is None or cacheable_share(job, system.host_memory) * RULE <= 1:
        return ()
    times = 1 / cacheable_share(job, system.host_memory)
    return (f"the dataset is {times:.2g} times the memory of the hosts; MLPerf's rule requires {RULE} times",)


def _short_epoch_note(job: TrainingJob) -> tuple[str, ...]:
    """The utilisation leaves out what fills the pipeline, which may be most of a short epoch."""
    if job.steps > job.reads_ahead:
        return ()
    read = f"an epoch has {counted(job.steps, 'step')}, and as many batches are read before the first"
    return (f"{read}: DLIO leaves that time out of the utilisation; MLPerf's rule requires {STEPS} steps",)
