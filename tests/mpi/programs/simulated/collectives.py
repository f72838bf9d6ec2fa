"""Every form of collective call; what each rank saw is printed by rank 0."""

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
seen = []


def note(*things):
    seen.append([thing.tolist() if isinstance(thing, np.ndarray) else thing for thing in things])


# Objects.
note(comm.bcast({"a": [1, 2]} if rank == 1 else None, root=1))
note(comm.scatter([("part", one) for one in range(size)] if rank == 0 else None))
note(comm.gather(rank * "g", root=size - 1))
note(comm.allgather((rank, "x" * rank)))
note(comm.alltoall([10 * rank + one for one in range(size)]))
note(comm.reduce(rank + 1, op=MPI.PROD, root=0), comm.allreduce([rank]))
note(comm.allreduce((rank % 2, rank), op=MPI.MAXLOC))
note(comm.scan(rank), comm.exscan(rank), comm.allreduce(rank == 0, op=MPI.LOR))
comm.barrier()

# Buffers.
mine = np.arange(3, dtype="d") + rank
into = np.zeros(3)
data = np.array([1.5, 2.5]) if rank == 0 else np.zeros(2)
comm.Bcast(data, root=0)
note(data)
comm.Allreduce(mine, into, op=MPI.MAX)
note(into.copy())
comm.Reduce(mine, into if rank == 2 % size else None, op=MPI.SUM, root=2 % size)
note(into.copy())
total = [
    comm.reduce(1.5 * rank + step, root=size - 1) for step in range(3)
]  # the others are ahead of the root
note(total)
comm.Scan(mine, into)
note(into.copy())
into[:] = -1
comm.Exscan(mine, into, op=MPI.SUM)
note(into.copy() if rank else None)
whole = np.zeros(3 * size)
comm.Allgather(mine, whole)
note(whole.copy())
comm.Gather(mine, whole if rank == 0 else None)
parts = np.arange(2 * size, dtype="i8") if rank == 0 else None
piece = np.zeros(2, "i8")
comm.Scatter(parts, piece)
note(piece)
out, back = np.arange(size, dtype="i4") + 100 * rank, np.zeros(size, "i4")
comm.Alltoall(out, back)
note(back)
counts = np.zeros(size, "i4")
block = np.arange(size, dtype="i4") + rank
comm.Reduce_scatter_block(block, counts[:1])
note(counts[:1])
comm.Reduce_scatter(block, counts[:1], recvcounts=[1] * size)
note(counts[:1])

# Sizes that differ.
sizes = [one + 1 for one in range(size)]
starts = [sum(sizes[:one]) for one in range(size)]
all_of = np.zeros(sum(sizes))
comm.Allgatherv(np.full(rank + 1, float(rank)), [all_of, sizes, starts, MPI.DOUBLE])
note(all_of.copy())
comm.Gatherv(np.full(rank + 1, 2.0 * rank), [all_of, (sizes, starts), MPI.DOUBLE] if rank == 0 else None)
note(all_of.copy())
got = np.zeros(rank + 1)
comm.Scatterv([all_of, sizes, starts, MPI.DOUBLE] if rank == 0 else None, got)
note(got)
sent = np.repeat(np.arange(size, dtype="i4") + 10 * rank, sizes)
came = np.zeros((rank + 1) * size, "i4")
comm.Alltoallv([sent, (sizes, starts), MPI.INT], [came, [rank + 1] * size])
note(came)

# In place, own operations, and calls that do not block.
total = np.array([rank, -rank], "i8")
comm.Allreduce(MPI.IN_PLACE, total, op=MPI.SUM)
note(total)


def keep_larger(low, high, datatype):
    a, b = np.frombuffer(low, "d"), np.frombuffer(high, "d")
    b[:] = np.where(np.abs(a) > np.abs(b), a, b)


larger = MPI.Op.Create(keep_larger, commute=True)
comm.Allreduce(np.array([(-1.0) ** rank * rank, 1.0]), into[:2], op=larger)
larger.Free()
note(into[:2].copy())
result = np.zeros(1)
request = comm.Iallreduce(np.array([1.0]), result)
first = comm.Ibcast(data, root=0)
MPI.Request.Waitall([request, first])
comm.Ibarrier().Wait()
note(result, data)
pair = np.zeros(1, np.dtype([("value", "f8"), ("index", "i4")], align=True))
pair["value"], pair["index"] = -float(rank), rank
best = pair.copy()
comm.Allreduce([pair, 1, MPI.DOUBLE_INT], [best, 1, MPI.DOUBLE_INT], op=MPI.MINLOC)
note(float(best["value"][0]), int(best["index"][0]))

for number, lines in enumerate(comm.gather(seen) or []):
    for line in lines:
        print(number, line)
