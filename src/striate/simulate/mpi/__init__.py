"""The stand-in for `mpi4py.MPI` that programs find in `striate simulate`."""
