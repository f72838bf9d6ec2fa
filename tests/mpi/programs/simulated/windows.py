"""One-sided communication: fences, locks, atomic operations, epochs of some ranks, shared memory."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
left, right = (rank - 1) % size, (rank + 1) % size


def fences():
    """Puts, gets and sums at displacements that the target's unit counts, complete at the next fence."""
    memory = np.zeros(2 * size, "i8")
    window = MPI.Win.Create(memory, 8, comm=comm)
    window.Fence()
    for peer in range(size):
        window.Put(np.array([100 * rank + peer]), peer, rank)
    window.Fence()
    for peer in range(size):
        window.Accumulate(np.array([1 + rank]), peer, [size + peer], MPI.SUM)
    window.Fence()
    found = np.zeros(2 * size, "i8")
    window.Get(found, right)
    window.Fence(MPI.MODE_NOSUCCEED)
    told = window.attrs[1:], window.flavor == MPI.WIN_FLAVOR_CREATE, window.Get_group().size
    window.Free()
    return memory.tolist(), found.tolist(), told, bool(window)


def datatypes():
    """A column of a matrix goes to another column; what lies between stays."""
    matrix = np.arange(16.0).reshape(4, 4) + 100 * rank
    column = MPI.DOUBLE.Create_vector(4, 1, 4).Commit()
    window = MPI.Win.Create(matrix, 8, comm=comm)
    window.Fence()
    window.Put([np.arange(4.0) - 10 * (rank + 1), MPI.DOUBLE], right, [1, 1, column])
    window.Fence()
    mine = np.zeros(16)
    window.Get([mine, 1, column], left, (2, 4, MPI.DOUBLE))
    window.Fence()
    window.Free()
    return matrix.tolist(), mine.tolist()


def counter():
    """Each number is given out once, by locks and by atomic operations."""
    window = MPI.Win.Allocate(16 if rank == 0 else 0, 8, comm=comm)
    shown = np.asarray(window.tomemory()).view("i8")
    taken, one, old = [], np.ones(1, "i8"), np.zeros(1, "i8")
    for _ in range(3):
        window.Lock(0)
        window.Fetch_and_op(one, old, 0)
        window.Unlock(0)
        taken.append(int(old[0]))
    window.Lock_all()
    window.Get_accumulate(one, old, 0, 1)
    window.Flush(0)
    added = int(old[0])
    window.Unlock_all()
    comm.Barrier()
    all_taken, all_added = comm.allreduce(taken), comm.allreduce([added])
    held = shown.tolist()
    del shown
    window.Free()
    return sorted(all_taken), sorted(all_added), held


def swaps():
    """Of all ranks that find a zero one alone puts its number there."""
    memory = np.zeros(1, "i4")
    window = MPI.Win.Create(memory, 4, comm=comm)
    mine, none, found = np.array([rank + 1], "i4"), np.zeros(1, "i4"), np.full(1, -1, "i4")
    window.Lock(size - 1, MPI.LOCK_SHARED)
    window.Compare_and_swap(mine, none, found, size - 1)
    window.Unlock(size - 1)
    winners = comm.allreduce(int(found[0] == 0))
    seen = np.zeros(1, "i4")
    window.Lock(size - 1, MPI.LOCK_SHARED)
    window.Fetch_and_op(none, seen, size - 1, op=MPI.NO_OP)
    window.Unlock(size - 1)
    same = len(set(comm.allgather(int(seen[0]))))
    window.Free()
    return winners, same, bool(1 <= seen[0] <= size)


def requests():
    """Accesses with requests, flushed and awaited."""
    memory = np.full(size, -1.0)
    window = MPI.Win.Create(memory, 8, comm=comm)
    window.Lock_all(MPI.MODE_NOCHECK)
    puts = [window.Rput(np.array([10.0 * rank]), peer, rank) for peer in range(size)]
    MPI.Request.Waitall(puts)
    window.Flush_all()
    comm.Barrier()
    found = np.zeros(size)
    window.Rget(found, right).Wait()
    comm.Barrier()
    window.Raccumulate(np.ones(1), left, rank).Wait()
    window.Flush_local_all()
    nobody = window.Rput(None, MPI.PROC_NULL)
    nobody.Wait()
    window.Unlock_all()
    comm.Barrier()
    window.Lock(rank, MPI.LOCK_SHARED)
    mine = memory.tolist()
    window.Unlock(rank)
    window.Free()
    return found.tolist(), mine


def epochs():
    """Every rank writes to its right-hand neighbour, which has posted its memory to it."""
    memory = np.zeros(3)
    window = MPI.Win.Create(memory, 8, comm=comm)
    group = comm.Get_group()
    turns = []
    for turn in range(3):
        window.Post(group.Incl([left]))
        window.Start(group.Incl([right]))
        window.Put(np.array([float(10 * rank + turn)]), right, turn)
        window.Complete()
        if turn == 1:
            while not window.Test():
                pass
        else:
            window.Wait()
        turns.append(memory.tolist())
    window.Free()
    return turns


def shared():
    """Ranks of one node read what others wrote into memory that they have in common."""
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    window = MPI.Win.Allocate_shared(8 * (2 if node.rank == 0 else 1), 8, comm=node)
    mine = np.asarray(window.tomemory()).view("i8")
    window.Fence()
    mine[:] = rank + 1
    window.Fence()
    memory, unit = window.Shared_query(node.size - 1)
    last = np.frombuffer(memory, "i8")
    whole, _ = window.Shared_query(MPI.PROC_NULL)
    ok = len(np.frombuffer(whole, "i8")) == 2 and unit == 8
    window.Fence()
    found = ok, int(last[0]) == comm.allreduce(rank + 1, op=MPI.MAX) or node.size < size
    window.Free()
    return found


def refused():
    """What MPI does not allow is an error of its own class."""
    window = MPI.Win.Allocate(8, comm=comm)
    found = []
    for call in (
        lambda: window.Unlock(0),
        window.Complete,
        lambda: window.Put(np.zeros(1), size),
        lambda: window.Put(np.zeros(1), 0),
    ):
        try:
            call()
            found.append("nothing")
        except MPI.Exception as error:
            found.append(error.Get_error_class() in (MPI.ERR_RMA_SYNC, MPI.ERR_RANK))
    window.Free()
    return found


for part in (fences, datatypes, counter, swaps, requests, epochs, shared, refused):
    told = comm.gather(part())
    if rank == 0:
        for one, line in enumerate(told):
            print(part.__name__, one, line)
