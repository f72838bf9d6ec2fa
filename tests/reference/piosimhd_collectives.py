"""The collectives of PIOsimHD as schedules: for each implementation's name the steps that give its times."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reference import piosimhd_programs as programs
from reference.piosimhd_programs import Call, Program
from striate.collectives import SEND, CollectiveSchedule
from striate.collectives.schedule import arrange

IMPLEMENTATIONS: dict[str, Callable[[int, Call], Program]] = {
    "Bcast.BinaryTree": programs.bcast_binary_tree,
    "Bcast.BinaryTreeSimple": programs.bcast_simple,
    "Bcast.BinaryTreeNotMultiplexed": programs.bcast_in_turn,
    "Bcast.BinaryTreeSimpleBlockwise": programs.bcast_blockwise,
    "Bcast.PipedBlockwise": programs.bcast_piped,
    "Bcast.PipedBlockwiseSMPAware": programs.bcast_piped_smp,
    "Bcast.BroadcastScatterGatherall": programs.bcast_scatter_gatherall,
    "Bcast.BroadcastScatterBarrierGatherall": programs.bcast_scatter_barrier_gatherall,
    "Bcast.Direct": programs.bcast_direct,
    "Scatter.ScatterMPICH2": programs.scatter_tree,
    "Scatter.Direct": programs.scatter_direct,
    "Gather.GatherMPICH2": programs.gather_tree,
    "Gather.GatherMPICH2Concurrent": programs.gather_tree_concurrent,
    "Gather.Direct": programs.gather_direct,
    "Gather.FCFS": programs.gather_direct,
    "Allgather.AllgatherMPICH2": programs.allgather_ring,
    "Allgather.Direct": programs.allgather_direct,
    "Reduce.BinaryTreeSimple": programs.reduce_simple,
    "Reduce.BinaryTree": programs.reduce_binary_tree,
    "Reduce.ReduceScatterGatherMPICH2": programs.reduce_scatter_gather,
    "Allreduce.BinaryTree": programs.allreduce_binary_tree,
    "Allreduce.ReduceBroadcast": programs.allreduce_reduce_broadcast,
    "Barrier.BarrierMPICH2": programs.barrier_rounds,
}

# No published result tells these three from their neighbours; they are guesses.
UNVERIFIED = frozenset(("Gather.GatherMPICH2Concurrent", "Gather.FCFS", "Reduce.BinaryTreeSimple"))

# The set the experiments over nodes and processes (`fig3_type`) use.
MPICH2_SET = {
    "Allgather": "Allgather.AllgatherMPICH2",
    "Allreduce": "Allreduce.ReduceBroadcast",
    "Barrier": "Barrier.BarrierMPICH2",
    "Bcast": "Bcast.BroadcastScatterGatherall",
    "Gather": "Gather.GatherMPICH2",
    "Reduce": "Reduce.ReduceScatterGatherMPICH2",
    "Scatter": "Scatter.ScatterMPICH2",
}

# What Striate itself offers for the same purpose.
NEAREST = {
    "Bcast.BinaryTree": ("bcast", "binomial"),
    "Bcast.BinaryTreeSimple": ("bcast", "binomial"),
    "Bcast.BinaryTreeNotMultiplexed": ("bcast", "binomial-in-turn"),
    "Bcast.BinaryTreeSimpleBlockwise": ("bcast", "binomial"),
    "Bcast.PipedBlockwise": ("bcast", "pipelined"),
    "Bcast.PipedBlockwiseSMPAware": ("bcast", "smp-pipelined"),
    "Bcast.BroadcastScatterGatherall": ("bcast", "scatter-allgather"),
    "Bcast.BroadcastScatterBarrierGatherall": ("bcast", "scatter-allgather"),
    "Bcast.Direct": ("bcast", "direct"),
    "Scatter.ScatterMPICH2": ("scatter", "binomial"),
    "Scatter.Direct": ("scatter", "direct"),
    "Gather.GatherMPICH2": ("gather", "binomial"),
    "Gather.GatherMPICH2Concurrent": ("gather", "binomial"),
    "Gather.Direct": ("gather", "direct"),
    "Gather.FCFS": ("gather", "direct"),
    "Allgather.AllgatherMPICH2": ("allgather", "ring"),
    "Allgather.Direct": ("allgather", "direct"),
    "Reduce.BinaryTreeSimple": ("reduce", "binomial"),
    "Reduce.BinaryTree": ("reduce", "binomial"),
    "Reduce.ReduceScatterGatherMPICH2": ("reduce", "scatter-gather"),
    "Allreduce.BinaryTree": ("allreduce", "reduce-bcast"),
    "Allreduce.ReduceBroadcast": ("allreduce", "rabenseifner"),
    "Barrier.BarrierMPICH2": ("barrier", "dissemination"),
}


def collective(implementation: str, call: Call) -> CollectiveSchedule:
    """The schedule of one call; raises KeyError for an implementation that is not known."""
    program = IMPLEMENTATIONS[implementation]
    owner: list[int] = []
    instructions: list[int] = []
    rows: list[tuple[int, int, int, int, int]] = []
    for rank in range(call.size):
        for count, actions in program(rank, call):
            rows += [(len(owner), *action) for action in actions]
            owner.append(rank)
            instructions.append(count)
    table = np.array(rows, np.int64).reshape(-1, 5)
    _fill_lengths(table, np.array(owner, np.int64))
    return arrange(
        call.size,
        np.array(owner, np.int32),
        np.array(instructions, np.int64),
        table[:, 0],
        [table[:, column] for column in (1, 2, 3, 4)],
    )


def schedule_of(scenario: dict) -> CollectiveSchedule:
    """The schedule of a scenario with one collective call, in the form of `piosimhd_scenarios.json`.

    Where a scenario names several implementations, the first is the call and the others are what it is made of.
    """
    name = next(iter(scenario["implementations"].values()))
    size, nodes = scenario["processes"], scenario["nodes"]
    where = tuple(rank % nodes for rank in range(size))
    call = Call(size, scenario["parameters"].get("size", 0), scenario["max_eager"], where)
    return collective(name, call)


def scenario_of(row: dict) -> dict:
    """A row of `fig3_type` (experiment, size, nodes-processes, granularity) in the form of a scenario."""
    nodes, processes = (int(number) for number in row["config"].split("-"))
    experiment = row["experiment"]
    name = MPICH2_SET.get(experiment)
    return {
        "id": f"{experiment}_{row['config']}_{row['size']}",
        "group": "fig3",
        "nodes": nodes,
        "processes": processes,
        "sockets_per_node": 2,
        "internode_edge": "GIGEPVS",
        "transfer_granularity": row["granularity"],
        "max_eager": 102_400,
        "implementations": {experiment: name} if name else {},
        "experiment": experiment,
        "parameters": {"size": row["size"]},
        "virtual_time_ns": row["virtual_time_ns"],
        "events": row["events"],
    }


def _fill_lengths(table: np.ndarray, owner: np.ndarray) -> None:
    """Gives each receive the length of its send; no pair uses a tag twice."""
    sends = table[:, 1] == SEND
    rank = owner[table[:, 0]]
    length = {
        (a, b, tag): size
        for a, b, size, tag in zip(
            rank[sends], table[sends, 2], table[sends, 3], table[sends, 4], strict=True
        )
    }
    for at in np.flatnonzero(~sends):
        table[at, 3] = length[table[at, 2], rank[at], table[at, 4]]
