"""Topologies and neighbourhood collectives: grids, graphs, borders, and neighbours that are the same rank."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size


def called(topology):
    """Every call once; sends and receives tell which block went where."""
    into, out = topology.indegree, topology.outdegree
    own = np.array([100 * topology.rank + at for at in range(out)], "i8")
    found = []

    def fresh(count=into):
        found.append(np.full(count, -1, "i8"))
        return found[-1]

    topology.Neighbor_alltoall(own, fresh())
    topology.Ineighbor_alltoall(own, fresh()).Wait()
    topology.Neighbor_allgather(np.array([topology.rank]), fresh())
    topology.Ineighbor_allgather(np.array([topology.rank]), fresh()).Wait()
    counts, places = [1] * into, list(range(into))[::-1]
    topology.Neighbor_allgatherv(np.array([topology.rank]), [fresh(), (counts, places), MPI.INT64_T])
    sent = (own, ([1] * out, list(range(out))), MPI.INT64_T)
    topology.Neighbor_alltoallv(sent, (fresh(), (counts, places), MPI.INT64_T))
    bytes_apart = [8 * at for at in range(max(into, out))]
    topology.Neighbor_alltoallw(
        (own, ([1] * out, bytes_apart[:out]), [MPI.INT64_T] * out),
        (fresh(), ([1] * into, bytes_apart[:into]), [MPI.INT64_T] * into),
    )
    kept = topology.Neighbor_alltoall_init(own, fresh())
    for _ in range(2):
        kept.Start()
        kept.Wait()
    kept.Free()
    objects = topology.neighbor_allgather({"from": topology.rank})
    each = topology.neighbor_alltoall([(topology.rank, at) for at in range(out)])
    return [one.tolist() for one in found], objects, each


def grids():
    """A torus of 2 x 2, whose two neighbours in a dimension are one, a line with ends, and a rank by itself."""
    told = []
    for dims, periods in (([2, size // 2], True), ([size], False), ([1, 1], True)):
        grid = comm.Create_cart(dims, [periods] * len(dims))
        if grid != MPI.COMM_NULL:
            told.append((grid.inedges, grid.outdegree, called(grid), comm.Cart_map(dims)))
            grid.Free()
    return told


def graphs():
    """A ring, two rings, and edges that ranks tell for each other."""
    index = [2 * (at + 1) for at in range(size)]
    edges = [peer for at in range(size) for peer in ((at - 1) % size, (at + 1) % size)]
    graph = comm.Create_graph(index, edges)
    told = [graph.dims, graph.neighbors, graph.topo == (index, edges), called(graph)]
    before = [(rank - 2) % size, (rank - 1) % size]
    behind = [(rank + 1) % size, (rank + 2) % size]
    adjacent = comm.Create_dist_graph_adjacent(before, behind, [1, 2], [3, 4])
    told += [adjacent.Get_dist_neighbors_count(), adjacent.Get_dist_neighbors(), called(adjacent)]
    twice = comm.Create_dist_graph_adjacent([(rank - 1) % size] * 2, [(rank + 1) % size] * 2)
    told.append(called(twice))
    named = comm.Create_dist_graph([(rank + 1) % size], [1], [rank])
    told += [named.Get_dist_neighbors(), called(named), named.Dup().inedges]
    return told


def beside_messages():
    """A receive of anything does not take the messages of neighbours."""
    line = comm.Create_cart([size])
    request = line.irecv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG)
    found = line.neighbor_allgather(rank)
    line.send("message", (rank + 1) % size, 3)
    return found, request.wait()


for part in (grids, graphs, beside_messages):
    told = comm.gather(part())
    if rank == 0:
        for one, line in enumerate(told):
            print(part.__name__, one, line)
