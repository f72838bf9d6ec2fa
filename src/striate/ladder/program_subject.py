"""A workload of per-rank operations on a machine, for the ladder."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from striate._core import ProgramFlowRun
from striate.cluster.cluster import Cluster
from striate.cluster.placement import Placement
from striate.collectives.choice import Choice
from striate.engine.input import EngineInput
from striate.interval import Interval
from striate.ladder.bounds import Booked, Inputs, dependency_bounds, errors_of
from striate.ladder.program_traffic import ProgramTraffic, sequential_check, traffic_of
from striate.ladder.proofs import Proof, dependencies_are_fixed, files_are_modelled, proof_of_program
from striate.ladder.shared_work import PREPARED, SharedWork
from striate.ladder.validity import Traffic, contention_check, group_check, io_scale_check
from striate.rungs import fine, flow, resource
from striate.rungs import queueing as queueing_rung
from striate.rungs.answer import UnfitError, Use, Verdict, uses_of
from striate.rungs.check import Check
from striate.rungs.cost import program_seconds
from striate.rungs.floor import Floor
from striate.rungs.machine_inputs import (
    barrier_seconds,
    job_seconds,
    message_seconds,
    random_seek_seconds,
    read_ahead_seconds,
    step_seconds,
    turn_seconds,
)
from striate.rungs.machine_parts import only_fine_models, plugin_parts, refuse_parts, unmodelled_parts
from striate.rungs.program_flows import CHAIN, PATH, run_program_flows
from striate.rungs.program_input import input_of
from striate.workload.workload import Workload

_SHARED = {  # the shared work that a rung needs; those of flows need the rest
    "resource": frozenset(("sums", "input", "path")),
    "fine": frozenset(("input",)),
    "flow": frozenset(("input",)),
    "queueing": frozenset[str](),
}
MOST_PATH_SECONDS = 5.0  # of CPU time for bounds that are proved


@dataclass(eq=False)
class ProgramSubject:
    """The workload, and what its operations cost on the machine."""

    workload: Workload
    cluster: Cluster
    notes: tuple[str, ...] = ()
    choice: Choice = field(default_factory=Choice)
    timeline_bytes: int = 0  # of memory for a timeline of the fine rung
    collective_steps: bool = False  # in the timeline
    shared: SharedWork = field(
        default_factory=SharedWork
    )  # that was done to get here, and is done from now on

    def __post_init__(self) -> None:
        self.contention = 0.0

    def shared_by(self, rung: str) -> frozenset[str]:
        return _SHARED.get(rung, frozenset(("input", "path"))) | {PREPARED}

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
    def traffic(self) -> ProgramTraffic:
        return traffic_of(self.workload, self.cluster)

    @cached_property
    def sums(self) -> Verdict:
        with self.shared.making("sums"):
            return resource.predict_resource(self.workload, self.cluster, self.choice)

    @cached_property
    def engine_input(self) -> EngineInput:
        """What the engines of the core take, made once for all rungs."""
        with self.shared.making("input"):
            return input_of(self.workload, self.cluster, self.choice)

    def _flows(self, order: str) -> ProgramFlowRun:
        return run_program_flows(self.workload, self.cluster, order, given=lambda: self.engine_input)

    @cached_property
    def path(self) -> ProgramFlowRun | None:
        """The run in which nothing waits for a busy resource; None where it is too expensive, or not to be had."""
        with self.shared.making("path"):
            return self._alone(PATH)

    def _alone(self, kind: str) -> ProgramFlowRun | None:
        if self.expected_seconds("path") > MOST_PATH_SECONDS:
            return None
        try:
            return self._flows(kind)
        except UnfitError:
            return None

    @cached_property
    def placement(self) -> Placement:
        return self.engine_input.placement

    def proved(self) -> Proof | None:
        """What no run can beat or exceed; None where no proof is known, or it would cost too much to find it."""
        return self._proof(covered=files_are_modelled(self.workload, self.cluster))

    def proved_of_any_placement(self) -> Proof | None:
        """The same, wherever the strips of files lie: with files that cost nothing."""
        return self._proof(covered=False)

    def _proof(self, *, covered: bool) -> Proof | None:
        if plugin_parts(self.cluster) or not dependencies_are_fixed(self.workload, self.cluster):
            return None
        run = self.path if covered else self._alone(CHAIN)
        if run is None:
            return None
        return proof_of_program(run, self.workload, self.cluster, self.placement, free_files=not covered)

    def checks(self, within: float) -> tuple[Check, ...]:
        if unmodelled := unmodelled_parts(self.workload, self.cluster):
            return (Check("machine parts", False, only_fine_models(unmodelled)),)
        proved = self.proved()
        shortest = max(self.sums.interval.low, proved.low if proved else 0.0)
        tolerance = within * shortest
        traffic = Traffic(
            senders=self.traffic.senders,
            block_bytes=max(self.traffic.mean_bytes, 1),
            between_picoseconds=round(shortest * 1e12 / max(self.traffic.messages, 1)),
            most_blocks=self.traffic.messages,
            files=self.traffic.servers > 0,
        )
        contention = contention_check(traffic, self.cluster, tolerance_seconds=tolerance)
        self.contention = contention.effect_seconds
        sequential = sequential_check(self.workload, self.cluster)
        return (
            Check(
                "machine parts",
                True,
                "the coarse rungs model every part of the machine that the program uses",
            ),
            contention,
            sequential,
            io_scale_check(
                0.0 if sequential.passed else random_seek_seconds(self.cluster),
                self._most_jobs(),
                tolerance_seconds=tolerance,
            ),
            group_check(self.traffic.groups),
            queueing_rung.cyclic_check(self.workload),
        )

    def _most_jobs(self) -> int:
        """Jobs of the disk that has most: packets and I/O requests, where the run is known, else requests."""
        if self.path is not None:
            return int(self.path.disk_jobs.max(initial=0))
        return resource.most_requests(self.workload, self.cluster)

    def ask(self, rung: str) -> Verdict:
        if rung == "fine":
            return fine.predict_fine(
                self.workload,
                self.cluster,
                timeline_bytes=self.timeline_bytes,
                collective_steps=self.collective_steps,
                given=lambda: self.engine_input,
            )
        refuse_parts(self.workload, plugin_parts(self.cluster))
        if rung == flow.NAME:
            return flow.predict_flow(self.workload, self.cluster, given=lambda: self.engine_input)
        if rung == "queueing":
            return queueing_rung.predict_queueing(self.workload, self.cluster)
        if rung == "resource":
            return replace(self.sums, interval=self._resource_bounds())
        result = self._flows(rung)
        errors = errors_of(self._booked(result), self._inputs(result))
        bounds = dependency_bounds(result.ticks / 1e12, errors, rung=rung, whole_messages=True)
        return Verdict(bounds, _uses(result))

    def replay(self, skew_seconds: float, seed: int) -> float:
        return fine.skewed_seconds(self.engine_input, skew_seconds, seed)

    def _resource_bounds(self) -> Interval:
        """Section 5.1, and above it what no coarse rung looks at, where the run is known well enough."""
        own = self.sums.interval
        if self.path is None:
            return own
        errors = errors_of(self._booked(self.path), self._inputs(self.path))
        # Ranks that share servers may wait for another one in every access; the paper's disks have one user each.
        shared = (use for use in self.sums.uses if use.kind in ("server", "disk"))
        others = sum(use.count * use.mean_seconds - use.busiest_seconds for use in shared)
        waits = max(others, 0.0) + float(self.path.delays) / 1e12
        return Interval(own.low, own.estimate, own.high + errors.unseen + waits)

    def _booked(self, result: ProgramFlowRun) -> Booked:
        free = self.path if self.path is not None else result  # communication free of contention
        communication = free.communication_work / 1e12
        return Booked(
            processor=free.compute_work / 1e12 + communication,
            communication=communication,
            disk_jobs=result.disk_jobs,
            calls=result.calls,
            fan_out=max(self.traffic.servers, self.traffic.senders if self.traffic.messages else 0),
            groups=self.traffic.groups,
        )

    def _inputs(self, result: ProgramFlowRun) -> Inputs:
        settings = self.cluster.settings
        messages = result.messages + int(result.calls.sum()) * self.traffic.servers
        size = self.traffic.mean_bytes if self.traffic.messages else 0
        biggest = max(size, int(settings.stripe_unit) if self.traffic.servers else 0)
        far = turn_seconds(self.cluster)
        # A question and an answer stand before a long message, and before a synchronous one.
        rendezvous = 3 if size > int(settings.eager) or self.traffic.synchronous else 1
        ahead = read_ahead_seconds(self.cluster) if self.traffic.reads else 0.0
        direct = any(not server.cache.holds_writes for server in self.cluster.servers)
        return Inputs(
            random_seek=job_seconds(self.cluster) + ahead,
            io_difference=settings.io_variation / 1e12,
            io_cpu=settings.io_cpu / 1e12,
            communication=message_seconds(self.cluster, biggest),
            overlap=True,
            contention=self.contention,
            turns=far * rendezvous * messages / self.workload.ranks + self._steps(result),
            start=barrier_seconds(self.cluster, self.workload.ranks),
            stop=self._received_seconds(result) if direct else 0.0,
        )

    def _steps(self, result: ProgramFlowRun) -> float:
        """CPU time that operations and messages take from a rank beside their own work, which no clock books."""
        steps = (result.graphs + 3 * result.messages) / self.workload.ranks + 1
        return Floor(self.cluster, self.placement).slowness * step_seconds(self.cluster) * float(steps)

    def _received_seconds(self, result: ProgramFlowRun) -> float:
        """The time that the server to which most is written needs to receive it."""
        written = float(result.written.max(initial=0))
        return message_seconds(self.cluster, written) if written else 0.0

    def expected_seconds(self, rung: str) -> float:
        if rung not in self._expected:
            self._expected[rung] = program_seconds(rung, self.workload, self.cluster)
        return self._expected[rung]

    @cached_property
    def _expected(self) -> dict[str, float]:
        return {}


def _uses(result: ProgramFlowRun) -> tuple[Use, ...]:
    return uses_of(
        ("processor", result.compute_work / 1e12),
        ("station", result.station_work / 1e12),
        ("server", result.disk_work / 1e12),
    )
