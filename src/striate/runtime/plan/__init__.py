"""What goes where, decided from sizes alone: chunks, domains, windows, servers. No MPI, no files."""
