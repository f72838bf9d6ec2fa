"""Loads the tracer by itself, through mpi4py.profile, instead of being started with it."""

import sys

import mpi4py

mpi4py.profile(sys.argv[1])

from mpi4py import MPI  # noqa: E402

MPI.COMM_WORLD.Barrier()
MPI.COMM_WORLD.Barrier()
