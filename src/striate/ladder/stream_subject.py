"""A stream of work-flow graphs on a machine, for the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from striate._core import FlowRun
from striate.cluster.cluster import Cluster
from striate.cluster.storage import (
    Disk,
    random_access_ticks,
    sequential_ticks,
    transfer_rate,
)
from striate.engine.input import EngineInput
from striate.errors import PredictionError
from striate.interval import Interval
from striate.ladder.bounds import Errors, Inputs, booked_of, dependency_bounds, errors_of, resource_bounds
from striate.ladder.proofs import Proof
from striate.ladder.shared_work import PREPARED, SharedWork
from striate.ladder.stream_proofs import StreamWork
from striate.ladder.validity import Traffic, contention_check, group_check, io_scale_check
from striate.rungs import fine, flow
from striate.rungs.answer import UnfitError, Use, Verdict, uses_of
from striate.rungs.check import Check
from striate.rungs.cost import played_seconds_of_stream, stream_seconds
from striate.rungs.machine_inputs import barrier_seconds, message_seconds, turn_seconds
from striate.rungs.machine_parts import has_throttles, only_fine_models
from striate.rungs.memory.fit import expect_messages_fit
from striate.rungs.program_input import input_of
from striate.rungs.shared_parts import shared_parts
from striate.rungs.stream_program import disk_places, stream_machine, stream_workload, wide_enough
from striate.workload.flow_costs import AccessPrices, DiskPrices, FlowCosts
from striate.workload.flows import Flows
from striate.workload.workload import Workload


def costs_of(flows: Flows, cluster: Cluster) -> FlowCosts:
    """What a block costs on this machine: on each disk, between two nodes, and on what nodes share between them."""
    if not cluster.servers:
        raise PredictionError(
            "the stream of work-flow graphs reads blocks, but the cluster has no I/O server",
            source=cluster.name,
        )
    disks = [disk for _, disk in disk_places(flows, cluster)]
    reads = np.array([_read_ticks(disk, flows.block_bytes) for disk in disks])
    alike = bool((reads == reads[0]).all())
    communication = round(message_seconds(cluster, flows.block_bytes) * 1e12)
    settings = cluster.settings
    return FlowCosts(
        int(reads[0]),
        communication,
        bool(settings.io_overlap),
        links=settings.protocol == "interface",
        one_cpu=all(kind.sockets * kind.cpus_per_socket == 1 for kind in cluster.node_types),
        read_scale=None if alike else reads / reads[0],
        prices=DiskPrices(
            _prices(disks, flows, cluster, write=False), _prices(disks, flows, cluster, write=True)
        ),
        shared=shared_parts(cluster, flows.processors, flows.block_bytes, communication),
    )


def _read_ticks(disk: Disk, size_bytes: int) -> int:
    return sequential_ticks(disk, write=False) + round(size_bytes / transfer_rate(disk, write=False) * 1e12)


def _prices(disks: Sequence[Disk], flows: Flows, cluster: Cluster, *, write: bool) -> AccessPrices:
    """A server reads requests whole; without a cache, as streams that write have it, it writes packets as they come."""
    settings = cluster.settings
    return AccessPrices(
        np.array([sequential_ticks(disk, write=write) for disk in disks], np.int64),
        np.array([transfer_rate(disk, write=write) for disk in disks]),
        int(settings.packet) if write else max(int(settings.io_request), flows.block_bytes),
    )


def inputs_of(flows: Flows, cluster: Cluster, costs: FlowCosts) -> Inputs:
    """The inputs of section 5; a sequential stream has no random reads."""
    random = max(random_access_ticks(disk) for _, disk in disk_places(flows, cluster)) / 1e12
    seek = 0.0 if flows.sequential else random
    settings = cluster.settings
    once = random + barrier_seconds(cluster, flows.processors)
    return Inputs(
        random_seek=seek,
        io_difference=settings.io_variation / 1e12,
        io_cpu=settings.io_cpu / 1e12,
        communication=costs.communication / 1e12,
        overlap=costs.overlap,
        disks_per_processor=flows.disks_per_processor,
        start=once,
    )


@dataclass(eq=False)
class StreamSubject:
    """The stream, and what the machine charges for it."""

    flows: Flows
    cluster: Cluster

    def __post_init__(self) -> None:
        self.shared = SharedWork()
        with self.shared.making(PREPARED):
            self.described, self.cluster = self.cluster.nodes, wide_enough(self.flows, self.cluster)
            self.costs = costs_of(self.flows, self.cluster)
            self.inputs = inputs_of(self.flows, self.cluster, self.costs)

    def shared_by(self, rung: str) -> frozenset[str]:
        return frozenset(("sums", PREPARED)) if rung == "resource" else frozenset((PREPARED,))

    @property
    def name(self) -> str:
        return self.flows.name

    @property
    def machine(self) -> str:
        return self.cluster.name

    @property
    def ranks(self) -> int:
        return self.flows.processors

    @property
    def notes(self) -> tuple[str, ...]:
        if self.cluster.nodes == self.described:
            return ()
        wider = f"{self.cluster.name} widened from {self.described} to {self.cluster.nodes} nodes"
        return (f"the machine is {wider}; its switches stay as they are",)

    @cached_property
    def sums(self) -> FlowRun:
        """What `resource` counts: cheap, and the tests are about it."""
        with self.shared.making("sums"):
            return self.flows.run("resource", self.costs)

    def proved(self) -> Proof | None:
        if self._left_out:
            return None
        return StreamWork(self.flows, self.cluster, self.costs, self.sums).proof()

    @cached_property
    def _left_out(self) -> tuple[str, ...]:
        """Names of what only the packet engine models."""
        return ("throttled disks",) if has_throttles(self.cluster) else ()

    def checks(self, within: float) -> tuple[Check, ...]:
        if self._left_out:
            return (Check("machine parts", False, only_fine_models(self._left_out)),)
        sums = self.sums
        tolerance = within * sums.ticks / 1e12
        partners = max(int(sums.most_partners), 1)
        sent = max(int(sums.most_fan_out) * self.flows.disks_per_processor, 1)  # blocks per T_io
        traffic = Traffic(
            senders=max(partners, 2),  # blocks of two disks may go to one processor at once
            block_bytes=self.flows.block_bytes,
            # FO * N_local_disk / T_io is what a processor sends in all; each of its partners gets a share
            between_picoseconds=round(self.costs.read * partners / sent),
            in_step=False,
            most_blocks=int(np.max(sums.communication_work) // max(self.costs.communication, 1)),
        )
        contention = contention_check(traffic, self.cluster, tolerance_seconds=tolerance)
        turns = turn_seconds(self.cluster) * traffic.most_blocks
        self.inputs = replace(self.inputs, contention=contention.effect_seconds, turns=turns)
        most_reads = int(np.max(sums.disk_reads))
        in_sequence = (
            "every disk reads in sequence" if self.flows.sequential else "blocks are read in random order"
        )
        return (
            Check(
                "machine parts",
                True,
                "the rungs of streams model every part of the machine that the stream uses",
            ),
            contention,
            Check("sequential I/O", self.flows.sequential, in_sequence),
            io_scale_check(self.inputs.random_seek, most_reads, tolerance_seconds=tolerance),
            group_check(self.flows.groups),
        )

    def ask(self, rung: str) -> Verdict:
        if rung == "queueing":
            raise UnfitError(
                "a queueing model describes programs of MPI ranks, not streams of work-flow graphs",
                source=self.name,
            )
        if self.flows.writes and rung not in ("resource", "fine"):
            raise UnfitError(
                "only the forecasting methods (rungs) resource and fine model a stream of work-flow graphs "
                "that writes",
                source=self.name,
            )
        if rung in ("flow", "fine"):
            return self._played(rung)
        if self._left_out:
            raise UnfitError(only_fine_models(self._left_out), source=self.name)
        result = self.sums if rung == "resource" else self.flows.run(rung, self.costs)
        if rung == "resource":
            own, proved = resource_bounds(result, self.inputs), self.proved()
            assert proved is not None
            return Verdict(Interval(min(own.low, proved.low), own.estimate, own.high), _uses(result))
        booked = booked_of(result, self.inputs, groups=self.flows.groups)
        errors = errors_of(booked, self.inputs)
        bounds = dependency_bounds(result.ticks / 1e12, errors, rung=rung)
        low = max(self.sums.floor / 1e12, min(self._low(rung, errors), bounds.low))
        return Verdict(Interval(min(low, bounds.estimate), bounds.estimate, bounds.high), _uses(result))

    def _low(self, rung: str, errors: Errors) -> float:
        """What the rung says when a processor sends, receives and computes at once; never more than it says otherwise.

        A coarse rung lets work on a processor wait in one order; another order may be faster than all that section 5
        subtracts. Rounds over the disks (`macro-rr`) make convoys even so: below them only the proof is left.
        """
        if rung == "macro-rr":
            return 0.0
        apart = self.flows.run(rung, replace(self.costs, links=True)).ticks / 1e12
        return dependency_bounds(apart, errors, rung=rung).low

    @cached_property
    def played(self) -> tuple[Workload, Cluster]:
        """The program of ranks that does what the stream asks for, and the machine that it runs on."""
        machine = stream_machine(self.flows, self.cluster)
        program = stream_workload(self.flows, self.costs)
        expect_messages_fit(program, machine)
        return program, machine

    @cached_property
    def engine_input(self) -> EngineInput:
        return input_of(*self.played)

    def replay(self, skew_seconds: float, seed: int) -> float:
        return fine.skewed_seconds(self.engine_input, skew_seconds, seed)

    def _played(self, rung: str) -> Verdict:
        if rung == flow.NAME:
            result = flow.predict_flow(*self.played, given=lambda: self.engine_input)
        else:
            result = fine.predict_fine(*self.played, given=lambda: self.engine_input)
        return Verdict(result.interval, result.uses, result.notes)  # servers and shares are the program's

    def expected_seconds(self, rung: str) -> float:
        if rung not in ("flow", "fine"):
            return stream_seconds(rung, self.flows.graphs)
        packets = 1 if rung == "flow" else 1 + self.flows.block_bytes / int(self.cluster.settings.packet)
        return played_seconds_of_stream(self.flows.graphs, int(self.sums.sends), packets, self.cluster)


def _uses(result: FlowRun) -> tuple[Use, ...]:
    return uses_of(
        ("processor", result.processor_work / 1e12),
        ("disk", result.disk_work / 1e12),
        ("shared part", result.station_work / 1e12),
    )
