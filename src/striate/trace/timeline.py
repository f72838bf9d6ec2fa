"""`Timeline`: start and end of every operation on every resource, observed or simulated - one schema for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import TraceError
from striate.whole_file import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "striate.timeline/1"
_COLUMNS = (
    ("resource", "int32"),
    ("state", "int32"),
    ("start", "int64"),
    ("end", "int64"),
    ("bytes", "int64"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """One row a bar: which resource was in which state from `start` to `end` (picoseconds), moving `bytes`."""

    resources: tuple[str, ...]  # "rank 0", "server 3", "disk 3.0", "link 12"
    states: tuple[str, ...]  # "compute", "write_all", "seek"
    resource: NDArray[np.int32]
    state: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    bytes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start)

    @property
    def seconds(self) -> float:
        """From the first start to the last end."""
        return (int(self.end.max()) - int(self.start.min())) / 1e12 if len(self) else 0.0

    def busy_seconds(self) -> NDArray[np.float64]:
        """Seconds that the bars of each resource add up to."""
        busy = np.bincount(self.resource, (self.end - self.start) / 1e12, len(self.resources))
        return busy.astype(np.float64)

    def to_arrow(self) -> pa.Table:
        """One Arrow table: plain columns, names as dictionaries."""
        import pyarrow as pa

        columns: dict[str, Any] = {
            "resource": pa.DictionaryArray.from_arrays(pa.array(self.resource), _strings(self.resources)),
            "state": pa.DictionaryArray.from_arrays(pa.array(self.state), _strings(self.states)),
        }
        columns |= {name: pa.array(getattr(self, name)) for name in ("start", "end", "bytes")}
        return pa.table(columns).replace_schema_metadata({"striate": SCHEMA})

    @classmethod
    def from_arrow(cls, table: pa.Table, *, source: str | None = None) -> Timeline:
        """Read what `to_arrow` made; raises TraceError on anything else."""
        found = (table.schema.metadata or {}).get(b"striate", b"").decode(errors="replace")
        if found != SCHEMA or table.column_names != [name for name, _ in _COLUMNS]:
            raise TraceError(f"expected a timeline ({SCHEMA}), got {found or 'another table'}", source=source)
        for name, _ in _COLUMNS:
            _check_column(table.column(name), name, source)
        table = table.unify_dictionaries().combine_chunks()
        resource, state = (_indexed(table.column(name)) for name in ("resource", "state"))
        start, end, size = (table.column(name).to_numpy() for name in ("start", "end", "bytes"))
        if table.num_rows and (start > end).any():
            raise TraceError("expected start <= end in every row", at="column end", source=source)
        return cls(resource[0], state[0], resource[1], state[1], start, end, size)

    def save(self, path: str | Path) -> None:
        """Write one Parquet file."""
        import pyarrow.parquet as pq

        with whole_file(Path(path)) as place:
            pq.write_table(self.to_arrow(), place, compression="zstd")

    @classmethod
    def load(cls, path: str | Path) -> Timeline:
        """Read what `save` wrote."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with Path(path).open("rb") as file:
                table = pq.read_table(file)
        except pa.ArrowException:
            raise TraceError("expected a timeline, found no Parquet file", source=str(path)) from None
        except OSError as error:
            raise TraceError(f"cannot read: {error.strerror or error}", source=str(path)) from None
        return cls.from_arrow(table, source=str(path))


def _check_column(column: Any, name: str, source: str | None) -> None:
    import pyarrow as pa

    named = name in ("resource", "state")
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    sound = pa.types.is_string(kind) if named else column.type == pa.int64()
    if not sound or column.null_count:
        wanted = "names" if named else "whole numbers"
        raise TraceError(f"expected {wanted}, none missing", at=f"column {name}", source=source)


def _strings(names: Sequence[str]) -> pa.Array:
    import pyarrow as pa

    return pa.array(list(names), pa.string())


def _indexed(column: Any) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    import pyarrow as pa

    array = column.chunk(0) if column.num_chunks else pa.array([], pa.dictionary(pa.int32(), pa.string()))
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    return tuple(array.dictionary.to_pylist()), array.indices.to_numpy().astype(np.int32)
