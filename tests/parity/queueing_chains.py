"""Readable twins of the queueing models: Markov chains written out state by state, and a simulation of jobs."""

import functools
from collections.abc import Callable, Hashable

import numpy as np

Moves = Callable[[Hashable], list[tuple[Hashable, float]]]


def reachable(start: Hashable, moves: Moves) -> list[Hashable]:
    """All states that can be reached, in the order found."""
    found, waiting = {start: None}, [start]
    while waiting:
        for state, _ in moves(waiting.pop()):
            if state not in found:
                found[state] = None
                waiting.append(state)
    return list(found)


def generator(states: list[Hashable], moves: Moves) -> np.ndarray:
    """The matrix of rates, rows summing to zero."""
    place = {state: index for index, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))
    for state in states:
        for target, rate in moves(state):
            matrix[place[state], place[target]] += rate
    return matrix - np.diag(matrix.sum(axis=1))


def time_to_absorption(start: Hashable, moves: Moves) -> float:
    """Mean time until a state without moves is reached."""
    states = [state for state in reachable(start, moves) if moves(state)]
    everything = states + [state for state in reachable(start, moves) if not moves(state)]
    matrix = generator(everything, moves)[: len(states), : len(states)]
    return float(np.linalg.solve(-matrix, np.ones(len(states)))[states.index(start)])


def stationary(start: Hashable, moves: Moves) -> dict[Hashable, float]:
    """The share of time spent in each state."""
    states = reachable(start, moves)
    matrix = generator(states, moves).T
    matrix[-1] = 1.0
    shares = np.linalg.solve(matrix, np.eye(len(states))[-1])
    return dict(zip(states, shares, strict=True))


def fork_join_moves(delay: float, bus: float, loops: float) -> Moves:
    """State (thinking, at the bus); a job leaves with probability 1 / loops after the bus."""

    def moves(state):
        thinking, queued = state
        found = []
        if thinking:
            found.append(((thinking - 1, queued + 1), thinking / delay))
        if queued:
            found.append(((thinking, queued - 1), 1 / (bus * loops)))
            found.append(((thinking + 1, queued - 1), (1 - 1 / loops) / bus))
        return found

    return moves


def fixed_loop_time(jobs: int, delay: float, bus: float, loops: int) -> float:
    """Mean time until each of `jobs` has made `loops` bursts: the chain that never goes back, state by state.

    A state is the loops left of the thinking jobs, sorted, and of those at the bus in order of arrival.
    """

    @functools.cache
    def left(thinking: tuple[int, ...], queue: tuple[int, ...]) -> float:
        moves = [
            ((*thinking[:place], *thinking[place + 1 :]), (*queue, loops), 1 / delay)
            for place, loops in enumerate(thinking)
        ]
        if queue:
            back = (queue[0] - 1,) if queue[0] > 1 else ()
            moves.append((tuple(sorted(thinking + back)), queue[1:], 1 / bus))
        total = sum(rate for *_, rate in moves)
        return (1 + sum(rate * left(*state) for *state, rate in moves)) / total if moves else 0.0

    return left((loops,) * jobs, ())


def clustered_moves(delay: float, bus: float, disk: float) -> Moves:
    """State: thinking jobs of each cluster, the bus queue in order of arrival, jobs at each disk; FCFS bus."""

    def moves(state):
        thinking, queue, disks = state
        found = []
        for cluster, jobs in enumerate(thinking):
            if jobs:
                found.append(((changed(thinking, cluster, -1), (*queue, cluster), disks), jobs / delay))
        if queue:
            found.append(((thinking, queue[1:], changed(disks, queue[0], 1)), 1 / bus))
        for cluster, jobs in enumerate(disks):
            if jobs:
                found.append(((changed(thinking, cluster, 1), queue, changed(disks, cluster, -1)), 1 / disk))
        return found

    return moves


def changed(counts: tuple[int, ...], place: int, by: int) -> tuple[int, ...]:
    return (*counts[:place], counts[place] + by, *counts[place + 1 :])


def simulated_fork_join(
    jobs: int, delay: float, bus: float, loops: int, *, fixed: bool, runs: int, seed: int
) -> tuple[float, float]:
    """Mean time until the last job has left, and its standard error; jobs draw exponential times."""
    random = np.random.default_rng(seed)
    found = np.array([_one_run(random, jobs, delay, bus, loops, fixed) for _ in range(runs)])
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(runs))


def _one_run(
    random: np.random.Generator, jobs: int, delay: float, bus: float, loops: int, fixed: bool
) -> float:
    import heapq

    bursts = np.full(jobs, loops) if fixed else random.geometric(1 / loops, jobs)
    arrivals = [(float(random.exponential(delay)), job) for job in range(jobs)]
    heapq.heapify(arrivals)
    free = 0.0
    while arrivals:  # in order of arrival at the bus, which serves one at a time
        arrival, job = heapq.heappop(arrivals)
        free = max(free, arrival) + float(random.exponential(bus))
        bursts[job] -= 1
        if bursts[job]:
            heapq.heappush(arrivals, (free + float(random.exponential(delay)), job))
    return free
