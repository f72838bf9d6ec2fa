"""The metadata of a group of variables, and the index of each of its steps; read as if by an enemy's hand.

The group's file names dimensions, variables and steps; where the chunks of a step lie is in an index file of its own,
which never changes, so that a step costs the same however many came before.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, TypeVar

import msgspec
import numpy as np
import xxhash

from striate.errors import DamageError, DatasetError
from striate.runtime.plan.grid import Grid, known_grid
from striate.runtime.store.dtypes import dtype_from_description
from striate.runtime.store.metadata import (
    MOST_LISTED,
    MOST_SERVERS,
    Chunks,
    SubFile,
    check_alignment,
    check_chunks,
    check_directory_names,
    check_subfile,
)
from striate.units import LARGEST

MAGIC = b"striate group "
VERSION = 1
MOST_STEPS = 10**7
MOST_VARIABLES = 4096
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,127}")

Number = int | float


class VariableEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One variable: its type, its dimensions by name, and what others should know of it."""

    name: str
    dtype: Any
    dimensions: list[str]
    coordinate: bool
    codec: list[dict[str, Any]]
    attributes: dict[str, Any]
    chunk_elements: int = 0  # of a ragged variable: a list for every row

    def numpy_dtype(self) -> np.dtype[Any]:
        """The type of an element."""
        return self._kind

    @cached_property
    def _kind(self) -> np.dtype[Any]:
        return dtype_from_description(self.dtype)


