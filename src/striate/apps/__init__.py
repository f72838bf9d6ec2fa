"""Example programs, as workloads and, where MPI is there, for real."""
