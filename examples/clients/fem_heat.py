"""Heat in a disc, by scikit-fem's finite elements on any number of ranks, in a group of `striate.runtime`.

    mpiexec -n 4 python fem_heat.py FOLDER STEPS     # begins, or goes on from the last step in FOLDER
    mpiexec -n 3 python fem_heat.py FOLDER STEPS     # goes on, with other ranks

Mesh, elements and matrices are scikit-fem's. Each rank assembles a part of the triangles; a node belongs to all ranks
whose triangles touch it, and all of them write it.
"""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI
from skfem import Basis, ElementTriP1, MeshTri
from skfem.models.poisson import laplace, mass

from striate import runtime
from striate.runtime import Variable

WORLD = MPI.COMM_WORLD
SECONDS = 1e-4  # of a step


def part_of(mesh):
    """Our triangles' share of the stiffness matrix, the masses of all nodes, and the nodes that our triangles touch."""
    triangles = np.array_split(np.arange(mesh.t.shape[1]), WORLD.size)[WORLD.rank]
    basis = Basis(mesh, ElementTriP1(), elements=triangles)
    masses = np.asarray(mass.assemble(basis).sum(axis=1)).reshape(-1)
    return laplace.assemble(basis), WORLD.allreduce(masses), np.unique(mesh.t[:, triangles])


def create(folder, mesh, nodes):
    group = runtime.create_group(
        WORLD,
        folder,
        dimensions={"time": None, "node": mesh.p.shape[1]},
        variables={
            "time": Variable("f8", ("time",), units="s"),
            "x": Variable("f8", ("node",), units="m", coordinate=True),
            "y": Variable("f8", ("node",), units="m", coordinate=True),
            "temperature": Variable("f8", ("time", "node"), units="K"),
        },
        attributes={"title": "heat in a disc"},
    )
    places = group.schedule("node", nodes)
    group.write_all(places, {"x": mesh.p[0, nodes], "y": mesh.p[1, nodes]})
    group.append_all(places, {"temperature": np.exp(-20 * (mesh.p**2).sum(axis=0))[nodes]}, time=0.0)
    return group


def main(folder, steps):
    mesh = MeshTri.init_circle(4)
    stiffness, masses, nodes = part_of(mesh)
    begun = (folder / "metadata.json").exists()
    group = runtime.open_group(WORLD, folder) if begun else create(folder, mesh, nodes)
    with group:
        places = group.schedule("node", nodes)
        temperature = group.read_all("temperature")
        for _ in range(steps):
            temperature -= SECONDS * WORLD.allreduce(stiffness @ temperature) / masses
            step = group.steps[-1] + 1
            group.append_all(places, {"temperature": temperature[nodes]}, time=step * SECONDS)
        if WORLD.rank == 0:
            print(
                f"step {group.steps[-1]}: heat {masses @ temperature:.12f}, most {temperature.max():.12f} K"
            )


main(Path(sys.argv[1]), int(sys.argv[2]))
