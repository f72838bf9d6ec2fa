"""Communicators: split, copied, on a grid; what each rank saw is printed by rank 0."""

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
seen = []

halves = world.Split(rank % 2, key=-rank)  # the other way round
seen.append((halves.rank, halves.size, halves.allgather(rank)))
seen.append(halves.bcast(rank, root=0))
none = world.Split(MPI.UNDEFINED if rank else 0)
seen.append(none == MPI.COMM_NULL)
copy = halves.Dup()
seen.append((MPI.Comm.Compare(copy, halves) == MPI.CONGRUENT, copy.allreduce(1)))
inner = copy.Split(copy.rank // 2, copy.rank)
seen.append(inner.allgather((rank, inner.rank)))
for made in (inner, copy, halves):
    made.Free()

dims = MPI.Compute_dims(size, 2)
grid = world.Create_cart(dims, periods=[True, False])
up, down = grid.Shift(0, 1)
before, after = grid.Shift(1, 1)
seen.append((dims, grid.Get_coords(grid.rank), up, down, before, after))
seen.append((grid.coords, grid.Get_cart_rank(grid.coords), grid.sendrecv(rank, dest=down, source=up)))
seen.append(grid.sendrecv(rank, dest=after, source=before))
row = grid.Sub([False, True])
seen.append((row.rank, row.allgather(rank)))

some = world.Get_group().Incl([0, size - 1] if size > 1 else [0])
ends = world.Create(some)
if ends != MPI.COMM_NULL:
    seen.append((ends.rank, ends.allgather(rank)))
seen.append(some.Translate_ranks([0], world.Get_group()))
keyval = MPI.Comm.Create_keyval(delete_fn=lambda comm, key, value: seen.append(value))
grid.Set_attr(keyval, "kept")
seen.append(grid.Get_attr(keyval))
grid.Delete_attr(keyval)
seen.append(MPI.COMM_SELF.allreduce(rank))
node = world.Split_type(MPI.COMM_TYPE_SHARED)
seen.append(node.rank < node.size)
try:
    world.send(1, dest=size)
except MPI.Exception as error:
    seen.append(error.Get_error_class() == MPI.ERR_RANK)

for number, lines in enumerate(world.gather(seen) or []):
    for line in lines:
        print(number, line)
