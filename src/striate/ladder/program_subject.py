"""A workload of per-rank operations on a machine, for the ladder."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.storage import transfer_rate
from striate.collectives.choice import Choice
from striate.engine.input import EngineInput
from striate.interval import Interval
from striate.ladder.bounds import Booked, Inputs, dependency_bounds, errors_of
from striate.ladder.program_traffic import Talk, sequential_check, talk_of
from striate.ladder.validity import Traffic, contention_check, group_check, io_scale_check
from striate.rungs import fine, resource
from striate.rungs import queueing as queueing_rung
from striate.rungs.answer import UnfitError, Use, Verdict
from striate.rungs.check import Check
from striate.rungs.cost import program_seconds
from striate.rungs.machine_inputs import (
    barrier_seconds,
    job_seconds,
    message_seconds,
    random_seek_seconds,
    turn_seconds,
)
from striate.rungs.program_flows import run_program_flows
from striate.rungs.program_input import input_of
from striate.workload.workload import Workload

_SIEVED_BYTES = 64 << 10  # the gap that server-directed reads rather fetch than skip (core: server_queue.hpp)
MOST_PATH_SECONDS = 5.0  # of CPU time for bounds that are proved


@dataclass(eq=False)
class ProgramSubject:
    """The workload, and what its operations cost on the machine."""

    workload: Workload
    cluster: Cluster
    notes: tuple[str, ...] = ()
    choice: Choice = field(default_factory=Choice)
    timeline_bytes: int = 0  # of memory for a timeline of the fine rung

    def __post_init__(self) -> None:
        self.contention = 0.0

    @property
    def name(self) -> str:
        return ", ".join(application.name for application in self.workload.applications)

    @property
    def machine(self) -> str:
        return self.cluster.name

    @property
    def ranks(self) -> int:
        return self.workload.ranks

    @cached_property
    def talk(self) -> Talk:
        return talk_of(self.workload, self.cluster)

    @cached_property
    def sums(self) -> Verdict:
        return resource.predict_resource(self.workload, self.cluster, self.choice)

    @cached_property
    def engine_input(self) -> EngineInput:
        """What the engines of the core take, made once for all rungs."""
        return input_of(self.workload, self.cluster, self.choice)

    def _flows(self, order: str) -> dict[str, Any]:
        return run_program_flows(self.workload, self.cluster, order, given=lambda: self.engine_input)

    @cached_property
    def path(self) -> dict[str, Any] | None:
        """The run in which nothing waits for a busy resource; None where it is too dear, or not to be had."""
        if self.expected_seconds("path") > MOST_PATH_SECONDS:
            return None
        try:
            return self._flows("path")
        except UnfitError:
            return None

    def proved(self) -> Interval | None:
        """Below: the longest chain of dependencies, or the busiest part. Above: all work one after the other.

        At every moment before the end something is under way - a packet, an instruction, a disk - so the end comes
        no later than all of it in turn, with a seek before every disk job.
        """
        if (path := self.path) is None:
            return None
        work = sum(float(path[name].sum()) for name in ("compute_work", "station_work", "disk_alone"))
        jobs = job_seconds(self.cluster) * float(path["disk_jobs"].sum())
        busiest = max(float(path["station_work"].max(initial=0)), self._busiest_cpu(path))
        low = max(path["ticks"], busiest) / 1e12
        high = (work + float(path["delays"])) / 1e12 + jobs + self._steps(path) + self._read_besides(path)
        return Interval(low, low, max(low, high))

    def _steps(self, path: dict[str, Any]) -> float:
        """What operations and messages cost CPUs beside their own work: at most twelve steps of 3 instructions."""
        slowest = min(float(kind.instructions_per_second) for kind in self.cluster.node_types)
        steps = float(path["graphs"] + 3 * path["messages"] + path["disk_jobs"].sum())
        return 36 * steps / slowest

    def _read_besides(self, path: dict[str, Any]) -> float:
        """What servers may read that nobody asked for: ahead, and across gaps."""
        seconds = 0.0
        for server, jobs in zip(self.cluster.servers, path["disk_jobs"], strict=True):
            sieved = _SIEVED_BYTES if server.cache.policy == "server-directed" else 0
            slowest = min(transfer_rate(disk, write=False) for disk in server.disks)
            seconds += float(jobs) * (int(server.cache.read_ahead) + sieved) / slowest
        return seconds

    def _busiest_cpu(self, path: dict[str, Any]) -> float:
        """Work of the node that has most of it for each of its CPUs."""
        placement = self.cluster.place(self.workload.ranks)
        cpus = np.array([kind.sockets * kind.cpus_per_socket for kind in self.cluster.node_types])
        by_node = np.bincount(placement.node, path["compute_work"], self.cluster.nodes)
        return float((by_node / cpus[self.cluster.node_type]).max())

    def checks(self, within: float) -> tuple[Check, ...]:
        shortest = self.sums.interval.low
        tolerance = within * shortest
        traffic = Traffic(
            senders=self.talk.senders,
            block_bytes=max(self.talk.mean_bytes, 1),
            between_picoseconds=round(shortest * 1e12 / max(self.talk.messages, 1)),
            most_blocks=self.talk.messages,
        )
        contention = contention_check(traffic, self.cluster, tolerance_seconds=tolerance)
        self.contention = contention.effect_seconds
        sequential = sequential_check(self.workload, self.cluster)
        return (
            contention,
            sequential,
            io_scale_check(
                0.0 if sequential.passed else random_seek_seconds(self.cluster),
                self._most_jobs(),
                tolerance_seconds=tolerance,
            ),
            group_check(self.talk.groups),
            queueing_rung.cyclic_check(self.workload),
        )

    def _most_jobs(self) -> int:
        """Jobs of the disk that has most: packets and I/O requests, where the run is known, else requests."""
        if self.path is not None:
            return int(self.path["disk_jobs"].max(initial=0))
        return resource.most_requests(self.workload, self.cluster)

    def ask(self, rung: str) -> Verdict:
        if rung == "fine":
            return fine.predict_fine(
                self.workload,
                self.cluster,
                timeline_bytes=self.timeline_bytes,
                given=lambda: self.engine_input,
            )
        if rung == "queueing":
            return queueing_rung.predict_queueing(self.workload, self.cluster)
        if rung == "resource":
            return replace(self.sums, interval=self._resource_bounds())
        result_ = self._flows(rung)
        errors = errors_of(self._booked(result_), self._inputs(result_))
        bounds = dependency_bounds(result_["ticks"] / 1e12, errors, rung=rung, whole_messages=True)
        return Verdict(bounds, _uses(result_))

    def _resource_bounds(self) -> Interval:
        """Section 5.1, and above it what no coarse rung looks at, where the run is known well enough."""
        own = self.sums.interval
        if self.path is None:
            return own
        errors = errors_of(self._booked(self.path), self._inputs(self.path))
        # Ranks that share servers may wait for another one in every access; the paper's disks have one user each.
        shared = (use for use in self.sums.uses if use.kind in ("server", "disk"))
        others = sum(use.count * use.mean_seconds - use.busiest_seconds for use in shared)
        waits = max(others, 0.0) + float(self.path["delays"]) / 1e12
        return Interval(own.low, own.estimate, own.high + errors.unseen + waits)

    def _booked(self, result: dict[str, Any]) -> Booked:
        free = self.path if self.path is not None else result  # communication free of contention
        communication = free["communication_work"] / 1e12
        return Booked(
            processor=free["compute_work"] / 1e12 + communication,
            communication=communication,
            disk_jobs=result["disk_jobs"],
            calls=result["calls"],
            fan_out=max(self.talk.servers, self.talk.senders if self.talk.messages else 0),
            groups=self.talk.groups,
        )

    def _inputs(self, result: dict[str, Any]) -> Inputs:
        settings = self.cluster.settings
        messages = result["messages"] + int(result["calls"].sum()) * self.talk.servers
        size = self.talk.mean_bytes if self.talk.messages else 0
        biggest = max(size, int(settings.stripe_unit) if self.talk.servers else 0)
        far = turn_seconds(self.cluster)
        rendezvous = 3 if size > int(settings.eager) else 1  # a question and an answer before the message
        direct = any(server.cache.policy == "none" for server in self.cluster.servers)
        return Inputs(
            random_seek=job_seconds(self.cluster),
            io_difference=settings.io_variation / 1e12,
            io_cpu=settings.io_cpu / 1e12,
            communication=message_seconds(self.cluster, biggest),
            overlap=True,
            contention=self.contention,
            turns=far * rendezvous * messages / self.workload.ranks,
            start=barrier_seconds(self.cluster, self.workload.ranks),
            stop=self._received_seconds(result) if direct else 0.0,
        )

    def _received_seconds(self, result: dict[str, Any]) -> float:
        """The time that the server to which most is written needs to receive it."""
        written = float(result["written"].max(initial=0))
        return message_seconds(self.cluster, written) if written else 0.0

    def expected_seconds(self, rung: str) -> float:
        return program_seconds(rung, self.workload, self.cluster)


def _uses(result: dict[str, Any]) -> tuple[Use, ...]:
    kinds = (
        ("processor", result["compute_work"] / 1e12),
        ("station", result["station_work"] / 1e12),
        ("server", result["disk_work"] / 1e12),
    )
    return tuple(
        Use(kind, len(work), f"{kind} {int(np.argmax(work))}", float(work.max()), float(work.mean()))
        for kind, work in kinds
        if len(work)
    )
