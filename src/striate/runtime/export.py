"""Export: a dataset turned into one file or store that other programs know, piece by piece."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from striate.errors import DatasetError, OutputError
from striate.runtime.serial import SerialDataset
from striate.runtime.store.dtypes import flat_dtype

SUFFIXES = (".npy", ".h5", ".zarr")

Progress = Callable[[int], None]


def export(dataset: SerialDataset, output: Path, *, progress: Progress = lambda rows: None) -> None:
    """Write the whole dataset to `output`; its suffix says how. Appears complete or not at all."""
    writers = {".npy": _to_npy, ".h5": _to_hdf5, ".zarr": _to_zarr}
    if output.suffix not in writers:
        raise DatasetError(f"expected an output ending in {', '.join(SUFFIXES)}, got {output.name!r}")
    write_whole(output, lambda part: writers[output.suffix](dataset, part, progress))


def write_whole(output: Path, write: Callable[[Path], None]) -> None:
    """What `write` puts at another path appears at `output`, complete or not at all."""
    try:
        with TemporaryDirectory(
            prefix=f".{output.name}.", dir=output.parent
        ) as folder:  # a name nobody can guess
            part = Path(folder) / output.name
            write(part)
            _remove(output)
            part.replace(output)
    except OSError as error:
        raise OutputError(f"cannot write: {error.strerror or error}", at=str(output)) from error


def _to_npy(dataset: SerialDataset, path: Path, progress: Progress) -> None:
    target = np.lib.format.open_memmap(path, mode="w+", dtype=dataset.dtype, shape=dataset.shape)
    _copy(dataset, target, progress)
    target.flush()


def _to_hdf5(dataset: SerialDataset, path: Path, progress: Progress) -> None:
    with library("h5py").File(path, "w") as file:
        _copy(dataset, file.create_dataset("data", dataset.shape, dataset.dtype), progress)


def _to_zarr(dataset: SerialDataset, path: Path, progress: Progress) -> None:
    kind = flat_dtype(dataset.dtype)
    zero = np.zeros((), kind)[()]
    target = library("zarr").open_array(
        str(path), mode="w", shape=dataset.shape, dtype=kind, zarr_format=2, fill_value=zero
    )
    for part, values in dataset.pieces():
        target[part] = values.view(kind)
        progress(part.stop - part.start)


def _copy(dataset: SerialDataset, target: Any, progress: Progress) -> None:
    for part, values in dataset.pieces():
        target[part] = values
        progress(part.stop - part.start)


def library(name: str) -> Any:
    """The package that writes the output; refuses where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        raise DatasetError(
            f"expected the package {name}, which this output needs; it is not installed: pip install 'striate[export]'"
        ) from None


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
