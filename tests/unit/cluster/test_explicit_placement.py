"""Explicit placements: the columns that cross into the core lie in one piece."""

from dataclasses import replace

from striate.cluster.load import load_cluster


def test_the_columns_of_an_explicit_placement_are_contiguous():
    places = tuple((rank % 4, 0) for rank in range(9))
    cluster = replace(load_cluster("sp2"), placement="explicit", explicit_placement=places)

    placed = cluster.place(9)

    assert placed.node.tolist() == [rank % 4 for rank in range(9)]
    assert all(column.flags.c_contiguous for column in (placed.node, placed.socket, placed.cpu))
