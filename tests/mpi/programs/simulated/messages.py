"""Every form of message; what each rank saw is printed by rank 0, so that runs can be compared."""

import array

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
right, left = (rank + 1) % size, (rank - 1) % size
seen = []

# Buffers: short and long, with and without a datatype, in place, to nobody.
small, large = np.arange(4, dtype="d") + rank, np.full(200_000, rank, "i4")
into, long_into = np.zeros(4), np.zeros(200_000, "i4")
comm.Sendrecv(small, right, 3, into, left, 3)
seen.append(into.tolist())
request = comm.Isend([large, MPI.INT], dest=right, tag=8)
status = MPI.Status()
comm.Recv(long_into, source=left, tag=8, status=status)
request.Wait()
seen.append((int(long_into.sum()), status.Get_source(), status.Get_tag(), status.Get_count(MPI.INT)))
replaced = array.array("i", [rank, 10 * rank])
comm.Sendrecv_replace(replaced, right, 0, left, 0)
seen.append(replaced.tolist())
comm.Send([small, 2, MPI.DOUBLE], dest=MPI.PROC_NULL)
status = MPI.Status()
comm.Recv(into, source=MPI.PROC_NULL, status=status)
seen.append((into.tolist(), status.source == MPI.PROC_NULL, status.Get_count(MPI.DOUBLE)))
if rank == 0:
    comm.Ssend(np.array([5.0]), dest=size - 1, tag=77)
elif rank == size - 1:
    comm.Recv(into[:1], source=0, tag=77)
    seen.append(into[:1].tolist())

# A column of a matrix.
matrix = np.arange(12, dtype="i4").reshape(3, 4) + 100 * rank
column = MPI.INT.Create_vector(3, 1, 4).Commit()
got = np.zeros(3, "i4")
pending = comm.Irecv(got, source=left, tag=1)
comm.Send([matrix, 1, column], dest=right, tag=1)
pending.Wait()
column.Free()
seen.append(got.tolist())

# Objects.
seen.append(comm.sendrecv({"from": rank}, dest=right, source=left))
requests = [comm.isend((rank, step), dest=right, tag=step) for step in range(3)]
taken = [comm.irecv(source=left, tag=step) for step in (2, 1, 0)]
seen.append(MPI.Request.waitall(taken))
MPI.Request.Waitall(requests)
requests = [comm.irecv(source=left, tag=40 + step) for step in range(2)]
for step in range(2):
    comm.send("word" * (step + 1), dest=right, tag=40 + step)
found = sorted(MPI.Request.waitany(requests)[1] for _ in requests)
seen.append(found)

# Any source and any tag: what comes is sorted, for the order is nobody's promise.
if rank == 0:
    status = MPI.Status()
    came = []
    for _ in range(size - 1):
        word = comm.recv(source=MPI.ANY_SOURCE, tag=MPI.ANY_TAG, status=status)
        came.append((status.Get_source(), status.tag, word))
    seen.append(sorted(came))
else:
    comm.send("x" * rank, dest=0, tag=rank)

# Probes and tests.
if rank == 0:
    comm.send([1, 2, 3], dest=right, tag=9)
if rank == 1 % size:
    status = MPI.Status()
    comm.Probe(source=0, tag=9, status=status)
if rank == 1 % size:
    while not comm.iprobe(source=0, tag=9):
        pass
    pending = comm.irecv(source=0, tag=9)
    over, word = pending.test()
    while not over:
        over, word = pending.test()
    seen.append(word)

for number, lines in enumerate(comm.gather(seen) or []):
    for line in lines:
        print(number, line)
