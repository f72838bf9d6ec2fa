"""`Trace`: what a program did - one row per operation, with times."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from striate.arrow import as_numpy, taken
from striate.errors import TraceError
from striate.layout.extent_lists import ExtentLists
from striate.trace.analysis.span import run_span
from striate.trace.header import SIMULATED, Header
from striate.trace.kinds import KINDS, LEVELS, RANK_LEVELS
from striate.trace.occupancy import checked as checked_occupancy
from striate.trace.occupancy import no_occupancy
from striate.trace.records import Tables
from striate.trace.records import checked as checked_records
from striate.trace.resources import checked, no_samples, use
from striate.units import Quantity, counted, seconds

if TYPE_CHECKING:
    from striate.trace.analysis.summary import Summary


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Trace:
    """Operations in the order (rank, start), and what they refer to. Times are nanoseconds since `header.started`.

    A simulated trace also tells, at levels of their own, what servers, the network and disks did.
    """

    table: pa.Table
    header: Header
    lists: ExtentLists = field(default_factory=ExtentLists.of)
    samples: pa.Table = field(default_factory=no_samples)  # of the hosts' counters
    records: Tables = field(default_factory=dict)  # what a profiler counted of the whole run, by module
    occupancy: pa.Table = field(default_factory=no_occupancy)  # by servers of a simulation, over time

    @classmethod
    def of(
        cls,
        table: pa.Table,
        header: Header,
        lists: ExtentLists | None = None,
        samples: pa.Table | None = None,
        records: Tables | None = None,
        occupancy: pa.Table | None = None,
    ) -> Trace:
        """Sort the rows and check that they are consistent; raises TraceError where they are not."""
        from striate.trace.validate import validate

        seen = no_samples() if samples is None else checked(samples, len(header.hosts))
        counted_ = checked_records(records or {}, files=len(header.files), ranks=header.ranks)
        kept = no_occupancy() if occupancy is None else checked_occupancy(occupancy)
        trace = cls(_ordered(table), header, lists or ExtentLists.of(), seen, counted_, kept)
        validate(trace)
        return trace

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __repr__(self) -> str:
        name = (self.header.program or self.header.source)[:60]
        return f"Trace({name}, {counted(self.ranks, 'rank')}, {counted(len(self), 'operation')})"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from html import escape

        return f"<pre>{escape(str(self.info()))}</pre>"

    @property
    def ranks(self) -> int:
        return self.header.ranks

    @property
    def is_simulated(self) -> bool:
        """Whether its times come from a simulation."""
        return self.header.source.startswith(SIMULATED)

    def column(self, name: str) -> NDArray[Any]:
        """A column as NumPy; `level`, `kind` and `function` as codes into their words."""
        column = self.table.column(name)
        if pa.types.is_dictionary(column.type):
            column = pa.chunked_array([chunk.indices for chunk in column.chunks], column.type.index_type)
        return as_numpy(column)

    def functions(self) -> list[str]:
        """The words that the codes of `function` stand for."""
        chunks = self.table.column("function").chunks
        return list(chunks[0].dictionary.to_pylist()) if chunks else [""]

    def of_kind(self, *kinds: str) -> NDArray[np.bool_]:
        """Which rows are of one of these kinds."""
        return _among(self.column("kind"), KINDS, kinds)

    def at_level(self, *levels: str) -> NDArray[np.bool_]:
        """Which rows were seen at one of these levels."""
        return _among(self.column("level"), LEVELS, levels)

    @property
    def seconds(self) -> float:
        """How long the run took, as `striate.trace.analysis.span` defines it."""
        first, last = run_span(self)
        return (last - first) / 1e9

    def where(self, rows: NDArray[Any]) -> Trace:
        """The rows chosen, by booleans or ascending indices; without counters, which describe the whole run."""
        indices = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        return replace(self, table=taken(self.table, indices), records={}, occupancy=no_occupancy())

    def of_ranks(self) -> Trace:
        """The rows of ranks alone, without what servers, links and disks did for them."""
        own = self.at_level(*RANK_LEVELS)
        return self if own.all() else self.where(own)

    def select(
        self,
        *,
        ranks: int | Sequence[int] | None = None,
        files: str | Sequence[str] | None = None,
        kinds: str | Sequence[str] | None = None,
        levels: str | Sequence[str] | None = None,
        region: str | None = None,
        between: tuple[Quantity, Quantity] | None = None,
    ) -> Trace:
        """The rows that meet every condition given; `between` is two times from the start: (0.5, "600 ms").

        Raises TraceError for a kind, level, file or region that the trace cannot have.
        """
        keep = np.ones(len(self), bool)
        if ranks is not None:
            keep &= np.isin(self.column("rank"), np.atleast_1d(ranks))
        if files is not None:
            keep &= np.isin(self.column("file"), self._numbers(_listed(files)))
        if kinds is not None:
            keep &= self.of_kind(*_known(_listed(kinds), KINDS, "kind"))
        if levels is not None:
            keep &= self.at_level(*_known(_listed(levels), LEVELS, "level"))
        if region is not None:
            (known,) = _known([region], self.header.regions, "region")
            keep &= self.column("region") == self.header.regions.index(known)
        if between is not None:
            low, high = (round(seconds(time) * 1e9) for time in between)
            if low > high:
                raise TraceError(f"expected two times, the earlier first, got {between!r:.60}", at="between")
            keep &= (self.column("end") >= low) & (self.column("start") <= high)
        return self.where(keep)

    def _numbers(self, names: Sequence[str]) -> list[int]:
        """Files by their whole name, or by the last part of it."""
        found = []
        for name in names:
            matches = [
                i for i, file in enumerate(self.header.files) if name in (file.name, Path(file.name).name)
            ]
            if not matches:
                near = difflib.get_close_matches(name, [Path(file).name for file in self.file_names()], n=3)
                hint = f"; did you mean {', '.join(near)}?" if near else ""
                count = len(self.header.files)
                raise TraceError(f"no file {name!r} among the {count} files of this trace{hint}")
            found += matches
        return found

    def file_names(self) -> list[str]:
        return [file.name for file in self.header.files]

    def info(self) -> Summary:
        """A summary on one screen; `print(trace.info())`."""
        from striate.trace.analysis.summary import summarise

        return summarise(self)

    def per_file(self) -> pa.Table:
        """One row per file: operations, bytes, seconds, ranks."""
        from striate.trace.analysis.tables import per_file

        return per_file(self)

    def per_rank(self) -> pa.Table:
        """One row per rank: operations, bytes, seconds in I/O and in messages."""
        from striate.trace.analysis.tables import per_rank

        return per_rank(self)

    def per_phase(self) -> pa.Table:
        """One row per interval of I/O: when, how much, by how many ranks."""
        from striate.trace.analysis.tables import per_phase

        return per_phase(self)

    def resources(self) -> pa.Table:
        """One row per host and interval between two samples: shares of its CPUs, memory, bytes of network and disk.

        Empty when the program was not traced with `--sample`.
        """
        return use(self.samples, self.header.hosts)

    def to_arrow(self) -> pa.Table:
        """One Arrow table with names in place of numbers for files, communicators and regions."""
        from striate.trace.names import named

        return named(self)

    def to_pandas(self) -> Any:
        """The table of `to_arrow` as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def save(self, path: str | Path) -> None:
        """Write one Parquet file; replaces an existing one only when the new one is whole."""
        from striate.trace.save import write

        write(self, Path(path))


def _among(codes: NDArray[Any], words: Sequence[str], chosen: Sequence[str]) -> NDArray[np.bool_]:
    """Which codes stand for one of the words chosen: a table, as there are few words and many codes."""
    table = np.zeros(len(words), bool)
    table[[words.index(word) for word in chosen]] = True
    return np.asarray(table[codes])


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _known(asked: Sequence[str], words: Sequence[str], what: str) -> Sequence[str]:
    for word in asked:
        if word not in words:
            raise TraceError(f"expected a {what} such as {', '.join(words[:8]) or 'none'}, got {word!r}")
    return asked


def _ordered(table: pa.Table) -> pa.Table:
    """By rank, then start, longer ones first, so that what contains comes before what is contained."""
    rank, start, end = (as_numpy(table.column(name)) for name in ("rank", "start", "end"))
    order = np.lexsort((-end, start, rank))
    if (order[1:] > order[:-1]).all():
        return table.combine_chunks()
    return taken(table, order)
