"""What software does by default, as settings of a description: file systems and MPI libraries by their names.

A probe cannot time everything; these facts are in the sources or manuals that are named beside them.
"""

from __future__ import annotations

from typing import Any

# Requests of FUSE (fuse_max_pages of 32), the write-behind window (performance.write-behind-window-size), the kernel's
# read-ahead of a FUSE mount, which lets one write at a time into a file (fuse_cache_write_iter), shards by a hash of
# their names (cluster/dht), fsync by each client for itself. ROMIO takes it for a plain file system (ad_ufs), whose
# stripes it does not know: ADIOI_Calc_file_domains divides bytes.
_GLUSTERFS = {
    "io_request": "128 KiB",
    "write_window": "1 MiB",
    "read_window": "512 KiB",
    "inode_lock": True,
    "distribution": "hash",
    "sync_alone": True,
    "file_domains": "equal",
}
# The size of a sharded file is counted at its first shard, request by request (FXATTROP of features/shard): what
# writing new bytes took beside writing them again, by four hosts of a practice cluster.
_SHARDED = {"size_update": "400 us"}
# ROMIO: one rank creates a file and all open it (ADIOI_GEN_OpenColl), one aggregator per node, two-phase where accesses
# interleave (romio_cb_write=automatic), data sieving (romio_ds_write=automatic). Collectives: what MPICH 4 chooses
# (src/mpi/coll, `intra_auto`).
_MPICH = {
    "open_by": "all",
    "collective": "automatic",
    "data_sieving": True,
    "aggregators": "nodes",
    "collective_algorithms": [
        "bcast=binomial-in-turn,ranks=..8",
        "allreduce=smp-rabenseifner,bytes=2049..",
    ],
}
_DIRTY_SHARE = 0.1  # of memory, before Linux writes back on its own: vm.dirty_background_ratio
_MOST_DIRTY_SHARE = 0.2  # of memory, before writers wait for the disk: vm.dirty_ratio


def file_system_settings(kind: str, *, sharded: bool) -> dict[str, Any]:
    """Settings of a file system, by its kind in /proc/mounts; nothing where none are known."""
    if kind != "fuse.glusterfs":
        return {}
    return _GLUSTERFS | (_SHARDED if sharded else {})


def mpi_settings(library: str) -> dict[str, Any]:
    """Settings of an MPI library on several nodes, by what MPI_Get_library_version says."""
    return dict(_MPICH) if library.startswith("MPICH") else {}


def dirty_bytes(memory_bytes: int) -> int:
    """Written data that a server of so much memory keeps before it writes back."""
    return round(memory_bytes * _DIRTY_SHARE)


def most_dirty_bytes(memory_bytes: int) -> int:
    """Written data that the page cache of so much memory holds before writers wait."""
    return round(memory_bytes * _MOST_DIRTY_SHARE)
