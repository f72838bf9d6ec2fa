"""Topologies: each file turns one kind of `[network]` table into a fabric of switches and cables."""
