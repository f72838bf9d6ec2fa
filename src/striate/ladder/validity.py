"""Section 4 of paper 004: may a coarse rung be trusted with this work on this machine?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import striate._core as _core
from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.engine.interfaces import rank_interfaces
from striate.engine.packets import Steps
from striate.errors import PredictionError
from striate.refusals import translated
from striate.rungs.check import Check
from striate.units import about_seconds, about_size

_GOLDEN = (5**0.5 - 1) / 2
_ROUNDS = 8  # blocks each sender of the contention test sends


@dataclass(frozen=True, slots=True)
class Traffic:
    """What the two communication programs are set to: section 4's parameters, from the work itself."""

    senders: int  # fan-out: the most processors that one exchanges blocks with
    block_bytes: int  # the mean size of a block
    between_picoseconds: int  # from one block of a sender to its next
    most_blocks: int  # that any processor communicates
    in_step: bool = True  # all senders send at the same moments; false: each at its own
    files: bool = False  # files are accessed: data go to servers, which this test does not try


def contention_check(traffic: Traffic, cluster: Cluster, *, tolerance_seconds: float) -> Check:
    """Two short programs on the cluster model: many to one at the work's own rate, and one to one.

    The effect is the difference of their times a block, times the most blocks that any processor communicates.
    """
    name = "contention"
    if traffic.most_blocks == 0 or cluster.nodes < 2:
        among = "ranks send each other no data; every rung models contention at servers"
        return Check(name, True, among if traffic.files else "no block is sent")
    senders = min(traffic.senders, cluster.nodes - 1)
    if senders < 2:
        return Check(name, True, "no rank receives from two others at once")
    crowded = seconds_a_block(cluster, traffic, senders)
    alone = seconds_a_block(cluster, traffic, 1)
    effect = max(crowded - alone, 0.0) * traffic.most_blocks
    found = (
        f"{senders} senders to one: {about_seconds(crowded)} per block of {about_size(traffic.block_bytes)}, "
        f"with one sender {about_seconds(alone)}; at most {about_seconds(effect)} in all"
    )
    return Check(name, effect <= tolerance_seconds, found, effect)


def seconds_a_block(cluster: Cluster, traffic: Traffic, senders: int) -> float:
    """Mean time from ready to delivered, `senders` nodes sending blocks to the first node at their own pace."""
    sources = np.repeat(np.arange(1, senders + 1, dtype=np.int32), _ROUNDS)
    count = len(sources)
    number = np.arange(count)
    later = number % _ROUNDS > 0
    nodes = np.arange(senders + 1, dtype=np.int32)
    interfaces = rank_interfaces(cluster, Placement(nodes, cluster.first_socket[nodes], nodes))
    delay = np.full(count, traffic.between_picoseconds, np.int64)
    if not traffic.in_step:  # evenly scattered beginnings, whatever the number of senders
        delay[~later] = np.modf(np.arange(senders) * _GOLDEN)[0] * traffic.between_picoseconds
    steps = Steps(
        source=sources,
        target=np.zeros(count, np.int32),
        bytes=np.full(count, traffic.block_bytes, np.int64),
        delay=delay,
        first_dependency=np.concatenate(([0], np.cumsum(later))).astype(np.int64),
        dependency=(number[later] - 1).astype(np.int32),
        dependency_sent=np.ones(int(later.sum()), np.uint8),
    )
    routing = cluster.settings.routing == "round-robin"
    packet = int(cluster.settings.packet)
    with translated(PredictionError, source=cluster.name):
        result = _core.simulate_schedule(
            cluster.network, interfaces, steps, packet_bytes=packet, round_robin=routing
        )
    return float((result.delivered - result.start).mean() / 1e12)


def io_scale_check(seek_seconds: float, most_jobs: int, *, tolerance_seconds: float) -> Check:
    """Would seeks, if every access were random, exceed the target error?"""
    effect = seek_seconds * most_jobs
    if not effect:
        return Check("I/O scale", True, "seeks are negligible")
    found = f"{most_jobs:,} random accesses on one disk cost up to {about_seconds(effect)} more"
    return Check("I/O scale", effect <= tolerance_seconds, found, effect)


def group_check(groups: int) -> Check:
    """Must one group of events finish before the next begins? Then sums per resource are no answer."""
    if groups == 1:
        return Check("groups of events", True, "one group: nothing waits for a whole group")
    return Check(
        "groups of events", False, f"{groups:,} groups wait for each other, so sums per resource do not apply"
    )
