"""An I/O scenario of the reference file as plain data: the machine and what every rank does, in order.

Whatever runs it - the readable twin here, the compiled engine elsewhere - reads the same programs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Extent = tuple[int, int]  # offset, size


@dataclass(frozen=True)
class Open:
    """All ranks meet, then the first tells the others about the file."""


@dataclass(frozen=True)
class Access:
    write: bool
    extents: tuple[Extent, ...]
    collective: bool = False


@dataclass(frozen=True)
class Close:
    flush: bool


Operation = Open | Access | Close


@dataclass(frozen=True)
class IoScenario:
    name: str
    nodes: int
    ranks: int
    servers_on_nodes: int
    servers_apart: int
    edge: str
    packet: int
    io_request: int
    stripe_unit: int
    cache: str  # a policy as striate.cluster names it
    cache_memory: int
    programs: tuple[tuple[Operation, ...], ...]  # one per rank

    @property
    def servers(self) -> int:
        return self.servers_on_nodes + self.servers_apart


POLICIES = {
    "NoCache": "piosimhd-none",
    "SimpleWriteBehindCache": "write-behind",
    "AggregationCache": "aggregation",
    "AggregationReorderCache": "aggregation-reorder",
}


def interleaved(rank: int, ranks: int, block: int, repeats: int) -> tuple[Extent, ...]:
    """Block i of rank r lies at (i * ranks + r) * block."""
    return tuple(((turn * ranks + rank) * block, block) for turn in range(repeats))


def accesses(level: int, write: bool, extents: tuple[Extent, ...]) -> tuple[Access, ...]:
    """The four levels of MPI-IO: contiguous or not (level 2 and 3), independent or collective (1 and 3)."""
    calls = (extents,) if level in (2, 3) else tuple((extent,) for extent in extents)
    return tuple(Access(write, call, collective=level in (1, 3)) for call in calls)


def read_scenario(row: dict[str, Any]) -> IoScenario:
    """The scenario of one row of group `io`."""
    asked, ranks = row["parameters"], row["processes"]
    flush = "FLUSH" in row["mpi_set"]

    def program(rank: int) -> tuple[Operation, ...]:
        extents = interleaved(rank, ranks, asked["block"], asked["repeats"])
        return (Open(), *accesses(asked["level"], asked["write"], extents), Close(flush))

    return IoScenario(
        name=row["id"],
        nodes=row["nodes"],
        ranks=ranks,
        servers_on_nodes=row["io_servers_overlapping"],
        servers_apart=row["io_servers_dedicated_nodes"],
        edge=row["internode_edge"],
        packet=row["transfer_granularity"],
        io_request=row["io_granularity"],
        stripe_unit=asked["stripe"],
        cache=POLICIES[row["cache_layer"]],
        cache_memory=row["node_memory_bytes"],
        programs=tuple(program(rank) for rank in range(ranks)),
    )


def read_figure_row(row: dict[str, Any]) -> IoScenario:
    """The scenario of one row of `fig5_type`: clients and servers of the validation, one client per node."""
    on_nodes, apart = {
        "8overlapping": (8, 0),
        "head_8overlapping_plus_8dedicated": (8, 8),
        "5c5s_disjoint_1000MB": (0, 5),
    }[row["variant"]]
    return read_scenario(
        {
            "id": f"{row['variant']} level {row['level']} {'write' if row['write'] else 'read'} {row['block']}",
            "mpi_set": "MPICH2",
            "nodes": row["clients"],
            "processes": row["clients"],
            "io_servers_overlapping": on_nodes,
            "io_servers_dedicated_nodes": apart,
            "internode_edge": "GIGEPVS",
            "transfer_granularity": 102400,
            "io_granularity": 10485760,
            "cache_layer": "AggregationReorderCache",
            "node_memory_bytes": row["ramMB"] * 1_000_000,
            "parameters": {key: row[key] for key in ("level", "write", "block", "repeats")}
            | {"stripe": 65536},
        }
    )
