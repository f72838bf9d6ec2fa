"""Parallel Metropolis-coupled sampling of phylogenies, and the files it writes."""
