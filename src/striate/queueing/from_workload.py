"""A queueing model counted from a program's workloads at several sizes, on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from striate.cluster.cluster import Cluster
from striate.cluster.routes import summarise
from striate.cluster.storage import sequential_ticks, transfer_rate
from striate.errors import QueueingError
from striate.queueing.curves import Floats, Power
from striate.queueing.demand_counts import PhaseCounts, count_phases
from striate.queueing.model import Model
from striate.queueing.parameters import Spmd
from striate.queueing.program import Program, Solvable
from striate.workload import Workload

_PAIRS = 64  # neighbouring ranks whose way is looked at


@dataclass(frozen=True, eq=False)
class Derived:
    """The model, the counts behind it, and how far its curves are from them."""

    model: Solvable
    counts: dict[int, tuple[PhaseCounts, ...]]
    deviation: float  # the largest relative miss of computing, messages and bytes by their curves over p

    @property
    def spmd(self) -> Spmd:
        """The parameters of a program of one phase; raises QueueingError for several, which have parameters each."""
        if not isinstance(self.model, Model):
            raise QueueingError(f"expected one phase, found {len(self.model.phases)}; look at `model.phases`")
        return self.model.spmd


@dataclass(frozen=True, slots=True)
class Speeds:
    """What one part of the cluster does alone: a CPU, a message, one I/O server."""

    instructions_per_second: float
    message_seconds: float
    bytes_per_second: float
    read_bytes_per_second: float
    write_bytes_per_second: float
    request_seconds: float


def from_workload(
    workload_of: Callable[[int], Workload],
    cluster: Cluster,
    *,
    processors: Iterable[int] = (2, 4, 8, 16),
    kind: str | None = None,
    contention: float = 0.0,
) -> Derived:
    """Count `workload_of(p)` at every p of `processors` and set the parameters of a model from the counts.

    A phase is an outermost loop that does I/O; a cycle ends with a run of I/O operations, and a burst is a run of
    computing with the communication after it. S_par and S_ser come from a regression of the computing per burst
    on (1/p, 1); messages and g(p) are the powers of p nearest to the counts. d counts I/O servers. `kind` is
    `sio` where all I/O of a phase is collective and `bus-aio` elsewhere, unless given. A workload says nothing of
    `contention`: 0 is a network of switches that never meet, 1 a bus.
    """
    sizes = sorted(set(processors))
    if not sizes or sizes[0] < 2:
        raise QueueingError(
            "expected numbers of processors of at least 2, where there is communication to count"
        )
    counts = {size: count_phases(workload_of(size)) for size in sizes}
    phases = {len(found) for found in counts.values()}
    if len(phases) > 1:
        raise QueueingError(f"expected the same phases at every p, got {sorted(phases)}")
    speeds = speeds_of(cluster, sizes[-1])
    derived = [
        _derive([counts[size][number] for size in sizes], speeds, kind, contention)
        for number in range(phases.pop())
    ]
    models = [model for model, _ in derived]
    whole: Solvable = models[0] if len(models) == 1 else Program(tuple(models))
    return Derived(whole, counts, max(deviation for _, deviation in derived))


def _derive(
    counts: list[PhaseCounts], speeds: Speeds, kind: str | None, contention: float
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
    spmd = Spmd(
        parallel_seconds=parallel,
        serial_seconds=serial,
        message_startup_seconds=speeds.message_seconds,
        messages=messages,
        transfer_seconds=sent.factor / speeds.bytes_per_second,
        scale=Power(sent.exponent),
        io_startup_seconds=largest.requests / largest.cycles * speeds.request_seconds,
        io_transfer_seconds=_io_seconds(largest, speeds) / largest.cycles,
        bursts_per_io=max(1.0, largest.bursts_per_cycle),
        cycles=largest.cycles,
        contention=contention,
    )
    chosen = kind or ("sio" if largest.together else "bus-aio")
    return Model(spmd, chosen), max(off_computing, off_messages, off_sent)


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
    latency, bandwidth = _neighbour_way(cluster, ranks)
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


def _neighbour_way(cluster: Cluster, ranks: int) -> tuple[float, float]:
    """Mean latency in seconds and mean bandwidth between neighbouring ranks of different sockets, if there are."""
    sockets = cluster.socket_component[cluster.place(ranks).socket]
    source, target = sockets[:-1], sockets[1:]
    apart = source != target
    if apart.any():
        source, target = source[apart], target[apart]
    hops, latency, bandwidth = summarise(cluster.network, source[:_PAIRS], target[:_PAIRS])
    if (hops < 0).any():
        raise QueueingError("expected a way between neighbouring ranks, found none", source=cluster.name)
    return float(np.mean(latency)) / 1e12, float(np.mean(bandwidth))
