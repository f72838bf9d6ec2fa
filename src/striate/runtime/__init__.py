"""Collective I/O for irregular programs: records addressed by index arrays, in global order, over mpi4py."""
