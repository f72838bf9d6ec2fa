"""The ladder over work-flow graphs: validity tests, then rung after rung until the bounds are narrow enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from striate.cluster.cluster import Cluster
from striate.cluster.measures import way
from striate.cluster.storage import random_access_ticks, sequential_ticks, transfer_rate
from striate.errors import PredictionError
from striate.interval import Interval
from striate.predict.bounds import Inputs, dependency_bounds, proved_floor, resource_bounds
from striate.predict.check import Check
from striate.predict.decision import START, TREE, Rung, Trial
from striate.predict.forecast import Answer, Forecast, Use
from striate.predict.validity import contention_check, group_check, io_scale_check, sequential_check
from striate.provenance import Provenance, metered
from striate.workload.flows import FlowCosts, Flows

RUNGS = ("resource", "macro-rr", "macro-queue", "micro")


@dataclass(frozen=True, slots=True)
class _Step:
    answer: Answer
    result: dict[str, Any]


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
    communication = 0
    if cluster.nodes > 1:
        path = way(cluster, (0, 0), (1, 0))
        communication = round((path.latency_seconds + flows.block_bytes / path.bytes_per_second) * 1e12)
    return FlowCosts(read, communication, bool(cluster.settings.io_overlap))


def inputs_of(flows: Flows, cluster: Cluster, costs: FlowCosts) -> Inputs:
    """The inputs of section 5; a sequential stream has no random reads."""
    disk = cluster.servers[0].disks[0]
    seek = 0.0 if flows.sequential else random_access_ticks(disk) / 1e12
    settings = cluster.settings
    difference, cpu = settings.io_variation / 1e12, settings.io_cpu / 1e12
    return Inputs(seek, difference, cpu, costs.communication / 1e12, costs.overlap, flows.disks_per_processor)


def climb_flows(
    flows: Flows, cluster: Cluster, *, within: float | None, rung: str | None, provenance: Provenance
) -> Forecast:
    """Follow the decision tree: the validity tests first, then rung after rung while the bounds are too wide."""
    if rung is not None and rung not in RUNGS:
        raise PredictionError(f"expected a rung among {', '.join(RUNGS)}, got {rung!r:.60}")
    costs = costs_of(flows, cluster)
    inputs = inputs_of(flows, cluster, costs)
    sums = _ask("resource", flows, costs, inputs)  # cheap, and the tests are about what it counts
    checks = {check.name: check for check in _checks(flows, cluster, costs, inputs, sums.result, within)}
    first = rung or _first_rung(checks)
    trusted = rung is not None or first != "fine"
    steps: list[_Step] = []
    stopped = f"only {rung} was asked for"
    at: str | None = first if first != "fine" else "macro-rr"
    while at in RUNGS:
        steps.append(_combined(steps, sums if at == "resource" else _ask(at, flows, costs, inputs)))
        if rung is not None:
            break
        if trusted and within is not None and steps[-1].answer.combined.relative_error <= within:
            stopped = f"{at} is within {within:.0%}"
            break
        following = TREE[at]
        assert isinstance(following, Rung)
        at = following.wider
        stopped = "the coarse rungs are exhausted, and no dearer rung takes a stream yet"
    if not trusted:
        stopped = "the tests ask for a packet-level run, which takes no stream yet"
    return _forecast(
        flows,
        cluster,
        steps,
        tuple(checks.values()),
        within=within,
        stopped=stopped,
        trusted=trusted,
        provenance=provenance,
    )


def _first_rung(checks: dict[str, Check]) -> str:
    """Walk the tests of the tree to the first rung that may be asked."""
    at = START
    while isinstance(step := TREE[at], Trial):
        at = step.passed if checks[at].passed else step.failed
    return at


def _ask(rung: str, flows: Flows, costs: FlowCosts, inputs: Inputs) -> _Step:
    """A rung's own answer."""
    with metered() as meter:
        result = flows.run(rung, costs)
    bounds = (
        resource_bounds(result, inputs)
        if rung == "resource"
        else dependency_bounds(result, inputs, rung=rung)
    )
    return _Step(Answer(rung, bounds, bounds, meter.cost), result)


def _combined(earlier: list[_Step], step: _Step) -> _Step:
    """Section 6.1: the largest low and the smallest high of all rungs so far; and no less than the proved floor."""
    answer = step.answer
    low = max([answer.raw.low, proved_floor(step.result), *(other.answer.combined.low for other in earlier)])
    high = min([answer.raw.high, *(other.answer.combined.high for other in earlier)])
    if low > high:
        notes = (*answer.notes, "its bounds contradict those of the rungs before it, and are used alone")
        return _Step(Answer(answer.rung, answer.raw, answer.raw, answer.cost, notes), step.result)
    bounds = Interval(low, min(max(answer.raw.estimate, low), high), high)
    return _Step(Answer(answer.rung, answer.raw, bounds, answer.cost, answer.notes), step.result)


def _checks(
    flows: Flows,
    cluster: Cluster,
    costs: FlowCosts,
    inputs: Inputs,
    result: dict[str, Any],
    within: float | None,
) -> tuple[Check, ...]:
    """The four validity tests; their tolerance is the target error of the shortest possible time."""
    tolerance = (within if within is not None else 0.1) * result["ticks"] / 1e12
    fan_out = int(result["most_fan_out"])
    most_blocks = int(np.max(result["communication_work"]) // max(costs.communication, 1))
    return (
        contention_check(
            flows, cluster, costs, fan_out=fan_out, most_blocks=most_blocks, tolerance_seconds=tolerance
        ),
        sequential_check(flows),
        io_scale_check(
            flows, inputs, most_reads=int(np.max(result["disk_reads"])), tolerance_seconds=tolerance
        ),
        group_check(flows),
    )


def _forecast(
    flows: Flows,
    cluster: Cluster,
    steps: list[_Step],
    checks: tuple[Check, ...],
    *,
    within: float | None,
    stopped: str,
    trusted: bool,
    provenance: Provenance,
) -> Forecast:
    last = steps[-1]
    notes = [f"the climb stopped: {stopped}"]
    if flows.processors != cluster.nodes:
        notes.append(f"the machine is {cluster.name} scaled from {cluster.nodes} to {flows.processors} nodes")
    return Forecast(
        workload=flows.name,
        cluster=cluster.name,
        ranks=flows.processors,
        rung=last.answer.rung,
        seconds=last.answer.combined,
        answers=tuple(step.answer for step in steps),
        uses=_uses(last.result),
        provenance=provenance,
        within=within,
        notes=tuple(notes),
        checks=checks,
        trusted=trusted,
    )


def _uses(result: dict[str, Any]) -> tuple[Use, ...]:
    kinds = (("processor", result["processor_work"] / 1e12), ("disk", result["disk_work"] / 1e12))
    return tuple(
        Use(kind, len(work), f"{kind} {int(np.argmax(work))}", float(work.max()), float(work.mean()))
        for kind, work in kinds
    )
