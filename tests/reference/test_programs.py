"""Programs of ranks against PIOsimHD: point-to-point, exchange, congestion and compute scenarios."""

import json

import pytest

from striate.cluster.builders import star
from striate.predict.packets import CollectiveBook, run_application
from striate.workload import Workload
from striate.workload import operations as op


@pytest.fixture(scope="module")
def reference(shared):
    return json.loads((shared / "reference" / "piosimhd_scenarios.json").read_text())


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
    settings = {"packet": scenario["transfer_granularity"], "eager": scenario["max_eager"]}
    return star(node=node, switch={"bandwidth": float(model["switch"]["bandwidth_Bps"])}, settings=settings)


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


def computation(rank, ranks, size, pair):
    yield op.compute(instructions=2_660_000_000)


PROGRAMS = {
    "pingpong": ping_pong,
    "sendrecv": exchange,
    "incast": incast,
    "pairs": two_pairs,
    "ring": exchange,
    "compute": computation,
}


def ends_ns(scenario, model):
    parameters = scenario["parameters"]
    pair = tuple(int(rank) for rank in parameters.get("pair", "0,1").split(","))
    program = PROGRAMS[scenario["id"].split("_")[0]]
    ranks = scenario["processes"]
    workload = Workload.from_program(
        lambda rank, ranks: program(rank, ranks, parameters.get("size", 0), pair), ranks=ranks
    )
    cluster = machine(scenario, model)
    run = run_application(
        workload.applications[0],
        cluster,
        cluster.place(ranks),
        collectives=CollectiveBook.empty(),
        compat_clock=True,
    )
    return (run.rank_end // 1000).tolist()


def scenarios(reference, *groups):
    chosen = [scenario for scenario in reference["scenarios"] if scenario["group"] in groups]
    assert chosen
    return chosen


def test_every_rank_of_point_to_point_ends_at_the_known_nanosecond(reference):
    chosen = scenarios(reference, "pingpong", "granularity", "nic", "sendrecv", "compute")
    model = reference["model_westmere"]

    assert {s["id"]: ends_ns(s, model) for s in chosen} == {s["id"]: s["rank_end_ns"] for s in chosen}


def test_congestion_ends_within_two_nanoseconds_whoever_wins_a_tie(reference):
    for scenario in scenarios(reference, "congestion"):
        last = max(ends_ns(scenario, reference["model_westmere"]))

        assert last == pytest.approx(scenario["virtual_time_ns"], abs=2), scenario["id"]
