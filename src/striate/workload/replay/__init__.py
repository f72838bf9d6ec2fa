"""Workloads made from traces."""
