"""A group of variables: written together, in one step, by one schedule; time steps are appended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DatasetError, StriateError
from striate.runtime.move.communicator.collective import Collective
from striate.runtime.move.groups.brought import Brought
from striate.runtime.move.groups.commit import clean_group, commit_group, remove_files, with_static, with_step
from striate.runtime.move.groups.memory import GroupMemory
from striate.runtime.move.groups.reading import GroupReading
from striate.runtime.move.groups.row_schedule import RowSchedule, build_rows
from striate.runtime.move.groups.state import GroupState
from striate.runtime.move.groups.steps import StepIndexes, find_step, kept_steps
from striate.runtime.move.groups.writing import GroupWriting
from striate.runtime.move.session import CHANGED, FRESH
from striate.runtime.move.snapshot import newest
from striate.runtime.move.state import State
from striate.runtime.report import Report
from striate.runtime.store.commit import NO_REFERENCES, hdf5_if_possible
from striate.runtime.store.files import MOST_OPEN, SubfileReader
from striate.runtime.store.group_metadata import GroupMetadata, decode_group, index_name
from striate.runtime.store.group_reference import GroupReferences
from striate.runtime.store.group_tables import GroupTables, empty_tables, static_tables, tables_of
from striate.runtime.store.hdf5_reference import FILE_NAME as HDF5_NAME
from striate.runtime.store.hdf5_reference import group_hdf5
from striate.runtime.store.metadata import SubFile

MOST_REFERENCED = 20_000  # chunks of all steps; beyond, the reference is written when the group is closed
Bytes = npt.NDArray[np.uint8]


class VariableGroup:
    """Named variables over named dimensions; made by `create_group` or `open_group`.

    `write_all`, `append_all`, `read_all`, `schedule`, `refresh` and `close` are collective. What one call writes is
    part of the group in one step, however many variables that are. Readers go on with the generation that they opened.
    """

    def __init__(self, state: GroupState) -> None:
        self._state = state
        self.files = SubfileReader(state.setting.store)
        self._indexes = StepIndexes()
        self._memory = GroupMemory(state.setting.node, state.ranks)
        self._reference = GroupReferences()
        self._referenced = True
        self._closed = False
        self.report = Report("open", state.ranks.rank)

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(entry.name for entry in self.metadata.variables)

    @property
    def attributes(self) -> dict[str, Any]:
        """Attributes of the group."""
        return dict(self.metadata.attributes)

    @property
    def dimensions(self) -> dict[str, int]:
        """Lengths of the dimensions; that of the growing one is the number of steps."""
        growing = self.metadata.growing
        return self.metadata.dimensions | ({growing: len(self.metadata.steps)} if growing else {})

    @property
    def steps(self) -> range:
        """The numbers of the steps that are kept."""
        return kept_steps(self.metadata)

    @property
    def generation(self) -> int:
        """How many writes the group has seen."""
        return self.metadata.generation

    def describe(self, name: str) -> dict[str, Any]:
        """Type, dimensions and attributes of a variable."""
        entry = self._state.entry(name)
        return {
            "dtype": entry.numpy_dtype(),
            "dimensions": tuple(entry.dimensions),
            "attributes": dict(entry.attributes),
        }

    def schedule(self, dimension: str, where: Any, *, combine: str = "last") -> RowSchedule:
        """Collective: how the rows `where` along a dimension are written and read, by all variables that have it."""
        with self._call("schedule", dimension, combine):
            pass
        return build_rows(self._state, dimension, where, combine, self._scratch())

    def write_all(self, where: Any, records: Mapping[str, Any], *, combine: str | None = None) -> Report:
        """Collective: rows of variables that do not grow, all at once; `where` is indices, a slice or a schedule."""
        return self._write("write_all", where, records, combine, None)

    def append_all(self, where: Any, records: Mapping[str, Any], **scalars: float) -> Report:
        """Collective: one step more of the variables that grow; the step is stored completely or not at all.

        Rows that nobody names are zero in this step. `scalars` are the numbers of this step, such as `time=0.5`.
        """
        return self._write("append_all", where, records, None, dict(scalars))

    def read_all(
        self, name: str, where: Any = slice(None), *, step: int = -1, out: npt.NDArray[Any] | None = None
    ) -> Any:
        """Collective: rows of a variable, every byte checked; of one that grows, of the given step (-1: the last).

        An array, into `out` when it is given; of a ragged variable a `Ragged`.
        """
        tables = self._read_tables(name, where, step, out)
        entry, report = self._state.entry(name), Report("read", self._state.ranks.rank)
        rows = self._rows_of(name, where, None)
        self._scratch()
        reading = GroupReading(self._state, tables, self._memory, self.files, report)
        result = reading.lists(entry, rows) if entry.chunk_elements else reading.rows(entry, rows, out)
        if len(self.files.descriptors) > MOST_OPEN:
            self.files.close()
        self.report = report
        return result

    def scalar(self, name: str) -> npt.NDArray[Any]:
        """The numbers of a variable that has one for each step, of all steps that are kept."""
        entry = self._state.entry(name)
        if not self.metadata.is_scalar(entry):
            raise DatasetError(f"expected a variable with one number for each step, got {name!r}")
        return np.array([step.scalars.get(name, 0) for step in self.metadata.steps], entry.numpy_dtype())

    def refresh(self) -> bool:
        """Collective: switch to the newest generation on disk; True when that is another one."""
        self._refuse_closed()
        state = self._state
        if not state.committed:
            return False
        content, stamp = newest(state.ranks, state.setting.store)
        with Collective(state.ranks):
            self._state = state.at(decode_group(content, str(state.setting.store.metadata_path)))
        state.setting.session.stamp = stamp
        self.files.hold(self._static_files())
        return self.generation != state.metadata.generation

    def close(self) -> None:
        """Collective: close the files. A group that was created and never written becomes one of zeros."""
        if self._closed:
            return
        try:
            if not self._state.committed:
                self._commit(self.metadata, None)
            elif not self._referenced:
                self._referenced = True
                self._commit(self.metadata, None)
        finally:
            self._release()

    def __enter__(self) -> VariableGroup:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self._release()

    def stored_states(self, findings: list[str]) -> Iterator[tuple[str, State]]:
        """Every variable with its chunks, of every step in turn; an index that cannot be read is a finding."""
        yield from self._state.all_states(static_tables(self.metadata), growing=False).items()
        for number, step in zip(self.steps, self.metadata.steps, strict=True):
            try:
                index = self._indexes.of(self._state, step)
            except StriateError as error:
                findings.append(str(error))
                continue
            tables = tables_of(self.metadata, index, growing=True)
            for name, state in self._state.all_states(tables, growing=True).items():
                yield f"{name}, step {number}", state

    @property
    def metadata(self) -> GroupMetadata:
        """What the group's metadata file says."""
        return self._state.metadata

    def _release(self) -> None:
        self.files.close()
        self._memory.release()
        self._state.setting.session.close()
        self._closed = True

    def _refuse_closed(self) -> None:
        if self._closed:
            raise DatasetError("the group is closed", source=str(self._state.setting.store.path))

    def _call(self, *what: object) -> Collective:
        self._refuse_closed()
        return Collective(self._state.ranks, 0, same={"call and its settings": what})

    def _rows_of(self, name: str, where: Any, combine: str | None) -> RowSchedule:
        """The schedule of `where` for a variable; collective unless it is one already."""
        if isinstance(where, RowSchedule):
            return where
        dimension = self._state.leading(self._state.entry(name))
        return build_rows(self._state, dimension, where, combine or "last", self._scratch())

    def _check_schedule(self, name: str, where: Any, combine: str | None) -> None:
        if isinstance(where, RowSchedule):
            where.check(self._state, self._state.leading(self._state.entry(name)), combine)

    def _read_tables(self, name: str, where: Any, step: int, out: Any) -> GroupTables:
        by = "a schedule" if isinstance(where, RowSchedule) else "places"
        with self._call("read_all", name, by, step):
            entry = self._state.entry(name)
            self._state.leading(entry)
            self._check_schedule(name, where, None)
            if entry.chunk_elements and out is not None:
                raise DatasetError(
                    f"expected no `out` for the ragged variable (rows of several lengths), got one for {name!r}"
                )
            chosen = find_step(self.metadata, step) if self.metadata.grows(entry) else None
        if chosen is None:
            return static_tables(self.metadata)
        return tables_of(self.metadata, self._indexes.of(self._state, chosen), growing=True)

    def _static_files(self) -> list[SubFile]:
        found: dict[str, SubFile] = {}
        if not self.metadata.subfiles:
            return []
        for state in self._state.all_states(static_tables(self.metadata), growing=False).values():
            found |= {subfile.name: subfile for subfile in state.subfiles_we_read()}
        return list(found.values())

    def _scratch(self) -> Bytes:
        """Collective: memory for the windows of the variables of any call; shared where that can be."""
        memory = self._memory.get(self._state.largest_share())
        if memory is None:  # all go on with messages alone
            node = self._state.setting.group.node(False)
            self._state = replace(self._state, setting=replace(self._state.setting, node=node))
            self._memory = GroupMemory(node, self._state.ranks)
            memory = self._memory.get(self._state.largest_share())
        assert memory is not None
        return memory

    # Writing.

    def _write(
        self,
        call: str,
        where: Any,
        records: Mapping[str, Any],
        combine: str | None,
        scalars: dict[str, Any] | None,
    ) -> Report:
        scheduled = isinstance(where, RowSchedule)
        by = where.rows.combine if scheduled else f"places, {combine}"
        session = self._state.setting.session
        try:
            with self._call(call, sorted(records), by, scalars) as meeting:
                names = self._names(records, scalars)
                self._check_schedule(names[0], where, combine)
                if scheduled:
                    brought = Brought(self._state, where, {name: records[name] for name in names})
                    meeting.values[0] = session.begin()
            if not scheduled:
                rows = self._rows_of(names[0], where, combine)
                with Collective(self._state.ranks, 0) as meeting:
                    brought = Brought(self._state, rows, {name: records[name] for name in names})
                    meeting.values[0] = session.begin()
            self._catch_up(meeting.largest[0])
            self._scratch()
            growing = scalars is not None
            old = empty_tables(self.metadata, growing=True) if growing else static_tables(self.metadata)
            writing = GroupWriting(self._state, old, self._memory, self.files, growing=growing)
            try:
                tables = brought.write(writing)
                with writing.report.stage("commit"):
                    self._commit_written(tables, scalars)
            except Exception:
                writing.discard()
                raise
        finally:
            session.end()
        self.report = writing.report
        return writing.report

    def _names(self, records: Mapping[str, Any], scalars: dict[str, Any] | None) -> list[str]:
        """The variables to write, in the group's order; refuses those that do not go together."""
        wanted = (
            "a variable that grows by steps"
            if scalars is not None
            else "a variable that does not grow by steps"
        )
        for name in records:
            entry = self._state.entry(name)
            if self.metadata.grows(entry) != (scalars is not None) or self.metadata.is_scalar(entry):
                raise DatasetError(
                    f"expected {wanted}, with at least one dimension, got the variable {name!r}"
                )
        names = [name for name in self.variables if name in records]
        if len({self._state.leading(self._state.entry(name)) for name in names}) != 1:
            raise DatasetError(f"expected variables with rows along one common dimension, got {names}")
        for name, value in (scalars or {}).items():
            if not self.metadata.is_scalar(self._state.entry(name)) or not np.isfinite(value):
                raise DatasetError(
                    "expected a finite number for a variable with one number per step, "
                    f"got {name} = {value!r:.60}"
                )
        return names

    def _commit_written(self, tables: GroupTables, scalars: dict[str, Any] | None) -> None:
        before = self._state
        if scalars is None:
            self._commit(with_static(before, tables), None)
        else:
            index = tables.index()
            metadata, content = with_step(before, index, scalars)
            self._indexes.known[metadata.generation] = index
            self._commit(metadata, content)
        self._remove_replaced(before)
        self.files.hold(self._static_files())

    def _commit(self, metadata: GroupMetadata, index: bytes | None) -> None:
        state = self._state
        first = not state.committed
        self._state = commit_group(state, metadata, index, self._references(metadata))
        if first:
            clean_group(self._state)

    def hdf5_content(self) -> bytes:
        """Collective: the HDF5 file that points into the sub-files of all variables and steps."""
        indexes = [self._indexes.of(self._state, step) for step in self.metadata.steps]
        return group_hdf5(self.metadata, self._state.setting.store, indexes)

    def _references(self, metadata: GroupMetadata) -> dict[str, bytes | None]:
        """Collective: on rank 0 the references; while there are few chunks with every write, then at the end."""
        options, store = self._state.setting.options, self._state.setting.store
        if not (options.reference or options.hdf5):
            return NO_REFERENCES
        per_step = metadata.chunk_count(growing=True)
        few = per_step * len(metadata.steps) <= MOST_REFERENCED
        if not few and metadata is not self.metadata:
            self._referenced = False
            return {}
        indexes = [self._indexes.of(self._state, step) for step in metadata.steps]
        if self._state.ranks.rank:
            return {}
        found = NO_REFERENCES | (self._reference.files(metadata, store, indexes) if options.reference else {})
        if options.hdf5:
            found[HDF5_NAME] = hdf5_if_possible(lambda: group_hdf5(metadata, store, indexes))
        return found

    def _remove_replaced(self, before: GroupState) -> None:
        """Remove the files of what this write replaced, and of steps that are no longer kept."""
        if not before.committed:
            return
        kept = {subfile.name for subfile in self.metadata.subfiles}
        gone = [subfile for subfile in before.metadata.subfiles if subfile.name not in kept]
        dropped = before.metadata.steps[: self.metadata.first_step - before.metadata.first_step]
        indexes = []
        for step in dropped:
            gone += self._indexes.of(self._state, step).subfiles
            indexes.append(index_name(self.metadata.identity, step.generation))
            del self._indexes.known[step.generation]
        remove_files(self._state, gone, indexes)

    def _catch_up(self, found: int) -> None:
        """Collective, with the lock: take in what others have written since, and remove what dead writers left."""
        state = self._state
        if found & CHANGED and not state.committed:
            raise DatasetError(
                "another dataset was written to this directory since this group was created; "
                "nothing was replaced",
                at=str(state.setting.store.path),
            )
        if found & CHANGED:
            self.refresh()
            self._state.setting.session.caught_up()
        if found & FRESH and state.committed:
            clean_group(self._state)
