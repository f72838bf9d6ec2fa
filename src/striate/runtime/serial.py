"""Reading without MPI: a dataset as one process sees it, indexed as NumPy indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from striate import units
from striate.errors import DatasetError
from striate.runtime.dataset import Dataset
from striate.runtime.front import PathLike
from striate.runtime.front import open as open_dataset


class SerialDataset:
    """`dataset[where]` for indices or slices; every byte that is read is checked."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset

    @property
    def shape(self) -> tuple[int, ...]:
        """Lengths of the axes."""
        return self._dataset.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._dataset.dtype

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, where: Any) -> npt.NDArray[Any]:
        if isinstance(where, int | np.integer):
            return self._dataset.read_all((int(where),))
        return self._dataset.read_all(where)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.asarray(self[...], dtype)

    def pieces(self, most: units.Quantity = "64 MiB") -> Iterator[tuple[slice, npt.NDArray[Any]]]:
        """The array in order, as parts along the first axis of at most `most` bytes or one row."""
        row_bytes = max(1, self.dtype.itemsize * int(np.prod(self.shape[1:], dtype=object)))
        rows = max(1, units.size(most) // row_bytes)
        for first in range(0, len(self), rows):
            part = slice(first, min(first + rows, len(self)))
            yield part, self[part]

    def close(self) -> None:
        """Close the files."""
        self._dataset.close()

    def __enter__(self) -> SerialDataset:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_serial(
    path: PathLike, *, directories: Sequence[PathLike] | None = None, codecs: Sequence[str] = ()
) -> SerialDataset:
    """The dataset at `path`, whoever wrote it, read by this process alone; MPI is not needed."""
    try:
        return SerialDataset(open_dataset(None, path, directories=directories, codecs=codecs))
    except MemoryError:
        raise DatasetError(
            "the dataset is too large for the memory of this machine", source=str(path)
        ) from None
