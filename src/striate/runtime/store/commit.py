"""The commit: new sub-files become the dataset when the metadata file is replaced, and not before."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError
from striate.runtime.store import metadata as meta
from striate.runtime.store.chunks import ChunkTable
from striate.runtime.store.files import Store, sync_folder, write_part
from striate.runtime.store.hdf5_reference import FILE_NAME as HDF5_NAME
from striate.runtime.store.hdf5_reference import array_hdf5
from striate.runtime.store.reference import FILE_NAME as REFERENCE_NAME
from striate.runtime.store.reference import ZARR3_NAME, array_references

Int64 = npt.NDArray[np.int64]

TRIAL = (
    ".trial-{identity}-{rank}"  # a sample written to time the disk; gone at once unless the program is killed
)
_TRIAL = re.compile(r"\.trial-([0-9a-f]{16})-[0-9]+")
NO_REFERENCES: dict[str, bytes | None] = dict.fromkeys((REFERENCE_NAME, ZARR3_NAME, HDF5_NAME))
_PARTS = tuple(f".{name}.part" for name in (meta.FILE_NAME, *NO_REFERENCES))
_OURS = re.compile(
    r"\.?((metadata|reference(-zarr3)?)\.json|reference\.h5)(\.part)?|\.lock(\.claim(\.[0-9]+)?)?"
)
_INDEX = re.compile(r"\.?([0-9a-f]{16})-[0-9]{8}\.index(\.part)?")


@dataclass(frozen=True)
class Written:
    """The chunks that one operation wrote anew: where each lies in its server's new sub-file."""

    chunks: Int64
    offsets: Int64
    lengths: Int64
    checksums: npt.NDArray[np.uint64]


def merged_table(
    old: ChunkTable, written: Written, servers: Int64, name_of: Callable[[int], str]
) -> ChunkTable:
    """The table with the new chunks, each on its server; sub-files that no chunk needs any more are left out."""
    ends = {
        int(server): int((written.offsets + written.lengths)[servers == server].max())
        for server in np.unique(servers)
    }
    numbers = {server: len(old.subfiles) + at for at, server in enumerate(ends)}
    file, offset, length, checksum = (
        old.file.copy(),
        old.offset.copy(),
        old.length.copy(),
        old.checksum.copy(),
    )
    file[written.chunks] = [numbers[int(server)] for server in servers]
    offset[written.chunks] = written.offsets
    length[written.chunks] = written.lengths
    checksum[written.chunks] = written.checksums
    added = [meta.SubFile(name_of(server), server, end) for server, end in ends.items()]
    return _without_unused(ChunkTable(file, offset, length, checksum, [*old.subfiles, *added]))


def _without_unused(table: ChunkTable) -> ChunkTable:
    used = np.unique(table.file[table.file >= 0])
    renumbered = np.full(len(table.subfiles) + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    subfiles = [table.subfiles[int(number)] for number in used]
    return replace(table, file=renumbered[table.file], subfiles=subfiles)


def replace_metadata(metadata: meta.Metadata, store: Store, *, reference: bool, sync: bool) -> None:
    """Put the metadata of one array in place, and its references, where they are wanted."""
    beside = NO_REFERENCES | (array_references(metadata, store) if reference else {})
    if metadata.hdf5:
        beside[HDF5_NAME] = hdf5_if_possible(lambda: array_hdf5(metadata, store))
    replace_content(store, meta.encode(metadata), beside, sync=sync)


def hdf5_if_possible(make: Callable[[], bytes]) -> bytes | None:
    """The HDF5 reference; None where h5py is missing, or the chunks lie in too many pieces: the write goes on."""
    try:
        return make()
    except DatasetError:
        return None


def replace_content(store: Store, content: bytes, beside: Mapping[str, bytes | None], *, sync: bool) -> None:
    """References are ready before the metadata is replaced, and follow it by a rename; of None there shall be none."""
    parts = {
        store.path / name: write_part(store.path / name, reference, sync=sync)
        for name, reference in beside.items()
        if reference is not None
    }
    write_part(store.metadata_path, content, sync=sync).replace(store.metadata_path)
    for path, part in parts.items():
        part.replace(path)
    for name in beside:
        if store.path / name not in parts:
            (store.path / name).unlink(missing_ok=True)
    if sync:
        sync_folder(store.path)


def is_ours(name: str) -> bool:
    """True for a file that a dataset's directory may have."""
    known = (_OURS, meta.SUBFILE_NAME, _TRIAL, _INDEX)
    return any(pattern.fullmatch(name) for pattern in known)


def leftovers(folder: Path, keep: set[str], identities: set[str] | None) -> Iterator[Path]:
    """Files in `folder` of writes that were interrupted or replaced; of `identities` only, or of any when None."""
    for path in folder.iterdir():
        kinds = (meta.SUBFILE_NAME, _TRIAL, _INDEX)
        found = next((match for kind in kinds if (match := kind.fullmatch(path.name))), None)
        ours = found is not None and (identities is None or found[1] in identities)
        if (ours or (identities is None and path.name in _PARTS)) and path.name not in keep:
            yield path


def remove(paths: Iterable[Path]) -> int:
    """Remove files that are in no use; a file that stays costs space, nothing else. How many went."""
    count = 0
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()
            count += 1
    return count
