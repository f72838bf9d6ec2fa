"""Machines by what their own commands print: sheets of several kinds, joined into one storage system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from striate.errors import ClusterError
from striate.importers import io500_row, mlperf_sheet, printed_nodes, printed_storage
from striate.limits import read_small_text
from striate.training.system import StorageSystem

JOIN = " + "
Reader = Callable[[str, str], StorageSystem]  # (text, source)
# What stands before a file's name -> what reads the text of the file.
PRINTED: dict[str, Reader] = {
    "lustre": printed_storage.from_lfs_df,
    "beegfs": printed_storage.from_beegfs_targets,
    "gluster": printed_storage.from_gluster_info,
    "slurm": printed_nodes.from_scontrol,
    "lstopo": printed_nodes.from_lstopo,
}
MLPERF, IO500 = "mlperf", "io500"
MOST_NODES = 2**16  # a machine of more takes more than a gigabyte of memory


def from_name(name: str) -> tuple[StorageSystem, tuple[Path, ...]]:
    """The system of one sheet or of several, and their files; raises ClusterError in one line."""
    systems, paths = [], []
    for part in name.split(JOIN):
        kind, _, file = part.strip().partition(":")
        if kind not in (*PRINTED, MLPERF, IO500) or not file:
            known = ", ".join(f"{one}:FILE" for one in (*PRINTED, MLPERF, IO500))
            raise ClusterError(
                f"expected a description of a machine as one of {known}, got {part.strip()!r:.60}"
            )
        file, _, row = file.partition("#") if kind == IO500 else (file, "", "")
        path = Path(file)
        paths.append(path)
        systems.append(_read(kind, path, row))
    system = joined(systems)
    for count, what in ((system.hosts, "hosts"), (system.servers, "storage servers")):
        if count is not None and count > MOST_NODES:
            raise ClusterError(
                f"expected a machine with at most {MOST_NODES:,} {what}, got {count:,}", source=name[:60]
            )
    return system, tuple(paths)


def _read(kind: str, path: Path, row: str) -> StorageSystem:
    if kind == MLPERF:
        return mlperf_sheet.from_file(path)
    if kind == IO500:
        return io500_row.from_file(path, row)
    return PRINTED[kind](read_small_text(path, kind=ClusterError, other_bytes="replace"), str(path))


def joined(systems: Sequence[StorageSystem]) -> StorageSystem:
    """One system of several sheets: each number from the first that says it."""
    first, *others = systems
    for other in others:
        more = {
            field.name: getattr(other, field.name)
            for field in fields(StorageSystem)
            if getattr(first, field.name) is None and getattr(other, field.name) is not None
        }
        first = replace(
            first, name=f"{first.name}{JOIN}{other.name}", notes=(*first.notes, *other.notes), **more
        )
    return first
