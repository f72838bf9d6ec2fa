"""Files that are written and deleted in every way: through MPI, by the program itself, and with their close."""

import contextlib
import os
import shutil
import sys
from pathlib import Path

from mpi4py import MPI

comm, folder = MPI.COMM_WORLD, Path(sys.argv[1])


def written(name, mode=0):
    file = MPI.File.Open(comm, str(folder / name), MPI.MODE_CREATE | MPI.MODE_WRONLY | mode)
    file.Write_at_all(1024 * comm.rank, bytes(1024))
    file.Close()
    comm.Barrier()
    return folder / name


by_mpi, by_itself = written("by_mpi"), written("by_itself")
if comm.rank == 0:
    MPI.File.Delete(str(by_mpi))
    by_itself.unlink()
written("on_close", MPI.MODE_DELETE_ON_CLOSE)

own = folder / f"own{comm.rank}"
with own.open("wb", buffering=0) as file:
    file.write(bytes(4096))
    own.unlink()
    os.fsync(file.fileno())
with contextlib.suppress(FileNotFoundError):  # a deletion that fails is none
    own.unlink()

nested = folder / f"folder{comm.rank}" / "inner"
nested.mkdir(parents=True)
shutil.rmtree(nested.parent)  # has no files
