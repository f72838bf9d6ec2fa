"""Builds the published scenarios of PIOsimHD on its own cluster and plays them on the packet engine."""

from __future__ import annotations

from machines import run_application
from parity.io_machine import run_io
from parity.io_scenario import read_figure_row, read_scenario
from reference.piosimhd_collectives import scenario_of, schedule_of
from striate.apps.kernels import messages
from striate.cluster.builders import star
from striate.collectives.book import write_book
from striate.collectives.columns import CollectiveBook
from striate.engine.packets import PacketRun
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.kinds import Kind


def link(table):
    return {"bandwidth": float(table["bandwidth_Bps"]), "latency": f"{table['latency_ns']} ns"}


def machine(scenario, model):
    """The reference cluster, with as many CPUs a socket as it has processes."""
    slots = scenario["nodes"] * scenario["sockets_per_node"]
    ideal = scenario["internode_edge"] != "GIGEPVS"
    memory = model["socket_memory_node"]
    node = {
        "count": scenario["nodes"],
        "sockets": scenario["sockets_per_node"],
        "cpus_per_socket": -(-scenario["processes"] // slots),
        "instructions_per_second": float(model["node"]["instructions_per_second"]),
        "memory": "12000 MB",
        "nic": {
            "bandwidth": float(model["nic"]["bandwidth_Bps"]),
            "link": link(model["edge_nic_to_socket_memory"]),
            "kind": "analytical" if scenario["nic"] == "NICAnalytical" else "packet",
        },
        "socket": {
            "bandwidth": float(memory["total_bandwidth_Bps"]),
            "local_bandwidth": float(memory["local_bandwidth_Bps"]),
        },
        "hub": {
            "bandwidth": float(model["qpi_node"]["bandwidth_Bps"]),
            "link": link(model["edge_socket_to_qpi"]),
        },
        "uplink": link(model["edge_node_to_switch_alternative" if ideal else "edge_node_to_switch"]),
    }
    settings = {
        "packet": scenario["transfer_granularity"],
        "eager": scenario["max_eager"],
    }
    return star(node=node, switch={"bandwidth": float(model["switch"]["bandwidth_Bps"])}, settings=settings)


def ping_pong(rank, ranks, size, pair):
    right, left = pair
    return messages.ping_pong(rank, ranks, size=size, first=left, second=right)


def two_pairs(rank, ranks, size, pair):
    yield op.recv(rank - 1, size) if rank % 2 else op.send(rank + 1, size)


def computation(rank, ranks, size, pair):
    yield op.compute(instructions=2_660_000_000)


def kernel(program):
    """A built-in kernel, which names no pair."""
    return lambda rank, ranks, size, pair: program(rank, ranks, size=size)


PROGRAMS = {
    "pingpong": ping_pong,
    "sendrecv": kernel(messages.ring),
    "incast": kernel(messages.incast),
    "pairs": two_pairs,
    "ring": kernel(messages.ring),
    "compute": computation,
    "SendRecvRing": kernel(messages.ring),
    "SendRecvPaired": kernel(messages.paired),
    "SendToRoot": kernel(messages.send_to_root),
}


def program_of(scenario):
    """What the ranks do, and the schedules of their collectives."""
    parameters = scenario["parameters"]
    size = parameters.get("size", 0)
    if scenario["implementations"]:
        kind = Kind[scenario["group_kind"].upper()]
        schedule = schedule_of(scenario)
        book = write_book([((kind, scenario["processes"], 0, 0 if kind is Kind.BARRIER else size), schedule)])
        call = op.barrier() if kind is Kind.BARRIER else getattr(op, kind.label)(size)
        return (lambda rank, ranks: iter([call])), book
    pair = tuple(int(rank) for rank in parameters.get("pair", "0,1").split(","))
    pattern = PROGRAMS[scenario.get("experiment") or scenario["id"].split("_")[0]]
    return (lambda rank, ranks: pattern(rank, ranks, size, pair)), CollectiveBook.empty()


def play(scenario, model, heap_ties=True) -> PacketRun:
    """The scenario on the engine, in whole nanoseconds and, without files, with the ties of the original."""
    if scenario["group"] == "io":
        return run_io(read_figure_row(scenario["row"]) if "row" in scenario else read_scenario(scenario))
    ranks = scenario["processes"]
    program, book = program_of(scenario)
    workload = Workload.from_program(program, ranks=ranks)
    cluster = machine(scenario, model)
    return run_application(
        workload.applications[0],
        cluster,
        cluster.place(ranks),
        collectives=book,
        compat_clock=True,
        heap_ties=heap_ties,
    )


def cases(document):
    """Every scenario of a file in one shape, `fig3_type` and `fig5_type` included."""
    for scenario in document.get("scenarios", []):
        yield _with_kind(scenario)
    for row in document.get("fig3_type", []):
        yield _with_kind(scenario_of(row))
    for row in document.get("fig5_type", []):
        yield _figure5(row)


def _with_kind(scenario):
    scenario = {"nic": "NIC"} | scenario
    names = scenario["implementations"]
    kind = next(
        (
            name
            for name in ("Allreduce", "Reduce", "Bcast", "Scatter", "Gather", "Allgather", "Barrier")
            if name in names
        ),
        "",
    )
    return scenario | {"group_kind": kind}


def _figure5(row):
    way = "write" if row["write"] else "read"
    name = f"fig5_{way}_lvl{row['level']}_{row['repeats']}x{row['block']}_{row['variant']}"
    return {"id": name, "group": "io", "virtual_time_ns": row["virtual_time_ns"], "row": row}
