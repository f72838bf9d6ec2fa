"""A stream of work-flow graphs on a machine, for the ladder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.storage import random_access_ticks, sequential_ticks, transfer_rate
from striate.errors import PredictionError
from striate.ladder.bounds import Inputs, booked_of, dependency_bounds, errors_of, resource_bounds
from striate.ladder.proofs import Proof
from striate.ladder.validity import Traffic, contention_check, group_check, io_scale_check
from striate.rungs import fine
from striate.rungs.answer import UnfitError, Use, Verdict
from striate.rungs.check import Check
from striate.rungs.cost import fine_seconds_of_stream, stream_seconds
from striate.rungs.machine_inputs import barrier_seconds, message_seconds, turn_seconds
from striate.rungs.memory import expect_messages_fit
from striate.rungs.stream_program import stream_machine, stream_workload
from striate.workload.flows import FlowCosts, Flows


def costs_of(flows: Flows, cluster: Cluster) -> FlowCosts:
    """What a block costs on this machine: its first server's first disk, the way between two nodes."""
    if not cluster.servers:
        raise PredictionError(
            "the stream reads blocks but the cluster has no I/O server", source=cluster.name
        )
    disk = cluster.servers[0].disks[0]
    read = sequential_ticks(disk, write=False) + round(
        flows.block_bytes / transfer_rate(disk, write=False) * 1e12
    )
    communication = round(message_seconds(cluster, flows.block_bytes) * 1e12)
    settings = cluster.settings
    return FlowCosts(read, communication, bool(settings.io_overlap), links=settings.protocol == "interface")


def inputs_of(flows: Flows, cluster: Cluster, costs: FlowCosts) -> Inputs:
    """The inputs of section 5; a sequential stream has no random reads."""
    disk = cluster.servers[0].disks[0]
    seek = 0.0 if flows.sequential else random_access_ticks(disk) / 1e12
    settings = cluster.settings
    once = random_access_ticks(disk) / 1e12 + barrier_seconds(cluster, flows.processors)
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
        self.costs = costs_of(self.flows, self.cluster)
        self.inputs = inputs_of(self.flows, self.cluster, self.costs)

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
        if self.flows.processors == self.cluster.nodes:
            return ()
        scaled = f"{self.cluster.name} scaled from {self.cluster.nodes} to {self.flows.processors} nodes"
        return (f"the machine is {scaled}",)

    @cached_property
    def sums(self) -> dict[str, Any]:
        """What `resource` counts: cheap, and the tests are about it."""
        return self.flows.run("resource", self.costs)

    def proved(self) -> Proof:
        """The busiest resource of every group; and everything one after the other, with every error there may be."""
        sums, inputs = self.sums, self.inputs
        reads = int(sums["disk_reads"].sum())
        work = float(sums["disk_work"].sum() + sums["processor_work"].sum()) / 1e12
        extra = (inputs.random_seek + inputs.io_difference + inputs.io_cpu) * reads
        apart = turn_seconds(self.cluster) * int(sums["sends"]) + inputs.start * self.flows.groups * len(
            sums["disk_work"]
        )
        low = sums["floor"] / 1e12
        return Proof(low, max(low, work + extra + apart), "the busiest resource of every group")

    def checks(self, within: float) -> tuple[Check, ...]:
        sums = self.sums
        tolerance = within * sums["ticks"] / 1e12
        fan_out = int(sums["most_fan_out"])
        disks = self.flows.disks_per_processor
        traffic = Traffic(
            senders=max(fan_out, 2),  # blocks of two disks may go to one processor at once
            block_bytes=self.flows.block_bytes,
            between_picoseconds=round(self.costs.read / max(fan_out * disks, 1)),  # FO * N_local_disk / T_io
            most_blocks=int(np.max(sums["communication_work"]) // max(self.costs.communication, 1)),
        )
        contention = contention_check(traffic, self.cluster, tolerance_seconds=tolerance)
        turns = turn_seconds(self.cluster) * traffic.most_blocks
        self.inputs = replace(self.inputs, contention=contention.effect_seconds, turns=turns)
        most_reads = int(np.max(sums["disk_reads"]))
        in_sequence = (
            "every disk reads in sequence" if self.flows.sequential else "blocks are read in no order"
        )
        return (
            Check("machine parts", True, "the rungs of streams model every part that a stream meets"),
            contention,
            Check("sequential I/O", self.flows.sequential, in_sequence),
            io_scale_check(self.inputs.random_seek, most_reads, tolerance_seconds=tolerance),
            group_check(self.flows.groups),
        )

    def ask(self, rung: str) -> Verdict:
        if rung == "queueing":
            raise UnfitError("a queueing model takes programs of ranks, not streams", source=self.name)
        if rung == "fine":
            return self._fine()
        result = self.sums if rung == "resource" else self.flows.run(rung, self.costs)
        if rung == "resource":
            return Verdict(resource_bounds(result, self.inputs), _uses(result))
        booked = booked_of(result, self.inputs, groups=self.flows.groups)
        errors = errors_of(booked, self.inputs)
        return Verdict(dependency_bounds(result["ticks"] / 1e12, errors, rung=rung), _uses(result))

    def _fine(self) -> Verdict:
        machine = stream_machine(self.flows, self.cluster)
        program = stream_workload(self.flows, self.costs)
        expect_messages_fit(program, machine)
        result = fine.predict_fine(program, machine)
        return Verdict(result.interval, result.uses, result.notes)  # servers and shares are the program's

    def expected_seconds(self, rung: str) -> float:
        if rung != "fine":
            return stream_seconds(rung, self.flows.graphs)
        return fine_seconds_of_stream(
            self.flows.graphs, int(self.sums["sends"]), self.flows.block_bytes, self.cluster
        )


def _uses(result: dict[str, Any]) -> tuple[Use, ...]:
    kinds = (("processor", result["processor_work"] / 1e12), ("disk", result["disk_work"] / 1e12))
    return tuple(
        Use(kind, len(work), f"{kind} {int(np.argmax(work))}", float(work.max()), float(work.mean()))
        for kind, work in kinds
    )
