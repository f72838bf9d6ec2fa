"""What a function does, from its name: kind, level, whether all ranks take part."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from striate.trace.kinds import COLLECTIVES

_POSIX = {
    "open": "open", "open64": "open", "openat": "open", "openat64": "open", "creat": "open", "creat64": "open",
    "__open_2": "open", "__open64_2": "open", "__openat_2": "open", "__openat64_2": "open",
    "fopen": "open", "fopen64": "open", "freopen": "open",
    "freopen64": "open",
    "close": "close", "fclose": "close",
    "mmap": "map", "munmap": "unmap", "rename": "rename", "renameat": "rename", "renameat2": "rename",
    "sendfile": "read", "sendfile64": "read", "sendfile to": "write",
    "copy_file_range": "read", "copy_file_range to": "write",
    "read": "read", "pread": "read", "pread64": "read", "readv": "read", "preadv": "read", "preadv64": "read",
    "preadv2": "read", "preadv64v2": "read", "pwritev2": "write", "pwritev64v2": "write",
    "__read_chk": "read", "__pread_chk": "read", "__pread64_chk": "read", "fread": "read",
    "fread_unlocked": "read", "__fread_chk": "read", "fgets": "read", "__fgets_chk": "read", "getline": "read",
    "getdelim": "read", "fputs": "write", "fwrite_unlocked": "write",
    "write": "write", "pwrite": "write", "pwrite64": "write", "writev": "write", "pwritev": "write",
    "pwritev64": "write", "fwrite": "write",
    "lseek": "seek", "lseek64": "seek", "fseek": "seek", "fseeko": "seek", "fseeko64": "seek",
    "fsync": "sync", "fdatasync": "sync", "fflush": "sync",
    "ftruncate": "resize", "ftruncate64": "resize", "truncate": "resize", "truncate64": "resize",
    "fallocate": "resize", "fallocate64": "resize",
    "unlink": "delete", "unlinkat": "delete", "remove": "delete",
    "stat": "stat", "lstat": "stat", "fstat": "stat", "xstat": "stat", "__xstat": "stat", "__fxstat": "stat",
    "__lxstat": "stat", "__xstat64": "stat", "__fxstat64": "stat", "__lxstat64": "stat", "fxstat": "stat",
    "lxstat": "stat", "xstat64": "stat", "fxstat64": "stat", "lxstat64": "stat", "stat64": "stat",
    "fstat64": "stat", "lstat64": "stat", "access": "stat", "faccessat": "stat",
}  # fmt: skip
_FILE = {
    "open": "open", "close": "close", "delete": "delete", "set_view": "view", "sync": "sync", "seek": "seek",
    "seek_shared": "seek", "set_size": "resize", "preallocate": "resize", "get_size": "stat",
}  # fmt: skip
_TOGETHER = ("open", "close", "set_view", "sync", "set_size", "preallocate")
_MESSAGES = {
    "send": "send", "bsend": "send", "ssend": "send", "rsend": "send", "start(send)": "send",
    "recv": "recv", "mrecv": "recv", "start(recv)": "recv",
    "sendrecv": "sendrecv", "sendrecv_replace": "sendrecv",
    "probe": "probe", "mprobe": "probe", "improbe": "probe", "iprobe": "probe",
    "wait": "wait", "waitall": "wait", "waitany": "wait", "waitsome": "wait",
    "test": "wait", "testall": "wait", "testany": "wait", "testsome": "wait",
    "exscan": "scan", "reduce_scatter_block": "reduce_scatter", "alltoallw": "alltoallv",
    "init": "init", "init_thread": "init", "finalize": "finalize", "abort": "finalize",
    "comm_dup": "communicator", "comm_dup_with_info": "communicator", "comm_split": "communicator",
    "comm_split_type": "communicator", "comm_create": "communicator", "comm_create_group": "communicator",
    "cart_create": "communicator", "cart_sub": "communicator", "intercomm_merge": "communicator",
    "graph_create": "communicator", "dist_graph_create": "communicator", "comm_create_from_group": "communicator",
    "dist_graph_create_adjacent": "communicator", "intercomm_create": "communicator", "comm_idup": "communicator",
    "put": "rma", "get": "rma", "accumulate": "rma", "get_accumulate": "rma", "fetch_and_op": "rma",
    "compare_and_swap": "rma", "rput": "rma", "rget": "rma", "raccumulate": "rma", "rget_accumulate": "rma",
    "win_start": "rma", "win_complete": "rma", "win_post": "rma", "win_wait": "rma", "win_lock": "rma",
    "win_unlock": "rma", "win_lock_all": "rma", "win_unlock_all": "rma", "win_flush": "rma", "win_flush_all": "rma",
    "win_flush_local": "rma", "win_flush_local_all": "rma", "win_sync": "rma",
    "win_fence": "fence", "win_create": "fence", "win_allocate": "fence", "win_allocate_shared": "fence",
    "win_create_dynamic": "fence", "win_free": "fence",
    "neighbor_allgather": "neighbor", "neighbor_allgatherv": "neighbor", "neighbor_alltoall": "neighbor",
    "neighbor_alltoallv": "neighbor", "neighbor_alltoallw": "neighbor",
}  # fmt: skip


_BY_ALL = ("communicator", "init", "finalize", "neighbor", "fence")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a function does. `pointer`: which file pointer it moves - none, its own, or the shared one."""

    kind: str
    level: str
    collective: bool = False
    pointer: str = ""  # "", "own", "shared"
    later: bool = False  # returns before the operation is complete


@lru_cache(maxsize=4096)
def meaning(function: str) -> Meaning:
    """The meaning of a function of MPI or POSIX; of anything else, kind `other`."""
    if function in ("region_begin", "region_end"):
        return Meaning("region", "program")
    if function.startswith("MPI_File_"):
        return _file(function.removeprefix("MPI_File_").removesuffix("_c"))
    if function.startswith("MPI_"):
        return _message(function.removeprefix("MPI_").removesuffix("_c").lower())
    return Meaning(_POSIX.get(function, "other"), "posix")


def _file(name: str) -> Meaning:
    if name in _FILE:
        return Meaning(_FILE[name], "mpi-io", name in _TOGETHER)
    if name.endswith("_end"):
        return Meaning("wait", "mpi-io", True)
    later = name.endswith("_begin") or name.startswith("i")
    kind = "read" if "read" in name else "write" if "write" in name else "other"
    pointer = "" if "_at" in name else "shared" if "shared" in name or "ordered" in name else "own"
    return Meaning(kind, "mpi-io", "_all" in name or "ordered" in name, pointer, later)


def _message(name: str) -> Meaning:
    for plain, later in ((name, False), (name[1:], name[:1] == "i")):
        kind = _MESSAGES.get(plain, plain)
        if kind in COLLECTIVES:
            return Meaning(kind, "mpi", True, later=later)
        if plain in _MESSAGES and (plain == name or later):
            return Meaning(kind, "mpi", kind in _BY_ALL, later=later)
    return Meaning("other", "mpi")
