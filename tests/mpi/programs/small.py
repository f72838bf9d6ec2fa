"""Writes, reads, sends and gathers a little, and says on standard output what it did: run by the tests, traced."""

import sys

import numpy as np
from mpi4py import MPI

import striate

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
said = []


def say(kind, *numbers):
    said.append(" ".join(map(str, (rank, kind, *numbers))))


path = sys.argv[1]
data = np.full(1024, rank, np.uint8)
with striate.region("write"):
    info = MPI.Info.Create({"cb_nodes": "1"})
    file = MPI.File.Open(world, path, MPI.MODE_CREATE | MPI.MODE_RDWR, info)
    for step in range(3):
        at = (step * size + rank) * 1024
        file.Write_at(at, data)
        say("write", at, 1024, 1, 0)
    base = 3 * size * 1024
    file.Write_at_all(base + rank * 1024, data)
    say("write_all", base + rank * 1024, 1024, 1, 0)

    # A strided view: 4 blocks of 256 bytes, one every 512 bytes for each rank.
    kind = MPI.BYTE.Create_vector(4, 256, 512 * size).Commit()
    kind = kind.Create_resized(0, 4 * 512 * size).Commit()
    view = 4 * size * 1024
    file.Set_view(view + rank * 512, MPI.BYTE, kind)
    file.Write_all(data)
    say("write_all", view + rank * 512, 1024, 4, 512 * size)
    request = file.Iwrite_at(1024, data[:512])
    request.Wait()
    say("write", view + rank * 512 + 4 * 512 * size, 512, 2, 512 * size)
    file.Set_view(0, MPI.BYTE, MPI.BYTE)
    file.Sync()
    file.Seek(rank * 1024)
    file.Read(data[:100])
    say("read", rank * 1024, 100, 1, 0)
    file.Read(data[:100])
    say("read", rank * 1024 + 100, 100, 1, 0)
    file.Read_at_all_begin(0, data[:64])
    file.Read_at_all_end(data[:64])
    say("read_all", 0, 64, 1, 0)
    file.Close()

with striate.region("exchange"):
    right, left = (rank + 1) % size, (rank - 1) % size
    world.Sendrecv(data[:300], right, 7, data[300:700], left, 7)
    say("sendrecv", right, 300, left, 300)
    requests = [world.Irecv(data[:500], left, 9), world.Isend(data[500:900], right, 9)]
    MPI.Request.Waitall(requests)
    say("recv", left, 400)
    say("send", right, 400)
    if rank == 0:
        world.Send(data[:50], 1, 3)
        say("send", 1, 50)
    elif rank == 1:
        world.Recv(data[:60], MPI.ANY_SOURCE, MPI.ANY_TAG)
        say("recv", 0, 50)
    half = world.Split(rank % 2, rank)
    total = np.zeros(4)
    half.Allreduce(np.ones(4), total)
    say("allreduce", 32)
    world.Bcast(data[:200], root=1)
    say("bcast", 200)
    world.Barrier()
    say("barrier", 0)
    everyone = np.zeros(10 * size, np.uint8)
    world.Allgather(data[:10], everyone)
    say("allgather", 10)
    counts = np.arange(size)
    places = (counts * 4, counts * 4)
    world.Alltoallv(
        [data, (counts, places[0]), MPI.BYTE],
        [np.zeros(64, np.uint8), (np.full(size, rank), places[1]), MPI.BYTE],
    )
    say("alltoallv", int(counts.sum()))
    half.Free()

everything = world.gather(said)
if rank == 0:
    print("\n".join(line for lines in everything for line in lines))
