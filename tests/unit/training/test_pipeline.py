"""The pipeline of data loading against a simulator that plays every batch, and rules that hold for all rates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.training.job import CheckpointPlan
from striate.training.page_cache import cacheable_share, cached_share
from striate.training.pipeline import epoch_of
from training_jobs import UNET3D


def played(job, delivered, steps):
    """Every worker of every accelerator reads batches in turn, all share `delivered` equally; a barrier per step.

    Accelerators are alike and nothing is random, so one of them stands for all: its W workers share delivered / N.
    Returns the seconds of the epoch and those until the first batch was there.
    """
    share, size, workers = delivered / job.accelerators, job.batch_size * job.sample_bytes, job.read_threads
    left = {}  # batch -> bytes still to come, of those that are read now
    ready, begun, now, step, busy_until, first = set(), 0, 0.0, 0, None, 0.0
    while step < steps:
        # A worker begins its next batch when the program has taken its last one: at most W ahead.
        while begun < steps and begun - step < workers + (busy_until is not None):
            left[begun] = size
            begun += 1
        if busy_until is None and step in ready:
            first = first or now
            busy_until = now + job.compute_seconds
            continue
        until_read = min(left.values()) / (share / len(left)) if left else np.inf
        until_done = busy_until - now if busy_until is not None else np.inf
        wait = min(until_read, until_done)
        for batch in left:
            left[batch] -= wait * share / len(left)
        now += wait
        ready |= {batch for batch, rest in left.items() if rest < 1e-3}
        left = {batch: rest for batch, rest in left.items() if rest >= 1e-3}
        if busy_until is not None and now >= busy_until - 1e-12:
            busy_until, step = None, step + 1
    return now, first


def of(job, delivered, smoothness=40.0, step_loss=0.0):
    one = np.ones(1)
    return epoch_of(
        job,
        delivered=delivered * one,
        smoothness=smoothness * one,
        step_loss=step_loss * one,
        step_seconds=0 * one,
        start=0 * one,
    )


@pytest.mark.parametrize("threads", [1, 4, 16])
@pytest.mark.parametrize("load", [0.3, 0.8, 1.25, 2.0])
def test_an_epoch_takes_what_a_simulation_of_every_batch_takes(threads, load):
    job = replace(UNET3D, read_threads=threads, files=7 * 4 * 200)
    delivered = job.demand / load

    seconds, first = played(job, delivered, job.steps)
    epoch = of(job, delivered)

    assert epoch.seconds[0] == pytest.approx(seconds, rel=0.05)
    # AU as DLIO counts it: the wait for the first batch is left out
    assert epoch.utilisation[0] == pytest.approx(
        job.steps * job.compute_seconds / (seconds - first), rel=0.06
    )


def test_many_workers_raise_the_utilisation_of_a_short_epoch_and_not_its_throughput():
    short = replace(UNET3D, files=7 * 4 * 500)
    few, many = (of(replace(short, read_threads=threads), short.demand / 1.1) for threads in (1, 96))

    assert many.utilisation[0] > few.utilisation[0] + 0.08
    assert many.throughput[0] <= few.throughput[0]


def test_without_workers_reading_and_computing_take_turns():
    alone = replace(UNET3D, read_threads=0)

    epoch = of(alone, alone.demand)  # reading a step takes as long as computing it

    assert epoch.seconds[0] == pytest.approx(2 * alone.steps * alone.compute_seconds)
    assert epoch.utilisation[0] == pytest.approx(0.5)


@given(
    delivered=st.floats(1e6, 1e13),
    smoothness=st.floats(2, 50),
    step_loss=st.floats(0, 0.5),
    threads=st.integers(0, 200),
    accelerators=st.integers(1, 500),
)
def test_no_run_is_faster_than_its_accelerators_and_more_bandwidth_never_hurts(
    delivered, smoothness, step_loss, threads, accelerators
):
    job = replace(UNET3D, read_threads=threads, accelerators=accelerators)
    slow, fast = (of(job, rate, smoothness, step_loss) for rate in (delivered, 1.5 * delivered))

    assert fast.throughput[0] <= job.pace
    assert 0 < slow.utilisation[0] <= 1
    assert slow.throughput[0] <= fast.throughput[0] * (1 + 1e-9)
    assert slow.seconds[0] >= job.steps * job.compute_seconds


def lru_hits(samples, held, epochs, shuffled, seed=1):
    rng = np.random.default_rng(seed)
    order = np.arange(samples)
    kept: dict[int, None] = {}
    hits = reads = 0
    for epoch in range(epochs):
        order = rng.permutation(samples) if shuffled else order
        for sample in order.tolist():
            if epoch:
                reads += 1
                hits += sample in kept
            kept.pop(sample, None)
            kept[sample] = None
            if len(kept) > held:
                del kept[next(iter(kept))]
    return hits / reads


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("shuffled", [True, False])
def test_the_page_cache_hits_as_often_as_a_list_of_least_recently_used_samples(share, shuffled):
    job = replace(UNET3D, shuffled=shuffled)

    said = cached_share(job, share * job.dataset_bytes)

    assert said == pytest.approx(lru_hits(2000, int(share * 2000), 6, shuffled), abs=0.02)
    assert said <= cacheable_share(job, share * job.dataset_bytes)


def test_the_rule_of_mlperf_leaves_two_percent_to_the_page_cache():
    assert cached_share(UNET3D, UNET3D.dataset_bytes / 5) == pytest.approx(0.2 + 0.8 * np.log(0.8))
    assert cached_share(replace(UNET3D, direct=True), UNET3D.dataset_bytes) == 0


@pytest.mark.parametrize(
    ("plan", "epochs", "count"),
    [
        (CheckpointPlan(1, False, False, first_epoch=5, epochs_between=2), 5, 1),
        (CheckpointPlan(1, False, False, first_epoch=1, epochs_between=2), 5, 3),
        (CheckpointPlan(1, False, False, first_epoch=6, epochs_between=2), 5, 0),
        (CheckpointPlan(1, True, True, first_epoch=1, epochs_between=1, steps_between=100), 2, 20),
    ],
)
def test_checkpoints_are_counted_as_dlio_writes_them(plan, epochs, count):
    assert plan.count(epochs, 1000) == count
