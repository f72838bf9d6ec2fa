"""The irregular mesh program for real: `mesh.py DATASET`; every rank writes its nodes in global order, twice."""

import sys

from mpi4py import MPI

from striate.apps.mesh import Mesh, run

run(MPI.COMM_WORLD, sys.argv[1], Mesh(4000, "local"), steps=4, every=2)
