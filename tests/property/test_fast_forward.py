"""Programs with messages, computation and files: fast-forward and short cuts change nothing but the CPU time."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.workload import Workload
from striate.workload import operations as op

KIB = 1024
NOT_COMPARED = {"skipped", "station_waited", "disk_log", "recorded"}

sizes = st.integers(1, 600).map(lambda kib: kib * KIB + 20)
phases = st.lists(
    st.tuples(st.sampled_from(["tree", "shift", "compute", "write", "read", "gather"]), sizes),
    min_size=1,
    max_size=5,
)
machines = st.fixed_dictionaries(
    {
        "nodes": st.integers(2, 5),
        "sockets": st.integers(1, 2),
        "uplink": st.sampled_from(["50 MB/s", "117 MB/s", "1 GB/s", "3 GB/s"]),
        "servers": st.integers(1, 3),
        "apart": st.booleans(),
        "policy": st.sampled_from(["none", "write-behind", "server-directed"]),
        "memory": st.sampled_from(["1 GiB", "1 MiB"]),  # a small one makes servers stop receiving
    }
)


def build(*, nodes, sockets, uplink, servers, apart, policy, memory):
    place = {"on": "apart", "like": "compute"} if apart else {"on": "nodes"}
    table = {"name": "storage", "count": min(servers, nodes), "disk": {"kind": "simple", "rate": "300 MB/s"}}
    cache = {"cache": {"policy": policy, "memory": memory}}
    compute = node(nodes, sockets=sockets, uplink={"bandwidth": uplink, "latency": "20 us"})
    return star(node=compute, switch=SWITCH, server=[table | place | cache], settings={"packet": "4 KiB"})


def program_of(phases):
    def program(rank, ranks):
        for kind, size in phases:
            if kind == "compute":
                yield op.compute(instructions=1000 * (rank + 1) * size // KIB)
            elif kind == "shift":
                yield op.sendrecv((rank + 1) % ranks, size, source=(rank - 1) % ranks)
            elif kind == "tree":
                if rank > 0:
                    yield op.recv((rank - 1) // 2, size)
                for child in range(2 * rank + 1, min(2 * rank + 3, ranks)):
                    yield op.send(child, size)
            elif kind == "gather":
                if rank > 0:
                    yield op.send(0, size + rank)
                else:
                    for source in range(1, ranks):
                        yield op.recv(source, size + source)
            elif kind == "write":
                yield op.write("data", offset=rank * size, size=size)
            else:
                yield op.read("data", offset=rank * size, size=size)

    return program


@settings(max_examples=60, deadline=None)
@given(machines, phases)
def test_programs_end_at_the_same_tick(machine, phases):
    cluster = build(**machine)
    ranks = machine["nodes"] * machine["sockets"]
    (application,) = Workload.from_program(program_of(phases), ranks).applications
    plain, fast = (
        run_application(
            application, cluster, cluster.place(ranks), collectives=CollectiveBook.empty(), warp=warp
        )
        for warp in (False, True)
    )

    columns = {name for name in dir(plain) if not name.startswith("_")} - NOT_COMPARED
    assert "rank_end" in columns
    for column in columns:
        if column not in NOT_COMPARED:
            assert np.array_equal(getattr(plain, column), getattr(fast, column)), column
