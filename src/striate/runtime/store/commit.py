"""The commit: new sub-files become the dataset when the metadata file is replaced, and not before."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

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
Kind = TypeVar("Kind")

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


def write_metadata(
    metadata: meta.Metadata, store: Store, *, reference: bool, sync: bool, first: bool
) -> NewContent:
    """Write the metadata of one array, and its references, where they are wanted, beside those in place.

    When it is the `first` in its directory there are none to remove.
    """
    beside = NO_REFERENCES | (array_references(metadata, store) if reference else {})
    if metadata.hdf5:
        beside[HDF5_NAME] = hdf5_if_possible(lambda: array_hdf5(metadata, store))
    new = write_content(store, meta.encode(metadata), beside, sync=sync)
    return replace(new, absent=[]) if first else new


def hdf5_if_possible(make: Callable[[], bytes]) -> bytes | None:
    """The HDF5 reference; None where h5py is missing, or the chunks lie in too many pieces: the write goes on."""
    try:
        return make()
    except DatasetError:
        return None


@dataclass(frozen=True)
class NewContent:
    """Metadata and references, whole, beside those that they replace. Of `absent` there shall be none."""

    store: Store
    parts: dict[Path, Path]
    absent: list[Path]
    sync: bool

    def put_in_place(self) -> None:
        """Replace the metadata by one rename, which is the commit; the references follow it."""
        metadata = self.store.metadata_path
        self.parts[metadata].replace(metadata)
        follow = [partial(_rename, part, path) for path, part in self.parts.items() if path != metadata]
        at_once([*follow, *(partial(_remove, path) for path in self.absent)], wait=self.sync)
        if self.sync:
            sync_folder(self.store.path)

    def discard(self) -> None:
        """Remove what was written: the old metadata stays."""
        remove(self.parts.values())


def write_content(
    store: Store, content: bytes, beside: Mapping[str, bytes | None], *, sync: bool
) -> NewContent:
    """Write metadata and references beside those in place; of None there shall be none."""
    contents = {store.path / name: reference for name, reference in beside.items()}
    contents[store.metadata_path] = content
    wanted = {path: reference for path, reference in contents.items() if reference is not None}
    writes = [partial(write_part, path, reference, sync=sync) for path, reference in wanted.items()]
    parts = dict(zip(wanted, at_once(writes, wait=sync), strict=True))
    return NewContent(store, parts, [path for path in contents if path not in parts], sync)


def _rename(part: Path, path: Path) -> None:
    part.replace(path)


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)


def at_once(jobs: Sequence[Callable[[], Kind]], *, wait: bool) -> list[Kind]:
    """The results of all jobs; side by side when each has to `wait` for a disk or a server."""
    if not wait or len(jobs) < 2:
        return [job() for job in jobs]
    with ThreadPoolExecutor(len(jobs), "striate-commit") as threads:
        return [started.result() for started in [threads.submit(job) for job in jobs]]


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
