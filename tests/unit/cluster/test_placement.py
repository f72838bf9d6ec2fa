"""Ranks go where the papers, the blocks or the user put them."""

import time
from dataclasses import replace

import numpy as np
import pytest

from machines import SWITCH, node
from striate.cluster import builders, load_cluster
from striate.errors import ClusterError


def ranks_of_sockets(cluster, ranks):
    """Ranks on each socket of each node, in order."""
    placed = cluster.place(ranks)
    return [np.flatnonzero(placed.socket == socket).tolist() for socket in range(cluster.sockets)]


def machine(*tables, kind="round-robin", ranks=()):
    placement = {"kind": kind} | ({"ranks": ranks} if ranks else {})
    return builders.star(node=list(tables), switch=SWITCH, placement=placement)


def test_five_ranks_on_two_nodes_are_dealt_as_in_paper_001():
    cluster = machine(node(2, sockets=2, cpus=6))

    # ((0,4),(2)), ((1),(3)): first node, its two sockets; second node, its two sockets
    assert ranks_of_sockets(cluster, 5) == [[0, 4], [2], [1], [3]]
    assert cluster.place(5).cpu.tolist() == [0, 12, 6, 18, 1]


def test_westmere_deals_one_rank_to_every_node_first():
    placed = load_cluster("westmere").place(20)

    assert placed.node.tolist() == [*range(10), *range(10)]
    assert placed.cpu[:3].tolist() == [0, 12, 24]
    assert placed.cpu[10:13].tolist() == [6, 18, 30]


def test_block_fills_a_node_before_the_next():
    placed = machine(node(2, sockets=2, cpus=2), kind="block").place(6)

    assert placed.node.tolist() == [0, 0, 0, 0, 1, 1]
    assert placed.socket.tolist() == [0, 0, 1, 1, 2, 2]
    assert placed.cpu.tolist() == [0, 1, 2, 3, 4, 5]


def test_ranks_beyond_the_cpus_wrap_round():
    placed = machine(node(2, cpus=1)).place(5)

    assert placed.cpu.tolist() == [0, 1, 0, 1, 0]


def test_a_small_node_is_passed_over_once_it_is_full():
    # node 0 has one CPU, node 1 three: 0 1 | 1 | 1
    placed = machine(node(1, name="small"), node(1, name="large", cpus=3)).place(4)

    assert placed.node.tolist() == [0, 1, 1, 1]
    assert placed.cpu.tolist() == [0, 1, 2, 3]


def test_explicit_ranks_take_the_cores_of_their_socket_in_turn():
    told = [[1, 1], [0, 0], [1, 1], [1, 1]]
    placed = machine(node(2, sockets=2, cpus=2), kind="explicit", ranks=told).place(4)

    assert placed.node.tolist() == [1, 0, 1, 1]
    assert placed.socket.tolist() == [3, 0, 3, 3]
    assert placed.cpu.tolist() == [6, 0, 7, 6]  # the third rank of the socket shares its first core


def test_an_explicit_placement_that_is_too_short_is_refused():
    cluster = machine(node(2), kind="explicit", ranks=[[0, 0]])

    with pytest.raises(ClusterError, match="all 2 ranks of the program, got a placement of 1 ranks"):
        cluster.place(2)


@pytest.mark.parametrize("ranks", [0, -1])
def test_no_ranks_are_refused(ranks):
    with pytest.raises(ClusterError, match="at least one rank"):
        machine(node(1)).place(ranks)


@pytest.mark.parametrize("kind", ["round-robin", "block"])
def test_a_million_ranks_take_a_fraction_of_a_second(kind):
    cluster = replace(load_cluster("lustre-64"), placement=kind)
    cluster.place(1)
    start = time.process_time()

    placed = cluster.place(1_000_000)

    assert time.process_time() - start < 0.5  # about 0.05 s on a quiet machine
    assert placed.ranks == 1_000_000


def test_blocks_of_more_ranks_than_cpus_are_those_of_launchers():
    cluster = machine(node(4, sockets=1, cpus=1), kind="block")

    assert cluster.place(8).node.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert cluster.place(6).node.tolist() == [0, 0, 1, 2, 2, 3]
    assert cluster.place(4).node.tolist() == [0, 1, 2, 3]
