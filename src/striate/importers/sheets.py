"""Machines by what their own commands print: sheets of several kinds, joined into one storage system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path

from striate.errors import ClusterError
from striate.importers import mlperf_sheet, printed_nodes, printed_storage
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
MLPERF = "mlperf"


def from_name(name: str) -> tuple[StorageSystem, tuple[Path, ...]]:
    """The system of one sheet or of several, and their files; raises ClusterError in one line."""
    systems, paths = [], []
    for part in name.split(JOIN):
        kind, _, file = part.strip().partition(":")
        if kind not in (*PRINTED, MLPERF) or not file:
            known = ", ".join(f"{one}:FILE" for one in (*PRINTED, MLPERF))
            raise ClusterError(f"expected sheets such as {known}, got {part.strip()!r:.60}")
        path = Path(file)
        paths.append(path)
        systems.append(
            mlperf_sheet.from_file(path)
            if kind == MLPERF
            else PRINTED[kind](read_small_text(path, kind=ClusterError, other_bytes="replace"), str(path))
        )
    return joined(systems), tuple(paths)


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
