"""`Application`: one MPI program table with the communicators, files and byte runs it names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from striate.errors import LayoutError, WorkloadError
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.extent_lists import ExtentLists
from striate.layout.layout import Layout
from striate.layout.parse import parse
from striate.workload.collective_io import parse_collective
from striate.workload.program import Int64s, ProgramTable

WORLD = "world"


@dataclass(frozen=True, slots=True, eq=False)
class Communicator:
    """A family of disjoint groups, as one MPI_Comm_split makes: ranks of equal colour communicate.

    `color` is None for the world; a negative colour marks a rank outside. Within a group ranks are ordered by
    `key`, or by their world rank where that is None.
    """

    name: str
    color: Int64s | None = None
    key: Int64s | None = None


@dataclass(frozen=True, slots=True)
class File:
    """`count` files numbered from `first`; with more than one, `{}` in the name stands for the number.

    Files begin on one server after the other: server s of the layout of file f is server f + s (modulo their number)
    of the cluster.
    """

    name: str
    first: int
    count: int = 1
    layout: str | None = None  # the text of a layout; None: the cluster's default stripe
    collective: str | None = None  # how collective calls access it; None: as the cluster does


def layout_text(layout: Layout | str | None, name: str) -> str | None:
    """The layout of the file `name` as text; refuses text that names none."""
    if layout is None or isinstance(layout, Layout):
        return None if layout is None else str(layout)
    try:
        return str(parse(layout))
    except LayoutError as error:
        raise WorkloadError(error.message, at=f"file {name!r:.60}") from None


def _fitted(text: str | None, servers: int) -> str | None:
    layout = None if text is None else parse(text)
    if layout is None or layout.servers <= servers:
        return text
    return str(SimpleStripe(servers, layout.unit)) if isinstance(layout, SimpleStripe) else None


def collective_text(method: str | None, name: str) -> str | None:
    """The method of collective access to the file `name` as text; refuses text that names none."""
    if method is None:
        return None
    try:
        return str(parse_collective(method))
    except WorkloadError as error:
        raise WorkloadError(error.message, at=f"file {name!r:.60}") from None


@dataclass(frozen=True, slots=True, eq=False)
class Application:
    """What one MPI program asks for, without times."""

    name: str
    programs: ProgramTable
    communicators: tuple[Communicator, ...] = (Communicator(WORLD),)
    files: tuple[File, ...] = ()
    regions: tuple[str, ...] = ()
    extents: ExtentLists = field(default_factory=lambda: ExtentLists.of([]))
    # alltoallv: bytes from each rank (row) to each rank (column); a rank's operand names the matrix of its row.
    # reduce_scatter: bytes for each rank (column).
    counts: tuple[Int64s, ...] = ()
    algorithms: tuple[str, ...] = ()  # of collectives, those that calls name
    start_picoseconds: int = 0  # when it begins, beside the other applications
    reused_buffer: int | None = None  # bytes of the one buffer per rank of all its accesses; None: not known

    @property
    def ranks(self) -> int:
        return self.programs.ranks

    @property
    def file_count(self) -> int:
        return self.files[-1].first + self.files[-1].count if self.files else 0

    def file_name(self, number: int) -> str:
        """The name of file `number`."""
        at = bisect_right(self.files, number, key=lambda file: file.first) - 1
        if at >= 0 and number < self.files[at].first + self.files[at].count:
            file = self.files[at]
            return file.name.replace("{}", str(number - file.first)) if file.count > 1 else file.name
        raise WorkloadError(
            f"expected a file number below {self.file_count}, the number of files of the program, got {number}"
        )

    def with_layouts(self, layouts: Mapping[str, Layout | str | None]) -> Application:
        """The same with other layouts for the files named; refuses names of no file."""
        self._refuse_unknown(layouts)
        texts = {name: layout_text(layout, name) for name, layout in layouts.items()}
        files = (replace(file, layout=texts.get(file.name, file.layout)) for file in self.files)
        return replace(self, files=tuple(files))

    def with_collective(self, methods: Mapping[str, str | None]) -> Application:
        """The same with other methods of collective access to the files named; refuses names of no file."""
        self._refuse_unknown(methods)
        texts = {name: collective_text(method, name) for name, method in methods.items()}
        files = (replace(file, collective=texts.get(file.name, file.collective)) for file in self.files)
        return replace(self, files=tuple(files))

    def fitted(self, servers: int) -> Application:
        """The same with simple stripes over at most `servers` servers; itself where they already are."""
        files = tuple(replace(file, layout=_fitted(file.layout, servers)) for file in self.files)
        return self if files == self.files else replace(self, files=files)

    def _refuse_unknown(self, names: Iterable[str]) -> None:
        known = {file.name for file in self.files}
        for name in names:
            if name not in known:
                raise WorkloadError(
                    f"expected the name of a file of the program {self.name!r:.60}, got {name!r:.60}"
                )

    def groups(self, communicator: int) -> Groups:
        """The groups of ranks of `communicator`."""
        return Groups.of(self.communicators[communicator], self.ranks)


def largest_reused(applications: Iterable[Application]) -> int | None:
    """Bytes of the largest buffer that ranks use again and again; None where not all applications say theirs."""
    sizes = [one.reused_buffer for one in applications]
    known = [size for size in sizes if size is not None]
    return max(known) if known and len(known) == len(sizes) else None


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """A communicator spelt out: group and position of every rank, and the members of each group in order."""

    group: NDArray[np.int64]  # per rank, -1 outside
    position: NDArray[np.int64]  # per rank: its rank inside the group
    first: NDArray[np.int64]  # per group, and one past the end
    member: NDArray[np.int64]  # world ranks, group by group, in order

    @classmethod
    def of(cls, communicator: Communicator, ranks: int) -> Groups:
        everyone = np.arange(ranks, dtype=np.int64)
        if communicator.color is None:
            return cls(np.zeros(ranks, np.int64), everyone, np.array([0, ranks]), everyone)
        inside = np.flatnonzero(communicator.color >= 0)
        _, group_of_inside = np.unique(communicator.color[inside], return_inverse=True)
        key = inside if communicator.key is None else communicator.key[inside]
        order = np.lexsort((inside, key, group_of_inside))
        member = inside[order].astype(np.int64)
        sizes = np.bincount(group_of_inside)
        first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        group = np.full(ranks, -1, np.int64)
        group[inside] = group_of_inside
        position = np.zeros(ranks, np.int64)
        position[member] = np.arange(len(member)) - np.repeat(first[:-1], sizes)
        return cls(group, position, first, member)

    def size(self, ranks: Int64s) -> Int64s:
        """How many ranks the group of each of `ranks` has (0 outside)."""
        group = self.group[ranks]
        sizes = np.append(np.diff(self.first), 0)
        return np.asarray(sizes[group], np.int64)

    def world(self, ranks: Int64s, positions: Int64s | int) -> Int64s:
        """The world rank that stands at `positions` in the group of each of `ranks`."""
        return np.asarray(self.member[self.first[self.group[ranks]] + positions], np.int64)


def color_column(name: str, colors: object, ranks: int) -> Int64s:
    """Read a communicator's colours; refuses the wrong number of them."""
    try:
        column = np.array(colors, np.int64)
    except (TypeError, ValueError, OverflowError):
        raise WorkloadError(
            f"expected one whole number per rank as colours of a communicator, got {colors!r:.60}", at=name
        ) from None
    if column.shape != (ranks,):
        raise WorkloadError(
            f"expected {ranks} colours, one per rank, got an array of shape {column.shape}",
            at=f"communicator {name!r}",
        )
    return column


def communicator_table(families: Mapping[str, object], ranks: int) -> tuple[Communicator, ...]:
    """The world first, then each family of `families` (name -> colours)."""
    if WORLD in families:
        raise WorkloadError(
            f"expected a communicator with another name than {WORLD!r}, the communicator of all ranks"
        )
    named = (Communicator(name, color_column(name, colors, ranks)) for name, colors in families.items())
    return (Communicator(WORLD), *named)


def expect_ranks(ranks: int) -> None:
    """Refuses what is no number of ranks that MPI could count."""
    if isinstance(ranks, bool) or not isinstance(ranks, int | np.integer):
        raise WorkloadError(f"expected a whole number of ranks, got {ranks!r:.60}")
    if ranks < 1:
        raise WorkloadError(f"expected at least 1 rank, got {ranks}")
    if ranks >= 2**31:
        raise WorkloadError(f"expected fewer than 2^31 ranks, the limit of MPI, got {ranks}")
