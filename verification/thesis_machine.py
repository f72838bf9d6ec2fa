"""The cluster of thesis 003 with any number of its nodes, and the costs its programs have there, calibrated."""

import tomllib
from dataclasses import replace
from functools import lru_cache
from importlib import resources

import numpy as np
from thesis_program import Analysis, Costs, mapped, serial, steps_only

from striate.cluster.cluster import Cluster
from striate.cluster.load import cluster_from_tables
from striate.rungs.fine import play
from striate.workload import Workload

# Target 15: 12 taxa, one run of four chains on four processes; seconds per generation (section 4.2.1).
WITH_OUTPUT, WITHOUT_OUTPUT = 7.88e-3, 2.22e-3
SMALL = Analysis.of_taxa(12, runs=1, processes=4, generations=20)
# Target 3: 64 runs of 2664 taxa, one process per CPU: nodes -> speedup (section 7.6.2).
AT_SATURATION = {2: 3.6, 4: 6.6, 8: 9.6}
LOOSENESS = 3.0  # how many times as far as the speedups an assumed cost may move, in logarithms

ASSUMED = Costs(
    step=1.9e-3,  # calibrated on target 15
    step_line_byte=7e-8,  # copying a tree; calibrated on target 3
    generation=0.07,  # five accesses of the disk for metadata written through; calibrated on target 3
    line_byte=0.9e-6,  # a number of 12 characters in 11 us: a debug build on a CPU of 2 GHz
    create=3e-3,  # a file of PVFS2, its metadata written through
    append_byte=1e-9,  # a buffer is read and partly copied at the cluster's memory rate of 1.6 GB/s
    map_share=0.35,  # going through a line to learn its sizes, against making it
    request=1e-4,  # a system call and a small TCP message
)


class Bench:
    """Programs timed by the fine rung, with costs and a network latency."""

    def __init__(self, costs: Costs = ASSUMED, latency: float = 1.4e-4) -> None:
        self.costs = costs
        self.latency = latency

    def seconds(self, workload: Workload, nodes: int = 8) -> float:
        return float(play(workload, machine(nodes, self.latency)).rank_end.max()) / 1e12

    def serial(self, analysis: Analysis, nodes: int = 8) -> float:
        return self.seconds(serial(analysis, self.costs), nodes)

    def mapped(self, analysis: Analysis, nodes: int = 8) -> float:
        return self.seconds(mapped(analysis, self.costs), nodes)

    def speedup(self, analysis: Analysis, nodes: int = 8) -> float:
        """Equation 7.1, at equal numbers of processes."""
        if nodes != 8:
            analysis = analysis.with_(layout=f"simple:{nodes}:65536")
        return self.serial(analysis, nodes) / self.mapped(analysis, nodes)

    def gain(self, analysis: Analysis, reference: Analysis) -> float:
        """Equation 7.3, of the parallel version, in percent."""
        before = self.mapped(reference)
        return 100 * (before - self.mapped(analysis)) / before


@lru_cache
def machine(nodes: int, latency: float) -> Cluster:
    """`nodes` nodes of the bundled description, all of them servers, with another latency of their links."""
    document = tomllib.loads((resources.files("striate.cluster") / "data" / "pvs-cluster.toml").read_text())
    document["node"][0]["count"] = document["server"][0]["count"] = nodes
    document["node"][0]["uplink"]["latency"] = latency
    return cluster_from_tables(document)


def calibrated() -> Bench:
    """Step and latency from target 15, what grows with trees and generations from target 3; the rest is assumed."""
    bench = Bench()
    for _ in range(6):
        steps = bench.seconds(steps_only(SMALL, bench.costs)) / SMALL.generations
        bench.costs = replace(bench.costs, step=bench.costs.step + WITHOUT_OUTPUT - steps)
        output = bench.serial(SMALL) / SMALL.generations - WITHOUT_OUTPUT
        bench.latency *= (WITH_OUTPUT - WITHOUT_OUTPUT) / output
    goal = np.log(list(AT_SATURATION.values()))
    before = at = np.log([bench.costs.step_line_byte, bench.costs.generation])
    for _ in range(4):
        off = _saturation(bench, at) - goal
        slope = np.array([(_saturation(bench, at + step) - goal - off) / 0.1 for step in np.eye(2) * 0.1]).T
        rows = np.vstack([slope, np.eye(2) / LOOSENESS])
        at = at + np.linalg.lstsq(rows, np.concatenate([-off, (before - at) / LOOSENESS]), rcond=None)[0]
    bench.costs = _with(bench.costs, at)
    return bench


def _with(costs: Costs, logarithms: np.ndarray) -> Costs:
    tree, generation = np.exp(logarithms).tolist()
    return replace(costs, step_line_byte=tree, generation=generation)


def _saturation(bench: Bench, logarithms: np.ndarray) -> np.ndarray:
    """Logarithms of the speedups of target 3."""
    tried = Bench(_with(bench.costs, logarithms), bench.latency)
    analysis = Analysis.of_taxa(2664, runs=64, processes=1, generations=2)
    return np.log([
        tried.speedup(analysis.with_(processes=2 * nodes), nodes) for nodes in AT_SATURATION
    ])  # fmt: skip
