"""MPI-IO into the folder given; what each rank read is printed by rank 0."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
path = sys.argv[1] + "/data"
seen = []

info = MPI.Info.Create()
info.Set("striping_factor", "2")
file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_RDWR, info)
info.Free()
mine = np.arange(4, dtype="i4") + 10 * rank
file.Write_at(rank * 16, mine)
file.Sync()
comm.Barrier()
got = np.zeros(4, "i4")
file.Read_at((size - 1 - rank) * 16, got)
seen.append((got.tolist(), file.Get_size()))
comm.Barrier()  # nobody writes over what another still reads

# Every rank's numbers one after the other's: a vector as the view.
column = MPI.INT.Create_vector(4, 1, size).Commit()
file.Set_view(rank * 4, MPI.INT, column)
file.Write_all(mine)
file.Seek(1)
file.Read_all(got[:2])
seen.append((got[:2].tolist(), file.Get_position()))
file.Set_view(0, MPI.INT)
whole = np.zeros(4 * size, "i4")
file.Sync()
comm.Barrier()
file.Read_at_all(0, whole)
seen.append(whole.tolist())
comm.Barrier()

# A block of a matrix.
rows = MPI.DOUBLE.Create_subarray([size, 3], [1, 3], [rank, 0]).Commit()
file.Set_view(0, MPI.DOUBLE, rows)
file.Write_at_all(0, np.full(3, rank + 0.5))
file.Set_view()
file.Set_size(size * 24)
status = MPI.Status()
tail = np.zeros(24, "u1")
file.Read_at((size - 1) * 24 + 8, tail, status)
seen.append((file.Get_size(), status.Get_count(MPI.BYTE), tail[:16].view("d").tolist()))
comm.Barrier()
request = file.Iwrite_at(rank * 24, np.full(3, 1.0 + rank))
request.Wait()
file.Close()

comm.Barrier()
if rank == 0:
    seen.append(np.fromfile(path).tolist())
try:
    MPI.File.Open(comm, path + "-none", MPI.MODE_RDONLY)
except MPI.Exception as error:
    seen.append(error.Get_error_class() == MPI.ERR_NO_SUCH_FILE)
alone = MPI.File.Open(
    MPI.COMM_SELF, f"{path}-{rank}", MPI.MODE_CREATE | MPI.MODE_WRONLY | MPI.MODE_DELETE_ON_CLOSE
)
alone.Write([bytes([rank]) * 5, MPI.BYTE])
alone.Close()
seen.append(Path(f"{path}-{rank}").exists())
comm.Barrier()
if rank == 0:
    MPI.File.Delete(path)

for number, lines in enumerate(comm.gather(seen) or []):
    for line in lines:
        print(number, line)
