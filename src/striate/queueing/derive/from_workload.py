"""A queueing model counted from a program's workloads at several sizes, on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import nnls

from striate.cluster.cluster import Cluster
from striate.cluster.routes import summarise
from striate.cluster.storage import random_access_ticks, sequential_ticks, transfer_rate
from striate.errors import QueueingError
from striate.interval import Interval
from striate.queueing.curves import Floats, Power
from striate.queueing.derive.contention import contention_of
from striate.queueing.derive.demand_counts import PhaseCounts, count_phases
from striate.queueing.model import Model
from striate.queueing.parameters import SpmdParameters
from striate.queueing.program import Program, Solvable
from striate.workload import Workload

_PAIRS = 64  # neighbouring ranks whose route is looked at


@dataclass(frozen=True, eq=False)
class Derived:
    """The model, the counts behind it, and how far its curves are from them."""

    model: Solvable
    counts: dict[int, tuple[PhaseCounts, ...]]
    deviation: float  # the largest relative miss of computing, messages and bytes by their curves over p
    least: Solvable  # I/O that caches absorb, and the least share of transfers that meet
    most: Solvable  # every chunk of I/O a random access to one server, and the largest share

    @property
    def contention(self) -> tuple[float, float]:
        """The least and the largest w."""
        ends = (phases_of_model(self.least)[0], phases_of_model(self.most)[0])
        return ends[0].spmd.contention, ends[1].spmd.contention

    def band(self, processors: int, disks: int) -> Interval:
        """The time at p and d with what the model does not know: w, the state of disks and caches, randomness.

        Low: every time is constant and nobody waits for anything but a station that cannot serve all in less. High: the
        upper bound of the model's random times, with all I/O on one server.
        """
        estimate = float(self.model.time(processors, disks))
        low = sum(float(phase.least_seconds(processors, disks)) for phase in phases_of_model(self.least))
        high = sum(float(phase.bounds(processors, 1).high) for phase in phases_of_model(self.most))
        return Interval(min(low, estimate), estimate, max(high, estimate))

    @property
    def spmd(self) -> SpmdParameters:
        """The parameters of a program of one phase; raises QueueingError for several, which have parameters each."""
        if not isinstance(self.model, Model):
            raise QueueingError(
                f"expected a model of one phase (outermost loop with I/O), found {len(self.model.phases)} phases; "
                "use `model.phases`"
            )
        return self.model.spmd


@dataclass(frozen=True, slots=True)
class Speeds:
    """What one part of the cluster does alone: a CPU, a message, one I/O server."""

    instructions_per_second: float
    message_seconds: float
    bytes_per_second: float
    read_bytes_per_second: float
    write_bytes_per_second: float
    request_seconds: float  # what each request takes beyond its bytes
    chunk_bytes: float = np.inf  # a request is cut into chunks of this size, each of which takes as long


def from_workload(
    workload_of: Callable[[int], Workload],
    cluster: Cluster,
    *,
    processors: Iterable[int] = (2, 4, 8, 16),
    kind: str | None = None,
    contention: float | None = None,
) -> Derived:
    """Count `workload_of(p)` at every p of `processors` and set the parameters of a model from the counts.

    A phase is an outermost loop that does I/O; a cycle ends with a run of I/O operations, and a burst is a run of
    computing with the communication after it. S_par and S_ser come from a regression of the computing per burst
    on (1/p, 1); messages and g(p) are the powers of p nearest to the counts. d counts I/O servers. `kind` is
    `sio` where all I/O of a phase is collective and `bus-aio` elsewhere, unless given. A workload says nothing of
    `contention`: unless given, it is that of messages between neighbouring ranks on this cluster, and the range up to
    that of messages across the machine is kept beside the model.
    """
    sizes = sorted(set(processors))
    if not sizes or sizes[0] < 2:
        raise QueueingError(
            f"expected at least 2 processors, so that there is communication to count, got {sizes[:8]}"
        )
    counts = {size: count_phases(workload_of(size)) for size in sizes}
    phases = sorted({len(found) for found in counts.values()})
    if len(phases) > 1:
        raise QueueingError(
            "expected the same number of phases (outermost loops with I/O) for every number of processors, "
            f"got {phases} phases"
        )
    speeds = speeds_of(cluster, sizes[-1])
    near, far = (
        contention_of(cluster, sizes[-1], speeds.bytes_per_second)
        if contention is None
        else (contention, contention)
    )
    ends = (speeds, near), (idle_io(speeds, cluster), near), (busy_io(speeds, cluster), far)
    found = [
        [_derive([counts[size][number] for size in sizes], *end, kind) for number in range(phases[0])]
        for end in ends
    ]
    models = [_whole([model for model, _ in derived]) for derived in found]
    return Derived(models[0], counts, max(deviation for _, deviation in found[0]), *models[1:])


def phases_of_model(model: Solvable) -> tuple[Model, ...]:
    return model.phases if isinstance(model, Program) else (model,)


def _whole(models: list[Model]) -> Solvable:
    return models[0] if len(models) == 1 else Program(tuple(models))


def _derive(
    counts: list[PhaseCounts], speeds: Speeds, contention: float, kind: str | None
) -> tuple[Model, float]:
    sizes = np.array([count.ranks for count in counts], dtype=np.float64)
    bursts = np.array([count.bursts for count in counts], dtype=np.float64)
    computing = np.array(
        [count.compute_seconds + count.instructions / speeds.instructions_per_second for count in counts]
    )
    parallel, serial, off_computing = _shared(sizes, computing / bursts)
    messages, off_messages = _power(sizes, np.array([count.messages for count in counts]) / bursts)
    sent, off_sent = _power(sizes, np.array([count.sent_bytes for count in counts]) / bursts)
    largest = counts[-1]
    spmd = SpmdParameters(
        parallel_seconds=parallel,
        serial_seconds=serial,
        message_startup_seconds=speeds.message_seconds,
        messages=messages,
        transfer_seconds=sent.factor / speeds.bytes_per_second,
        scale=Power(sent.exponent),
        io_startup_seconds=_chunks(largest, speeds) / largest.cycles * speeds.request_seconds,
        io_transfer_seconds=_io_seconds(largest, speeds) / largest.cycles,
        bursts_per_io=max(1.0, largest.bursts_per_cycle),
        cycles=largest.cycles,
        contention=contention,
    )
    chosen = kind or ("sio" if largest.together else "bus-aio")
    return Model(spmd, chosen), max(off_computing, off_messages, off_sent)


def _chunks(count: PhaseCounts, speeds: Speeds) -> float:
    """Requests per rank, or the chunks of its bytes where those are more."""
    moved = (count.read_bytes + count.written_bytes) / count.ranks
    return max(count.requests, moved / speeds.chunk_bytes)


def _io_seconds(count: PhaseCounts, speeds: Speeds) -> float:
    read = count.read_bytes / speeds.read_bytes_per_second if count.read_bytes else 0.0
    return read + (count.written_bytes / speeds.write_bytes_per_second if count.written_bytes else 0.0)


def _shared(sizes: Floats, seconds: Floats) -> tuple[float, float, float]:
    """S_par and S_ser with seconds = S_par / p + S_ser, least in relative squares, and the worst miss."""
    if not seconds.any():
        return 0.0, 0.0, 0.0
    columns = np.stack([1 / sizes, np.ones(sizes.size)], axis=1)
    if sizes.size == 1:
        return float(seconds[0] * sizes[0]), 0.0, 0.0
    (parallel, serial), _ = nnls(columns / seconds[:, None], np.ones(sizes.size))
    return float(parallel), float(serial), float(np.abs(columns @ [parallel, serial] / seconds - 1).max())


def _power(sizes: Floats, values: Floats) -> tuple[Power, float]:
    """The power of p nearest to positive values, in logarithms, and the worst miss; constant for one size."""
    if (values <= 0).any():
        return Power(0.0, 0.0), 1.0 if (values > 0).any() else 0.0
    if sizes.size == 1:
        return Power(0.0, float(values[0])), 0.0
    exponent, constant = np.polyfit(np.log(sizes), np.log(values), 1)
    exponent = float(np.round(exponent, 12))  # a straight line is one, whatever the last bits say
    found = Power(exponent, float(np.exp(constant)))
    return found, float(np.abs(np.exp(constant) * sizes**exponent / values - 1).max())


def speeds_of(cluster: Cluster, ranks: int) -> Speeds:
    """The cluster's parts, each alone; the message goes from a rank to the next."""
    kind = cluster.node_types[int(cluster.node_type[0])]
    latency, bandwidth = _neighbour_route(cluster, ranks)
    wire = min(bandwidth, kind.nic.bandwidth, kind.nic.link.bandwidth)
    message = latency + 2 * kind.nic.link.latency / 1e12
    if not cluster.servers:
        return Speeds(float(kind.instructions_per_second), message, wire, np.inf, np.inf, 0.0)
    server = cluster.servers[0]
    interface = min(server.nic.bandwidth, server.nic.link.bandwidth)
    read, write = (
        min(interface, sum(transfer_rate(disk, write=writes) for disk in server.disks))
        for writes in (False, True)
    )
    before = max(sequential_ticks(disk, write=True) for disk in server.disks) / 1e12
    return Speeds(
        float(kind.instructions_per_second), message, wire, float(read), float(write), message + before
    )


