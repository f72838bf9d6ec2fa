"""Workloads on disk: one Parquet file each."""
