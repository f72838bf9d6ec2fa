"""Section 4 of paper 004: may a coarse rung be trusted with this stream on this machine?"""

from __future__ import annotations

import numpy as np

import striate._core as _core
from striate.cluster.cluster import Cluster, Placement
from striate.predict.bounds import Inputs
from striate.predict.check import Check
from striate.predict.interfaces import rank_interfaces
from striate.predict.packets import Steps
from striate.units import about_seconds, about_size
from striate.workload.flows import FlowCosts, Flows

_ROUNDS = 8  # blocks each sender of the contention test sends


def contention_check(
    flows: Flows,
    cluster: Cluster,
    costs: FlowCosts,
    *,
    fan_out: int,
    most_blocks: int,
    tolerance_seconds: float,
) -> Check:
    """Two short programs on the cluster model: many to one at the stream's own rate, and one to one.

    The effect is the difference of their times a block, times the most blocks that any processor communicates.
    """
    name = "contention"
    if fan_out == 0 or cluster.nodes < 2:
        return Check(name, True, "no block is sent")
    senders = min(max(fan_out, 2), cluster.nodes - 1)
    between = costs.read / (fan_out * flows.disks_per_processor)  # section 4: rate = FO * N_local_disk / T_io
    crowded = _seconds_a_block(cluster, flows.block_bytes, senders, round(between))
    alone = _seconds_a_block(cluster, flows.block_bytes, 1, round(between))
    effect = max(crowded - alone, 0.0) * most_blocks
    found = (
        f"{senders} senders of {about_size(flows.block_bytes)} to one: {about_seconds(crowded)} a block, "
        f"{about_seconds(alone)} alone; at most {about_seconds(effect)} in all"
    )
    return Check(name, effect <= tolerance_seconds, found, effect)


def _seconds_a_block(cluster: Cluster, size: int, senders: int, between: int) -> float:
    """Mean time from ready to delivered, `senders` nodes sending blocks to the first node at their own pace."""
    sources = np.repeat(np.arange(1, senders + 1, dtype=np.int32), _ROUNDS)
    count = len(sources)
    number = np.arange(count)
    later = number % _ROUNDS > 0
    nodes = np.arange(senders + 1, dtype=np.int32)
    interfaces = rank_interfaces(cluster, Placement(nodes, cluster.first_socket[nodes], nodes))
    steps = Steps(
        source=sources,
        target=np.zeros(count, np.int32),
        bytes=np.full(count, size, np.int64),
        delay=np.full(count, between, np.int64),
        first_dependency=np.concatenate(([0], np.cumsum(later))).astype(np.int64),
        dependency=(number[later] - 1).astype(np.int32),
        dependency_sent=np.ones(int(later.sum()), np.uint8),
    )
    routing = cluster.settings.routing == "round-robin"
    packet = int(cluster.settings.packet)
    result = _core.simulate_schedule(
        cluster.network, interfaces, steps, packet_bytes=packet, round_robin=routing
    )
    return float((result["delivered"] - result["start"]).mean() / 1e12)


def sequential_check(flows: Flows) -> Check:
    """Do the blocks of every disk follow one another?"""
    found = "every disk reads in sequence" if flows.sequential else "blocks are read in no order"
    return Check("sequential I/O", flows.sequential, found)


def io_scale_check(flows: Flows, inputs: Inputs, *, most_reads: int, tolerance_seconds: float) -> Check:
    """Would seeks, if every read were random, exceed the target error?"""
    if flows.sequential:
        return Check("I/O scale", True, "no seeks to speak of")
    effect = inputs.random_seek * most_reads
    found = f"{most_reads:,} random reads on one disk cost up to {about_seconds(effect)} more"
    return Check("I/O scale", effect <= tolerance_seconds, found, effect)


def group_check(flows: Flows) -> Check:
    """Must one group of events finish before the next begins? Then sums per resource are no answer."""
    if flows.groups == 1:
        return Check("groups of events", True, "one group: nothing waits for a whole group")
    return Check(
        "groups of events", False, f"{flows.groups} groups wait for each other: no sums per resource"
    )
