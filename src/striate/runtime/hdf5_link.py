"""An HDF5 file made on demand that points into the sub-files of an array or group, wherever it shall lie."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from striate.errors import OutputError
from striate.runtime.front import PathLike
from striate.runtime.group_front import open_group
from striate.runtime.store.files import Store, load_metadata, read_metadata
from striate.runtime.store.group_metadata import MAGIC
from striate.runtime.store.hdf5_reference import array_hdf5


def link_hdf5(path: PathLike, output: PathLike, *, directories: Sequence[PathLike] | None = None) -> Path:
    """Write `output`, an HDF5 file that points into the sub-files of the array or group at `path`.

    It shows the generation of now: after a rewrite, link again, or create the dataset with `hdf5=True`. Refuses
    compressed variables, for HDF5's external storage is a list of plain bytes.
    """
    store = Store(Path(path), tuple(Path(folder) for folder in directories or ()))
    if read_metadata(store).startswith(MAGIC):
        with open_group(None, store.path, directories=store.directories or None) as group:
            content = group.hdf5_content()
    else:
        metadata = load_metadata(store)
        content = array_hdf5(metadata, store.or_stored(metadata.directories))
    target = Path(output)
    part = target.with_name(f".{target.name}.part")
    try:
        part.write_bytes(content)
        part.replace(target)
    except OSError as error:
        raise OutputError(f"cannot write: {error.strerror or error}", at=str(target)) from error
    finally:
        part.unlink(missing_ok=True)
    return target
