"""I/O forwarding nodes: what goes through them takes two legs, and may be gathered on the way."""

import pytest

from machines import SWITCH, node, run_application
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.workload import Workload
from striate.workload import operations as op

MIB = 1 << 20
RAM = {"kind": "simple", "rate": "100 GB/s"}


def cluster(ranks=2, relays=1, metadata=False, **forwarder):
    server = {"name": "storage", "count": 2, "on": "apart", "like": "compute", "disk": RAM}
    relay = {"name": "relay", "count": relays, "on": "apart", "like": "compute"} | forwarder
    names = {"name": "names", "count": 1, "on": "apart", "like": "compute", "open": "1 us"}
    return star(
        node=node(ranks),
        switch=SWITCH,
        server=[server],
        forwarder=[relay] if relays else [],
        metadata=[names] if metadata else [],
    )


def run(machine, program, ranks=2, **options):
    (application,) = Workload.from_program(program, ranks).applications
    placement = machine.place(ranks)
    return run_application(application, machine, placement, collectives=CollectiveBook.empty(), **options)


def writes(rank, ranks):
    yield op.write("data", offset=rank * 4 * MIB, size=4 * MIB)


def reads(rank, ranks):
    yield op.read("data", offset=rank * 4 * MIB, size=4 * MIB)


@pytest.mark.parametrize("program", [writes, reads])
@pytest.mark.parametrize("aggregate", [0, MIB, 100 * MIB])
def test_every_byte_goes_through_the_forwarder_and_arrives(program, aggregate):
    direct, relayed = (
        run(cluster(relays=count, aggregate=aggregate) if count else cluster(relays=0), program)
        for count in (0, 1)
    )

    moved = (relayed.disk_bytes_written + relayed.disk_bytes_read).sum()
    assert moved == 8 * MIB
    assert relayed.rank_end.max() > direct.rank_end.max()
    interfaces = len(direct.station_bytes)  # the forwarder brings a node, an interface and links of its own
    assert len(relayed.station_bytes) > interfaces
    assert relayed.station_bytes.sum() > 1.5 * direct.station_bytes.sum()


def test_one_forwarder_is_a_bottleneck_for_many_clients():
    """8 clients with 4 MiB each pass one link of 1 GB/s, or the links of two servers."""
    one, four = (run(cluster(8, relays=relays), writes, 8).rank_end.max() for relays in (1, 4))

    assert one >= 32 * MIB / 1e9 * 1e12
    assert one > 1.5 * four


def test_gathering_holds_data_back():
    at_once, gathered = (run(cluster(1, aggregate=size), writes, 1).rank_end.max() for size in (0, 100 * MIB))

    # a packet at a time the legs overlap; all at once they do not
    assert gathered > 1.5 * at_once


def test_nodes_that_are_not_served_go_straight():
    def alone(rank, ranks):
        if rank == 1:
            yield from writes(rank, ranks)

    served = run(cluster(2, serves=[0]), alone)
    direct = run(cluster(2, relays=0), alone)

    assert served.rank_end[1] == direct.rank_end[1]


def test_servers_that_are_not_relayed_to_are_reached_straight():
    other = {"name": "other", "count": 1, "on": "apart", "like": "compute", "disk": RAM}
    mine = {"name": "storage", "count": 1, "on": "apart", "like": "compute", "disk": RAM}
    relay = {"name": "relay", "count": 1, "on": "apart", "like": "compute"}

    def machine(to):
        return star(node=node(1), switch=SWITCH, server=[mine, other], forwarder=[relay | {"to": to}])

    def small(rank, ranks):
        yield op.write("f", size=1000)  # on the first server alone

    through, straight = (run(machine([name]), small, 1).rank_end[0] for name in ("storage", "other"))

    assert through > straight


def test_metadata_is_asked_for_through_the_forwarder():
    def opens(rank, ranks):
        yield op.open_file("f")

    relayed, direct = (run(cluster(1, relays=count, metadata=True), opens, 1).rank_end[0] for count in (1, 0))

    assert relayed > 1.5 * direct


def test_a_forwarder_on_every_node_is_the_limit_of_its_client():
    """2 ranks per node write 4 MiB each: 8 MiB in and 8 MiB out at 200 MB/s, on 1 node as on 4."""

    def machine(nodes, rate):
        server = {"name": "storage", "count": 2, "on": "apart", "like": "compute", "disk": RAM}
        nic = {"bandwidth": rate, "link": {"bandwidth": rate}}
        client = {"name": "client", "count": nodes, "on": "nodes", "nic": nic}
        return star(
            node=node(nodes, cpus=2), switch=SWITCH, server=[server], forwarder=[client] if rate else []
        )

    def seconds(nodes, rate):
        return run(machine(nodes, rate), writes, 2 * nodes).rank_end.max() / 1e12

    limit = 2 * 8 * MIB / 200e6
    assert seconds(1, "200 MB/s") == pytest.approx(limit, rel=0.1)
    assert seconds(4, "200 MB/s") == pytest.approx(limit, rel=0.1)
    assert seconds(1, None) <= seconds(1, "1 TB/s") < 1.2 * seconds(1, None)
