"""Ranks and messages: ping-pong within a socket, between sockets and nodes, all at once, and waiting for a turn."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from striate.probe.deadline import affordable
from striate.probe.microbenchmarks.comms1 import SIZES as MESSAGE_SIZES
from striate.probe.microbenchmarks.comms1 import one_way_samples
from striate.probe.microbenchmarks.comms3 import SIZES as EXCHANGE_SIZES
from striate.probe.microbenchmarks.comms3 import exchange_samples
from striate.probe.samples import Floats, Line, sturdy_line

_FEW = 10  # rounds of computing and agreeing


@dataclass(frozen=True, slots=True)
class Pair:
    """Rank 0 and a partner at some distance; the CPUs both are to run on, or -1."""

    level: str  # "same socket", "two sockets", "two nodes"
    partner: int
    cpu: int
    partner_cpu: int


def socket_of(cpu: int) -> int:
    """The package that a CPU of this host belongs to; 0 where the system does not say."""
    try:
        return int(Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/physical_package_id").read_text())
    except (OSError, ValueError):
        return 0


def pairs(comm: Any) -> list[Pair]:
    """One pair for each distance that these ranks have."""
    from mpi4py import MPI

    allowed = sorted(os.sched_getaffinity(0))
    here = (MPI.Get_processor_name(), [(cpu, socket_of(cpu)) for cpu in allowed])
    hosts = comm.allgather(here)
    return chosen_pairs(hosts)


def chosen_pairs(hosts: list[tuple[str, list[tuple[int, int]]]]) -> list[Pair]:
    """The pairs, from each rank's host and its CPUs with their sockets."""
    name, cpus = hosts[0]
    near = next((rank for rank in range(1, len(hosts)) if hosts[rank][0] == name), -1)
    far = next((rank for rank in range(1, len(hosts)) if hosts[rank][0] != name), -1)
    found = []
    if near >= 0:
        first = cpus[0]
        for level, wanted in (("same socket", True), ("two sockets", False)):
            others = [
                cpu for cpu, socket in hosts[near][1] if (socket == first[1]) == wanted and cpu != first[0]
            ]
            if others:
                found.append(Pair(level, near, first[0], others[0]))
        if not found:  # one CPU for both
            found.append(Pair("same socket", near, -1, -1))
    if far >= 0:
        found.append(Pair("two nodes", far, -1, -1))
    return found


@contextmanager
def _bound_to(cpu: int) -> Iterator[None]:
    """This process on one CPU alone; -1: wherever it is."""
    before = os.sched_getaffinity(0)
    if cpu >= 0:
        os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def ping_pong_line(comm: Any, pair: Pair, seconds: float) -> Line | None:
    """Start-up and rate between rank 0 and its partner; the line on rank 0, None elsewhere."""
    cpu = {0: pair.cpu, pair.partner: pair.partner_cpu}.get(comm.rank, -1)
    columns = []
    with _bound_to(cpu):
        for size in MESSAGE_SIZES:
            comm.Barrier()
            one = float(np.median(one_way_samples(comm, int(size), 3, partner=pair.partner)))
            share = seconds / len(MESSAGE_SIZES)
            rounds = comm.bcast(affordable(2 * one, share))
            columns.append(one_way_samples(comm, int(size), rounds, partner=pair.partner))
    comm.Barrier()
    if comm.rank:
        return None
    return sturdy_line(f"messages, {pair.level}", [int(size) for size in MESSAGE_SIZES], columns)


def saturation_rates(comm: Any, seconds: float) -> Floats:
    """Bytes per second of all ranks together in exchanges of large messages, one value per round."""
    messages = comm.size * (comm.size - 1)
    best: Floats = np.zeros(1)
    for size in EXCHANGE_SIZES[-2:]:
        one = float(np.median(exchange_samples(comm, int(size), 2)))
        rounds = comm.bcast(affordable(one, seconds / 2))
        rates = messages * int(size) / exchange_samples(comm, int(size), rounds)
        best = max(best, rates, key=lambda column: float(np.median(column)))
    return best


def call_samples(comm: Any, call: Callable[[], object], seconds: float) -> Floats:
    """Seconds of a collective call on its slowest rank, one value per round."""
    from mpi4py import MPI

    def once() -> float:
        comm.Barrier()
        before = time.perf_counter()
        call()
        return float(comm.allreduce(time.perf_counter() - before, op=MPI.MAX))

    rounds = affordable(float(np.median([once() for _ in range(3)])) * 2, seconds, most=100)
    return np.array([once() for _ in range(comm.bcast(rounds))])


def step_samples(
    comm: Any, compute_seconds: float, seconds: float, *, before: Callable[[], object] | None = None
) -> Floats:
    """Mean seconds of a round of computing (so much CPU time) and an allreduce, a value for every few rounds.

    `before` is called, on all ranks, before the few, and does not count.
    """
    here, there = np.zeros(1), np.zeros(1)
    compute = computing(comm, compute_seconds)

    def few() -> float:
        (before or comm.Barrier)()
        spent, begun = 0.0, time.perf_counter()
        for _ in range(_FEW):
            spent += compute()
            comm.Allreduce(here, there)
        took = (time.perf_counter() - begun) / _FEW
        mean = comm.allreduce(spent) / (_FEW * comm.size)
        return float(took * compute_seconds / mean) if mean else took

    times = comm.bcast(affordable(few() * _FEW, seconds, least=3, most=50))
    return np.array([few() for _ in range(times)])


def lone_samples(comm: Any, compute_seconds: float, seconds: float) -> Floats:
    """Seconds in which one rank computes (so much CPU time) while the others wait in a barrier, a value a time."""
    compute = computing(comm, compute_seconds)

    def once() -> float:
        comm.Barrier()
        begun = time.perf_counter()
        spent = compute() if comm.rank == 0 else 0.0
        comm.Barrier()
        took = time.perf_counter() - begun
        return float(took * compute_seconds / comm.bcast(spent))

    times = comm.bcast(affordable(once(), seconds, least=5, most=50))
    return np.array([once() for _ in range(times)])


def computing(comm: Any, seconds: float) -> Callable[[], float]:
    """Computes for about so long and tells the CPU seconds; it makes no call by which others might take over."""
    numbers = np.ones(4096)
    if not seconds:
        return lambda: 0.0

    def work(times: int) -> float:
        before = time.process_time()
        for _ in range(times):
            np.multiply(numbers, 1.0000001, out=numbers)
        return time.process_time() - before

    work(100)
    one = min(comm.allgather(work(2000) / 2000))
    return partial(work, max(1, round(seconds / one)))
