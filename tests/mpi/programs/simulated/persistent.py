"""Persistent requests: a halo exchange, any source, nobody, collectives."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
left, right = (rank - 1) % size, (rank + 1) % size


def halo():
    """A ring of cells, exchanged again and again by the same four requests."""
    cells = np.full(6, float(rank))
    inner = cells[1:-1]
    requests = [
        comm.Recv_init(cells[:1], left, 1),
        comm.Recv_init(cells[-1:], right, 2),
        comm.Send_init(cells[-2:-1], right, 1),
        comm.Ssend_init(cells[1:2], left, 2),
    ]
    for _ in range(5):
        MPI.Prequest.Startall(requests)
        MPI.Request.Waitall(requests)
        inner[:] = (cells[:-2] + cells[2:]) / 2
    for request in requests:
        request.Free()
    return cells.tolist(), [bool(request) for request in requests]


def from_anybody():
    """Rank 0 takes one message per rank and round; who it is from is in the status."""
    found = []
    if rank:
        out = np.array([rank])
        request = comm.Send_init(out, 0, 7)
        for turn in range(3):
            out[0] = 10 * rank + turn
            request.Start()
            request.Wait()
            comm.Barrier()
        request.Free()
        return None
    buffer = np.zeros(1, int)
    request = comm.Recv_init(buffer, MPI.ANY_SOURCE, 7)
    for _ in range(3):
        turn = []
        for _ in range(size - 1):
            request.Start()
            status = MPI.Status()
            request.Wait(status)
            turn.append((status.Get_source(), int(buffer[0])))
        found.append(sorted(turn))
        comm.Barrier()
    request.Free()
    return found


def together():
    """Persistent collectives give what the buffers hold when they are started."""
    values, total = np.array([rank]), np.zeros(1, int)
    request = comm.Allreduce_init(values, total)
    found = []
    for turn in range(3):
        values[0] = rank + turn
        request.Start()
        request.Wait()
        found.append(int(total[0]))
    root = np.full(2, rank)
    spread = comm.Bcast_init(root, root=size - 1)
    spread.Start()
    spread.Wait()
    request.Free()
    spread.Free()
    return found, root.tolist()


def inactive():
    """A request that is not started is over at once; one for nobody, too; a freed one is null."""
    buffer = np.zeros(1)
    request = comm.Recv_init(buffer, MPI.PROC_NULL)
    waits = [request.Test(), bool(request), request == MPI.REQUEST_NULL]
    request.Start()
    waits.append(request.Test())
    request.Free()
    return [*waits, bool(request), request == MPI.REQUEST_NULL, isinstance(request, MPI.Prequest)]


for part in (halo, from_anybody, together, inactive):
    told = comm.gather(part())
    if rank == 0:
        for one, line in enumerate(told):
            print(part.__name__, one, line)
