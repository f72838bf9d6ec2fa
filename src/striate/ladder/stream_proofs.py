"""What is proved of a stream of work-flow graphs on a machine; `docs/proofs.md` states the proofs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from striate._core import FlowRun
from striate.cluster.cluster import Cluster
from striate.cluster.description.networks import StarNetwork
from striate.cluster.measures import EMPTY_MESSAGE_BYTES, route_measure
from striate.cluster.storage import Disk, FlashDisk, latency_ticks, random_access_ticks
from striate.interval import SAYS_NOTHING
from striate.ladder.proofs import Proof
from striate.rungs.stream_program import disk_places
from striate.workload.flow_costs import DiskPrices, FlowCosts
from striate.workload.flows import Flows, ListedFlows

_NOTICE_SECONDS = 1e-9  # until the engine notices the end of a job; more than all roundings of one


@dataclass(frozen=True, eq=False)
class StreamWork:
    """A stream, what it costs on a machine, and the sums of its work there."""

    flows: Flows
    cluster: Cluster
    costs: FlowCosts
    sums: FlowRun

    def proof(self) -> Proof:
        """No run beats the busiest resource of each group; where routes are alike, none exceeds all work in turn."""
        low = (
            max(float(self.sums.floor) * self._least_share() - self._requests, 0.0) / 1e12
        )  # each rounded once
        high = self._all_work() if self._routes_are_alike() else math.inf
        reason = "the busiest resource of every group"
        return Proof(low, max(low, high) if high <= SAYS_NOTHING * low else None, reason)

    def _least_share(self) -> float:
        """Of the sums: where reads differ, their sizes do, in whole bytes; what a request costs in itself does not."""
        if isinstance(self.flows, ListedFlows):
            return 1.0
        variation, block = float(getattr(self.flows, "read_variation", 0.0)), self.flows.block_bytes
        request = self._prices.read.request_ticks
        whole = request + block / self._prices.read.bytes_per_second * 1e12
        half_a_byte = min(0.5 / ((1 - variation) * block), 0.5)
        return (1.0 - variation * float((request / whole).max())) * (1.0 - half_a_byte)

    def _routes_are_alike(self) -> bool:
        """Equal nodes on one switch: a message between any two of them passes as many parts, equally fast."""
        description = self.cluster.description
        if self.flows.processors == 1:
            return True
        return (
            description is not None
            and isinstance(description.network, StarNetwork)
            and len(description.node) == 1
        )

    def _all_work(self) -> float:
        """At every moment before the end a disk, a CPU or a part of the network works, or a packet is in flight."""
        sums, flows, costs = self.sums, self.flows, self.costs
        computing = sums.processor_work - (sums.communication_work if costs.links else 0)
        disks = [disk for _, disk in disk_places(flows, self.cluster)]
        served = float((sums.disk_work * np.array([_lanes(disk) for disk in disks])).sum())
        seeks = max(random_access_ticks(disk) for disk in disks)
        moved = len(disks) * flows.groups if self._in_sequence else self._requests
        waits = max(latency_ticks(disk) for disk in disks) + int(self.cluster.settings.io_cpu)
        per_disk = seeks * moved + waits * self._requests
        jobs = self._requests + 3 * int(sums.sends) + 2 * flows.groups * len(disks)
        work = (float(computing.sum()) + served + per_disk) / 1e12
        return work + self._messages() + 2 * _NOTICE_SECONDS * jobs

    @property
    def _in_sequence(self) -> bool:
        """Whether a disk seeks once in a group: requests of two blocks in flight would take turns."""
        one_request = self._requests <= 2 * self.flows.graphs
        return self.flows.sequential and not self.flows.writes and one_request

    def _messages(self) -> float:
        """Seconds of all blocks that are sent, and of the barriers between groups, part after part of their routes."""
        flows = self.flows
        if flows.processors == 1:
            return 0.0
        route = route_measure(self.cluster, (0, 0), (1, 0))
        per_byte = sum(1 / rate for rate in route.rates)
        largest = flows.largest_bytes if isinstance(flows, ListedFlows) else 2 * flows.block_bytes
        ranks = flows.processors * (1 + flows.disks_per_processor)
        steps = (flows.groups - 1) * ranks * math.ceil(math.log2(ranks))
        block = route.latency_seconds + (largest + EMPTY_MESSAGE_BYTES) * per_byte
        return int(self.sums.sends) * block + steps * route.empty_message_seconds

    @property
    def _prices(self) -> DiskPrices:
        assert self.costs.prices is not None
        return self.costs.prices

    @property
    def _requests(self) -> int:
        """Of all accesses; requests of a block end where packets or the largest request do: one more for each graph."""
        if isinstance(self.flows, ListedFlows):
            return self.flows.requests(self._prices) + self.flows.graphs
        most = self._prices.read.requests(np.array([2 * self.flows.block_bytes]))  # sizes differ
        return self.flows.graphs * (int(most[0]) + 1)


def _lanes(disk: Disk) -> int:
    """How many times longer a request may take alone than its share of a busy disk: on one channel of flash."""
    return disk.channels if isinstance(disk, FlashDisk) else 1