def idle_io(speeds: Speeds, cluster: Cluster) -> Speeds:
    """Where every server has a cache, the I/O may end there: only its messages take time."""
    if not all(server.cache.holds_writes for server in cluster.servers):
        return speeds
    return replace(
        speeds,
        read_bytes_per_second=np.inf,
        write_bytes_per_second=np.inf,
        request_seconds=speeds.message_seconds,
    )


def busy_io(speeds: Speeds, cluster: Cluster) -> Speeds:
    """Every chunk of a request a random access, and its transfer time not hidden."""
    if not cluster.servers:
        return speeds
    chunk = float(cluster.settings.stripe_unit)
    seek = max(random_access_ticks(disk) for server in cluster.servers for disk in server.disks) / 1e12
    wire = chunk / speeds.bytes_per_second
    return replace(speeds, request_seconds=speeds.request_seconds + seek + wire, chunk_bytes=chunk)


def _neighbour_route(cluster: Cluster, ranks: int) -> tuple[float, float]:
    """Mean latency in seconds and mean bandwidth between neighbouring ranks of different sockets, if there are."""
    sockets = cluster.socket_component[cluster.place(ranks).socket]
    source, target = sockets[:-1], sockets[1:]
    apart = source != target
    if apart.any():
        source, target = source[apart], target[apart]
    hops, latency, bandwidth = summarise(cluster.network, source[:_PAIRS], target[:_PAIRS])
    if (hops < 0).any():
        raise QueueingError("expected a route between neighbouring ranks, found none", source=cluster.name)
    return float(np.mean(latency)) / 1e12, float(np.mean(bandwidth))
