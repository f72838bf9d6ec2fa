"""Seconds that no run on a machine can beat: for each CPU, interface and link, the work that it must do alone.

A rank's interface serves its packets one after the other, in both directions; its two links serve one direction
each. A blocking call returns when what it sends has left the interface, or what it reads has come, so that these
times and the rank's computing follow each other. Receives may find their message there, and calls with a request
run beside others: their bytes count for the interface alone. What ranks compute shares the CPUs of their node.
Every packet and every job is rounded to the nearest picosecond, so one picosecond is taken off for each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from striate._core import Ledger
from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.engine.interfaces import Interfaces, rank_interfaces, service_interfaces
from striate.engine.oversubscription import background_slowness, cpus_to_share, waiting_slowness

Seconds = NDArray[np.float64]
Amounts = NDArray[Any]  # bytes or counts, whole or as sums of floats
WIRE_HEADER_BYTES = 40  # of every message: core/include/striate/network/stations.hpp
_TICK, _NOTICE = 1e-12, 1e-9  # seconds; core/include/striate/programs/processors.hpp


@dataclass(frozen=True, eq=False)
class Floor:
    """What interfaces and CPUs of a machine with ranks on it need at least; `sums` are those of the core."""

    cluster: Cluster
    placement: Placement

    @cached_property
    def slowness(self) -> float:
        return background_slowness(self.cluster, self.placement) * waiting_slowness(
            self.cluster, self.placement
        )

    @cached_property
    def _of_ranks(self) -> Interfaces:
        return rank_interfaces(self.cluster, self.placement)

    def computing(self, sums: Ledger, ranks: slice) -> Seconds:
        """Seconds on a CPU of its own, per rank."""
        kind = self.cluster.node_type[self.placement.node[ranks]]
        speed = np.array([kind.instructions_per_second for kind in self.cluster.node_types])[kind]
        rounded = (sums.instructions > 0) | (self.slowness != 1)  # times that are told are exact
        jobs = (sums.computes + sums.received_messages) * rounded
        node = self.placement.node
        crowded = np.bincount(node, minlength=self.cluster.nodes)[node[ranks]] > 1
        early = sums.computes * crowded * _NOTICE  # noticed together with the job of another rank
        whole = (sums.compute_seconds + sums.instructions / speed) * self.slowness
        return np.asarray(np.maximum(whole - jobs * _TICK - early, 0.0))

    def node_seconds(
        self, computing: Seconds, jobs: NDArray[np.int64] | int, ranks: slice = slice(None)
    ) -> Seconds:
        """Per node: the computing of its ranks, shared evenly by its CPUs.

        The end of each of their `jobs` (per rank; one number: of all ranks together) is noticed off the CPU.
        """
        by_node = np.bincount(self.placement.node[ranks], computing, self.cluster.nodes)
        if isinstance(jobs, int):
            noticed = np.full(self.cluster.nodes, float(jobs))
        else:
            noticed = np.bincount(self.placement.node[ranks], jobs, self.cluster.nodes)
        on_cpu = np.maximum(by_node - noticed * _NOTICE, 0.0)
        return np.asarray(on_cpu / np.maximum(cpus_to_share(self.cluster, self.placement), 1))

    def rank_seconds(self, sums: Ledger, computing: Seconds, ranks: slice) -> Seconds:
        """Per rank: what it does in turn, or what passes its interface and links."""
        if (
            self.cluster.settings.free_near
        ):  # messages to a neighbour take no time, and sums do not tell them apart
            return computing
        sent, received = sums.sent_messages, sums.received_messages
        outward = sums.sent_bytes + WIRE_HEADER_BYTES * sent + sums.written_bytes
        inward = sums.received_bytes + WIRE_HEADER_BYTES * received + sums.read_bytes
        blocked = sums.blocking_bytes + WIRE_HEADER_BYTES * sums.blocking_messages
        messages = sent + received + sums.accesses
        interface, link = self._of_ranks.bandwidth[ranks], self._of_ranks.link_bandwidth[ranks]
        in_turn = computing + self._transfer(blocked, messages, interface)
        return np.maximum(
            in_turn,
            self._busiest(outward, inward, messages, (interface, link)),
        )

    def server_seconds(self, read: Amounts, written: Amounts, requests: Amounts) -> Seconds:
        """Per I/O server: what passes its interface and links."""
        servers = len(self.cluster.servers)
        if self.cluster.settings.free_near:
            return np.zeros(servers)
        nics = service_interfaces(self.cluster)
        speeds = nics.bandwidth[:servers], nics.link_bandwidth[:servers]
        return self._busiest(read, written, requests, speeds)

    def _busiest(
        self, outward: Amounts, inward: Amounts, messages: Amounts, speeds: tuple[Seconds, Seconds]
    ) -> Seconds:
        interface, link = speeds
        one_way = self._transfer(np.maximum(outward, inward), messages, link)
        return np.maximum(self._transfer(outward + inward, messages, interface), one_way)

    def _transfer(self, bytes_: Amounts, messages: Amounts, bandwidth: Seconds) -> Seconds:
        """At least this long, rounding packet by packet."""
        packets = bytes_ / int(self.cluster.settings.packet) + messages
        return np.asarray(np.maximum(bytes_ / bandwidth - packets * _TICK, 0.0))