class Rows(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the rows along a leading dimension are stored: in chunks, dealt to the servers in blocks."""

    chunk_rows: int
    block_chunks: int


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step: the generation that wrote it, its index file's size and checksum, one number per scalar variable."""

    generation: int
    bytes: int
    checksum: str
    scalars: dict[str, Number]


class RaggedTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lists of a ragged variable, one after another in the order of rows."""

    elements: int
    chunks: Chunks


class StepIndex(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the chunks of a step lie: of each growing variable in turn, then of each ragged one."""

    subfiles: list[SubFile]
    chunks: Chunks
    ragged: dict[str, RaggedTable] = {}


class GroupMetadata(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, dict=True):
    """All that a reader needs to know of a group, but for the chunks of its steps."""

    version: int
    identity: str
    generation: int
    dimensions: dict[str, int]
    growing: str  # the dimension along which steps are appended; empty for none
    variables: list[VariableEntry]
    attributes: dict[str, Any]
    rows: dict[str, Rows]
    servers: int
    own_directories: bool
    keep: int  # the last steps to keep; 0 for all
    first_step: int
    steps: list[Step]
    subfiles: list[SubFile]  # of the variables that do not grow
    chunks: Chunks
    ragged: dict[str, RaggedTable] = {}  # those that do not grow
    hdf5: bool = False  # an HDF5 reference is made with every commit
    alignment: int = 4096  # bytes, of which each uncompressed chunk begins at a multiple
    directories: list[str] = []  # of the servers, where they have their own: as the last writer knew them

    def grid_of(self, variable: VariableEntry) -> Grid:
        """One variable, or one step of it, as chunks of whole rows."""
        known, grid = self._grids.get(variable.name, (None, None))
        if grid is None or known is not variable:
            grid = self._grid_of(variable)
            self._grids[variable.name] = variable, grid
        return grid

    @cached_property
    def _grids(self) -> dict[str, tuple[VariableEntry, Grid]]:
        return {}

    def _grid_of(self, variable: VariableEntry) -> Grid:
        names = [name for name in variable.dimensions if name != self.growing]
        shape = tuple(self.dimensions[name] for name in names)
        rows = self.rows[names[0]].chunk_rows
        return known_grid(
            shape, variable.numpy_dtype().itemsize, (rows, *(max(1, part) for part in shape[1:]))
        )

    def grows(self, variable: VariableEntry) -> bool:
        """True when the variable has a value for every step."""
        return bool(self.growing) and variable.dimensions[:1] == [self.growing]

    def is_scalar(self, variable: VariableEntry) -> bool:
        """True for a single number for every step."""
        return variable.dimensions == [self.growing]

    def stored(self, *, growing: bool) -> tuple[VariableEntry, ...]:
        """The variables that have chunks, in order: those that grow, or those that do not."""
        return self._stored[growing]

    @cached_property
    def _stored(self) -> tuple[tuple[VariableEntry, ...], tuple[VariableEntry, ...]]:
        fixed = [one for one in self.variables if not self.is_scalar(one) and not one.chunk_elements]
        grown = tuple(one for one in fixed if self.grows(one))
        return tuple(one for one in fixed if not self.grows(one)), grown

    def chunk_count(self, *, growing: bool) -> int:
        """Chunks of all variables of fixed size that grow, or of those that do not."""
        return sum(self.grid_of(variable).chunks for variable in self.stored(growing=growing))

    @cached_property
    def entries(self) -> dict[str, VariableEntry]:
        """The variables by name."""
        return {variable.name: variable for variable in self.variables}

    def ragged_entries(self, *, growing: bool) -> list[VariableEntry]:
        """The ragged variables, in order: those that grow, or those that do not."""
        return [entry for entry in self.variables if entry.chunk_elements and self.grows(entry) == growing]


def ragged_grid(entry: VariableEntry, elements: int) -> Grid:
    """The lists of a ragged variable as one row of chunks."""
    return Grid((elements,), entry.numpy_dtype().itemsize, (entry.chunk_elements,))


def count_name(name: str) -> str:
    """The variable with the lengths of a ragged one's lists."""
    return f"{name}_count"


def start_name(name: str) -> str:
    """The variable that tells where a ragged one's lists begin."""
    return f"{name}_start"


def element_name(name: str) -> str:
    """The dimension along which the lists lie."""
    return f"{name}_element"


def coordinates(metadata: GroupMetadata) -> dict[str, str]:
    """The attribute by which readers know the coordinates."""
    names = [entry.name for entry in metadata.variables if entry.coordinate]
    return {"coordinates": " ".join(names)} if names else {}


def index_name(identity: str, generation: int) -> str:
    """The name of the index file of the step that a generation wrote."""
    return f"{identity}-{generation:08d}.index"


def encode_group(metadata: GroupMetadata) -> bytes:
    """The bytes of the metadata file."""
    body = msgspec.json.encode(metadata) + b"\n"
    return _heading(body) + body


def decode_group(content: bytes, source: str) -> GroupMetadata:
    """The metadata in `content`, checked; raises DamageError for other bytes, DatasetError for a wrong meaning."""
    heading, newline, body = content.partition(b"\n")
    if content.startswith(b"striate dataset "):
        raise DatasetError("expected a group of variables, found a single array: use `open`", source=source)
    if not content.startswith(MAGIC) or not newline:
        raise DamageError("expected the metadata of a Striate group, found other bytes", source=source)
    if heading + newline != _heading(body):
        raise DamageError("the group's metadata is damaged: its checksum differs", source=source)
    metadata = _decoded(body, GroupMetadata, source)
    try:
        _check(metadata)
    except DatasetError as error:
        raise error.in_source(source) from None
    return metadata


def encode_index(index: StepIndex) -> bytes:
    return msgspec.json.encode(index) + b"\n"


def decode_index(content: bytes, step: Step, metadata: GroupMetadata, source: str) -> StepIndex:
    """The index of a step, checked against what the group's metadata says of it."""
    if len(content) != step.bytes or xxhash.xxh3_128_hexdigest(content) != step.checksum:
        raise DamageError(
            "the index (list of chunks) of one of the group's steps is damaged: its checksum differs",
            source=source,
        )
    index = _decoded(content, StepIndex, source)
    try:
        _check_table(metadata, index, growing=True)
    except DatasetError as error:
        raise error.in_source(source) from None
    return index


Kind = TypeVar("Kind")


def _decoded(content: bytes, kind: type[Kind], source: str) -> Kind:
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise DatasetError(str(error), source=source) from None


def _heading(body: bytes) -> bytes:
    return MAGIC + b"%d %s %d\n" % (VERSION, xxhash.xxh3_128_hexdigest(body).encode(), len(body))


def _check(metadata: GroupMetadata) -> None:
    if metadata.version != VERSION:
        raise DatasetError(f"expected version {VERSION}, got {metadata.version}", at="$.version")
    if not re.fullmatch(r"[0-9a-f]{16}", metadata.identity):
        raise DatasetError(
            f"expected the identity in the group's metadata as 16 hexadecimal digits, got {metadata.identity!r:.60}",
            at="$.identity",
        )
    if not 1 <= metadata.servers <= MOST_SERVERS or not 0 <= metadata.generation < 10**8:
        raise DatasetError(
            f"expected 1 to {MOST_SERVERS} servers in the group's metadata and 0 to 10^8 - 1 completed writes "
            f"(the generation), got {metadata.servers!s:.30} servers and generation {metadata.generation!s:.30}",
            at="$.servers",
        )
    if not 0 <= metadata.first_step <= MOST_STEPS or metadata.keep < 0 or len(metadata.steps) > MOST_STEPS:
        raise DatasetError(
            f"expected in the metadata of this group of variables a first step from 0 to {MOST_STEPS}, `keep` "
            f"(how many of the last steps are kept) of 0 or more and at most {MOST_STEPS} steps, got the first "
            f"step {metadata.first_step!s:.30}, `keep` {metadata.keep!s:.30} and {len(metadata.steps)} steps",
            at="$.steps",
        )
    if not 1 <= len(metadata.variables) <= MOST_VARIABLES:
        raise DatasetError(f"expected 1 to {MOST_VARIABLES} variables", at="$.variables")
    check_alignment(metadata.alignment)
    check_directory_names(metadata.directories, metadata.servers, own=metadata.own_directories)
    _check_dimensions(metadata)
    for number, variable in enumerate(metadata.variables):
        _check_variable(metadata, variable, f"$.variables[{number}]")
    _check_table(metadata, StepIndex(metadata.subfiles, metadata.chunks, metadata.ragged), growing=False)


def _check_dimensions(metadata: GroupMetadata) -> None:
    for name, length in metadata.dimensions.items():
        if not NAME.fullmatch(name) or not 0 <= length <= LARGEST:
            raise DatasetError(
                f"expected in the group's metadata a dimension with a valid name and length, "
                f"got {name!r:.60}: {length}",
                at="$.dimensions",
            )
    for name, rows in metadata.rows.items():
        if name not in metadata.dimensions or min(rows.chunk_rows, rows.block_chunks) < 1:
            raise DatasetError(
                f"expected in the group's metadata chunks of at least one row of a known dimension, got {name!r:.60}",
                at="$.rows",
            )


def _check_variable(metadata: GroupMetadata, variable: VariableEntry, at: str) -> None:
    names = [name for name in variable.dimensions if name != metadata.growing]
    variable.numpy_dtype()
    if not NAME.fullmatch(variable.name) or any(name not in metadata.dimensions for name in names):
        raise DatasetError(
            f"expected in the group's metadata a variable with a valid name and known dimensions, "
            f"got {variable.name!r:.60}",
            at=at,
        )
    if names and names[0] not in metadata.rows:
        raise DatasetError(
            f"expected in the group's metadata chunks of rows along the dimension {names[0]!r:.60}, found none",
            at=at,
        )
    if not 0 <= variable.chunk_elements <= LARGEST // 2**31:
        raise DatasetError("expected chunks of elements", at=at)
    if variable.chunk_elements:
        _check_ragged(metadata, variable, at)
    if not names and not metadata.is_scalar(variable):
        raise DatasetError("expected one dimension at least", at=at)


def _check_ragged(metadata: GroupMetadata, variable: VariableEntry, at: str) -> None:
    """Its lists' lengths and beginnings are variables of their own."""
    entries = {entry.name: entry for entry in metadata.variables}
    for name in (count_name(variable.name), start_name(variable.name)):
        found = entries.get(name)
        fits = found is not None and found.dimensions == variable.dimensions and not found.chunk_elements
        if found is None or not fits or found.numpy_dtype() != np.int64:
            raise DatasetError(
                f"expected in the group's metadata a variable {name!r:.60} of int64 along the dimensions of the ragged "
                f"variable {variable.name!r:.60}, found no such variable",
                at=at,
            )


def _check_table(metadata: GroupMetadata, index: StepIndex, *, growing: bool) -> None:
    for number, subfile in enumerate(index.subfiles):
        check_subfile(metadata.identity, metadata.servers, subfile, f"$.subfiles[{number}]")
    grids = [metadata.grid_of(variable) for variable in metadata.stored(growing=growing)]
    raw = [not variable.codec for variable in metadata.stored(growing=growing)]
    _check_chunks(index.chunks, index.subfiles, grids, raw)
    known = {entry.name: entry for entry in metadata.ragged_entries(growing=growing)}
    for name, one in index.ragged.items():
        if name not in known or not 0 <= one.elements <= LARGEST:
            raise DatasetError(
                f"expected in the group's metadata a known ragged variable with 0 or more elements, got {name!r:.60}",
                at="$.ragged",
            )
        grid = ragged_grid(known[name], one.elements)
        _check_chunks(one.chunks, index.subfiles, [grid], [not known[name].codec])


def _check_chunks(chunks: Chunks, subfiles: list[SubFile], grids: list[Grid], raw: list[bool]) -> None:
    total = sum(grid.chunks for grid in grids)
    if total > MOST_LISTED:
        raise DatasetError(
            f"expected at most {MOST_LISTED} chunks in the group's metadata, got {total}", at="$.chunks"
        )
    sizes = np.repeat([grid.chunk_bytes for grid in grids], [grid.chunks for grid in grids]).tolist()
    plain = np.repeat(np.array(raw, bool), [grid.chunks for grid in grids]).tolist()
    check_chunks(chunks, subfiles, sizes, plain)
