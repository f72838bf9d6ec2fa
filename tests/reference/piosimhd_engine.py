"""Builds the published scenarios of PIOsimHD on its own cluster and plays them on the packet engine."""

from __future__ import annotations

from reference.piosimhd_collectives import scenario_of, schedule_of
from striate.cluster.builders import star
from striate.predict.collective_book import write_book
from striate.predict.packets import CollectiveBook, PacketRun, run_application
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.kinds import Kind

POLICIES = {
    "NoCache": "none",
    "SimpleWriteBehindCache": "write-behind",
    "AggregationCache": "aggregation",
    "AggregationReorderCache": "aggregation-reorder",
}


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
        "io_request": scenario.get("io_granularity", 10 * 1024 * 1024),
        "stripe_unit": scenario["parameters"].get("stripe", 65536),
    }
    switch = {"bandwidth": float(model["switch"]["bandwidth_Bps"])}
    return star(node=node, switch=switch, settings=settings, server=servers(scenario, model, node))


def servers(scenario, model, node):
    """I/O servers on the first nodes, then on nodes of their own with one socket."""
    disk = model["disk_PVSDisk"]
    common = {
        "cache": {
            "policy": POLICIES.get(scenario.get("cache_layer"), "none"),
            "memory": scenario.get("node_memory_bytes", 12 * 10**9),
        },
        "disk": {
            "kind": "hard",
            "rate": float(disk["sequential_Bps"]),
            "average_seek": disk["average_seek_s"],
            "track_seek": disk["track_to_track_s"],
            "revolutions_per_minute": disk["rpm"],
            "near": disk["close_bytes"],
        },
    }
    shared, apart = scenario.get("io_servers_overlapping", 0), scenario.get("io_servers_dedicated_nodes", 0)
    tables = []
    if shared:
        tables.append(
            common | {"name": "shared", "count": shared, "on": "nodes", "nodes": list(range(shared))}
        )
    if apart:
        inside = {key: node[key] for key in ("nic", "socket", "hub", "uplink", "memory")}
        tables.append(common | {"name": "apart", "count": apart, "on": "apart", "node": inside})
    return tables


def ping_pong(rank, ranks, size, pair):
    right, left = pair
    if rank == left:
        yield op.send(right, size)
        yield op.recv(right, size)
    elif rank == right:
        yield op.recv(left, size)
        yield op.send(left, size)


def exchange(rank, ranks, size, pair):
    yield op.sendrecv((rank + 1) % ranks, size, source=(rank - 1) % ranks)


def incast(rank, ranks, size, pair):
    if rank > 0:
        yield op.send(0, size)
        return
    for source in range(1, ranks):
        yield op.irecv(source, size)
    yield op.waitall()


def two_pairs(rank, ranks, size, pair):
    yield op.recv(rank - 1, size) if rank % 2 else op.send(rank + 1, size)


def pairs(rank, ranks, size, pair):
    if rank ^ 1 < ranks:
        yield op.sendrecv(rank ^ 1, size)


def to_root(rank, ranks, size, pair):
    if rank > 0:
        yield op.send(0, size)
        return
    for source in range(1, ranks):
        yield op.recv(source, size)


def computation(rank, ranks, size, pair):
    yield op.compute(instructions=2_660_000_000)


PROGRAMS = {
    "pingpong": ping_pong,
    "sendrecv": exchange,
    "incast": incast,
    "pairs": two_pairs,
    "ring": exchange,
    "compute": computation,
    "SendRecvRing": exchange,
    "SendRecvPaired": pairs,
    "SendToRoot": to_root,
}


def meet(rank, ranks):
    """A virtual barrier of the original: who comes last goes on first, a moment before the others."""
    yield op.barrier()
    yield op.compute(20e-9 * ((rank + 1) % ranks))


def accesses(scenario):
    """Levels 0 to 2 of MPI-IO: block i of rank r lies at (i * ranks + r) * block."""
    parameters = scenario["parameters"]
    block, repeats = parameters["block"], parameters["repeats"]
    act = op.write if parameters["write"] else op.read

    def program(rank, ranks):
        offsets = [(i * ranks + rank) * block for i in range(repeats)]
        yield from meet(rank, ranks)  # opening is a virtual barrier
        if parameters["level"] == 2:
            yield act("f", extents=(offsets, [block] * repeats))
        else:
            for offset in offsets:
                yield act("f", offset=offset, size=block)
                if parameters["level"] == 1:
                    yield from meet(rank, ranks)
        if scenario.get("id", "").endswith("flushclose"):
            yield op.sync_file("f")
        yield op.barrier()

    return program


def program_of(scenario):
    """What the ranks do, and the schedules of their collectives."""
    if scenario["group"] == "io":
        return accesses(scenario), CollectiveBook.empty()
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


def play(scenario, model) -> PacketRun:
    """The scenario on the engine, with the original's clock of whole nanoseconds."""
    ranks = scenario["processes"]
    program, book = program_of(scenario)
    workload = Workload.from_program(program, ranks=ranks)
    cluster = machine(scenario, model)
    return run_application(
        workload.applications[0], cluster, cluster.place(ranks), collectives=book, compat_clock=True
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
    shared, apart = {
        "8overlapping": (8, 0),
        "head_8overlapping_plus_8dedicated": (8, 8),
        "5c5s_disjoint_1000MB": (0, 5),
    }[row["variant"]]
    way = "write" if row["write"] else "read"
    name = f"fig5_{way}_lvl{row['level']}_{row['repeats']}x{row['block']}_{row['variant']}"
    return {
        "id": name,
        "group": "io",
        "nodes": row["clients"],
        "processes": row["clients"],
        "sockets_per_node": 2,
        "nic": "NIC",
        "internode_edge": "GIGEPVS",
        "transfer_granularity": 102400,
        "max_eager": 102400,
        "implementations": {},
        "parameters": {key: row[key] for key in ("level", "write", "repeats", "block")} | {"stripe": 65536},
        "cache_layer": "AggregationReorderCache",
        "node_memory_bytes": row["ramMB"] * 10**6,
        "io_servers_overlapping": shared,
        "io_servers_dedicated_nodes": apart,
        "virtual_time_ns": row["virtual_time_ns"],
    }
