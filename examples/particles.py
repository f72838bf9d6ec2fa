"""A particle code that writes its particles in global order, on one rank or on many.

Particles wander from rank to rank, so that each rank holds any of them, in any order. Before, every dump was

    everyone = comm.gather((ids, particles))                # rank 0 holds all, pickled
    if comm.rank == 0:
        for ids, particles in everyone: whole[ids] = particles
        whole.tofile(f"dump-{step}.bin")

and now it is three lines (marked below): no rank holds more than its own, the file is the same whoever writes it, and
every byte is checked when it is read. Run it as `python particles.py` or `mpiexec -n 4 python particles.py`: it prints
the same.
"""

import tempfile
from pathlib import Path

import numpy as np

import striate.runtime

try:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    rank, ranks = comm.Get_rank(), comm.Get_size()
except ImportError:
    comm, rank, ranks = None, 0, 1

COUNT = 20_000
PARTICLE = np.dtype([("position", "f8", (3,)), ("velocity", "f4", (3,)), ("species", "i4")])


def initial(ids):
    """The particles with these ids, the same on any rank."""
    particles = np.zeros(len(ids), PARTICLE)
    particles["position"] = np.stack([ids % 17, ids % 19, ids % 23], axis=1)
    particles["velocity"] = np.stack([ids % 3, ids % 5, ids % 7], axis=1) - [1, 2, 3]
    particles["species"] = ids % 2
    return particles


def owner(particles):
    """The rank whose slab of space a particle is in."""
    return (particles["position"][:, 0] % 17 * ranks // 17).astype(int)


def migrate(ids, particles):
    """Send every particle to the rank it is now with."""
    if comm is None:
        return ids, particles
    to = owner(particles)
    arrived = comm.alltoall([(ids[to == other], particles[to == other]) for other in range(ranks)])
    return np.concatenate([part[0] for part in arrived]), np.concatenate([part[1] for part in arrived])


folder = tempfile.mkdtemp() if rank == 0 else None
folder = Path(comm.bcast(folder) if comm is not None else folder)

ids = np.arange(rank, COUNT, ranks)
particles = initial(ids)
for step in range(1, 4):
    particles["position"] += 0.5 * particles["velocity"]
    ids, particles = migrate(ids, particles)
    with striate.runtime.create(comm, folder / f"dump-{step}", (COUNT,), PARTICLE) as dump:  # 1
        dump.write_all(ids, particles)  # 2

if comm is not None:
    comm.Barrier()
if rank == 0:
    with striate.runtime.open_serial(folder / "dump-3") as dump:  # 3: any one process reads it, in order
        print(f"{len(dump)} particles of {dump.dtype.itemsize} bytes")
        print("particle 12345:", dump[[12345]]["position"][0])
        print("centre of mass:", dump[...]["position"].mean(axis=0).round(6))
    print("sound:", not striate.runtime.verify(folder / "dump-3").findings)
