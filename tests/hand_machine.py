"""A machine on which a message is easy to time by hand: only the links between nodes and the switch take time."""

import pytest

from machines import node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.workload import Workload

FAST = "100 TB/s"
STEP = 3000 + 1000  # picoseconds: 3 instructions at 1 G/s, and the nanosecond in which an end is noticed
TAG = CONTROL = 8  # bytes beside the data: of a message, and of what remote memory says
NEAR = {"abs": 300}  # picoseconds: what the fast parts take


def machine(nodes=4, **more):
    nic = {"bandwidth": FAST, "link": {"bandwidth": FAST, "latency": "100 ns"}}
    table = node(nodes, nic=nic, socket={"bandwidth": FAST, "local_bandwidth": FAST})
    return star(node=table, switch={"bandwidth": FAST}, **more)


def flight(payload):
    """Picoseconds of a message of one packet: 2 x (100 ns + 1 us) of latency, and twice its bytes at 1 GB/s."""
    return 2_200_000 + 2 * (payload + 40) * 1000


def played(program, ranks, *, book=None, flows=False, timeline_bytes=0, **more):
    cluster = machine(max(ranks, 2))
    workload = program if isinstance(program, Workload) else Workload.from_program(program, ranks, **more)
    workload.check()
    return run_application(
        workload.applications[0],
        cluster,
        cluster.place(ranks),
        collectives=book or CollectiveBook.empty(),
        flows=flows,
        timeline_bytes=timeline_bytes,
    )


def ends(program, ranks, **more):
    """When each rank ends, to be compared with a calculation by hand."""
    return [pytest.approx(end, **NEAR) for end in played(program, ranks, **more).rank_end.tolist()]
