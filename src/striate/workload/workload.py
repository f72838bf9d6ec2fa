"""`Workload`: what programs ask for, without times - one or several applications that run at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from striate.errors import WorkloadError
from striate.layout.layout import Layout
from striate.units import Quantity, size
from striate.workload.application import Application, largest_reused
from striate.workload.generator import Program, application_of

if TYPE_CHECKING:
    from striate.trace import Trace


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """The applications, in the order in which their ranks are placed."""

    applications: tuple[Application, ...]
    floor: Workload | None = (
        None  # the same without time that nobody recorded, where a log did not see all calls
    )
    order_guessed: bool = (
        False  # made from counters: how many calls and bytes is known, when and where is not
    )
    recorded: bool = False  # made from a trace: layouts are those of the machine it was recorded on
    measured: bool = False  # times of computing were measured, and hold what other processes took
    notes: tuple[str, ...] = ()  # what a forecast should say about it
    unserved: Callable[[], Workload] | None = None  # the same for a machine that has no metadata server

    @classmethod
    def from_program(
        cls,
        program: Program,
        ranks: int,
        *,
        name: str | None = None,
        communicators: Mapping[str, object] | None = None,
        layouts: Mapping[str, Layout | str | None] | None = None,
        collective: Mapping[str, str | None] | None = None,
    ) -> Workload:
        """Run `program(rank, ranks)`, a generator of operations, once for every rank.

        `communicators` maps a name to one colour per rank, as MPI_Comm_split; `layouts` maps the name of a file to its
        layout, or to None for the cluster's stripe; `collective` maps it to the method of collective access, such as
        "two-phase:nodes:16MiB" (striate.workload.collective_io); repeated stretches are folded into loops.
        Raises WorkloadError, naming rank and operation, at the first mistake.
        """
        label = name or str(getattr(program, "__name__", "program"))
        made = application_of(program, ranks=ranks, name=label, communicators=communicators or {})
        return cls((made.with_layouts(layouts or {}).with_collective(collective or {}),))

    @classmethod
    def from_trace(cls, trace: Trace, *, metadata_recorded: bool = False) -> Workload:
        """What a traced program asked for; the time between its operations becomes compute.

        Where the log did not see all calls, that time may have been computing or waiting: `floor` is without it. With
        `metadata_recorded` opening, closing and deleting files take the time they took; `unserved` is that.
        """
        from striate.workload.replay.from_trace import application_of_trace
        from striate.workload.replay.mapped_reads import mapped_notes
        from striate.workload.replay.unrecorded import has_counters_only, has_unrecorded_time, unplayed

        made = application_of_trace(trace, metadata_recorded=metadata_recorded)
        played = cls((made,), recorded=True, measured=not trace.is_simulated)
        notes = (*unplayed(trace), *mapped_notes(trace))
        floor = played.computing_scaled(0.0) if has_unrecorded_time(trace) else None
        if floor is None and played.measured and not metadata_recorded:
            played = replace(played, unserved=lambda: cls.from_trace(trace, metadata_recorded=True))
        return replace(played, floor=floor, order_guessed=has_counters_only(trace), notes=notes)

    @classmethod
    def together(cls, *workloads: Workload) -> Workload:
        """Several workloads at once on one machine; refuses anything else, and none."""
        wrong = [one for one in workloads if not isinstance(one, Workload)]
        if wrong or not workloads:
            raise WorkloadError(
                f"expected workloads, got {wrong[0]!r:.60}" if wrong else "expected workloads, got none"
            )
        return cls(tuple(application for workload in workloads for application in workload.applications))

    def with_layouts(self, layouts: Mapping[str, Layout | str | None]) -> Workload:
        """The same programs with other layouts for the files named, in every application that has them.

        `{"checkpoint": "simple:4:1MiB"}`; None stands for the cluster's stripe. Refuses names of no file.
        """
        return self._changed(layouts, lambda application, own: application.with_layouts(own))

    def with_collective(self, methods: Mapping[str, str | None]) -> Workload:
        """The same programs with other methods of collective access to the files named; None is the cluster's."""
        return self._changed(methods, lambda application, own: application.with_collective(own))

    def _changed(
        self, named: Mapping[str, Any], change: Callable[[Application, dict[str, Any]], Application]
    ) -> Workload:
        known = {file.name for application in self.applications for file in application.files}
        for name in named:
            if name not in known:
                files = ", ".join(sorted(known))
                raise WorkloadError(f"expected one of the program's files {files:.60}, got {name!r:.60}")
        return replace(
            self,
            applications=tuple(
                change(one, {file.name: named[file.name] for file in one.files if file.name in named})
                for one in self.applications
            ),
            floor=None if self.floor is None else self.floor._changed(named, change),
            unserved=self._later(lambda one: one._changed(named, change)),
        )

    def with_reused_buffer(self, buffer: Quantity | None) -> Workload:
        """The same programs, each rank of which reads into and writes from one buffer of so many bytes all the time.

        A small one stays in a CPU's cache, where copies are faster; None: not known.
        """
        size_bytes = None if buffer is None else size(buffer)
        if size_bytes is not None and size_bytes < 1:
            raise WorkloadError(f"expected a reused buffer of at least 1 B, got {buffer!r:.60}")
        return replace(
            self,
            applications=tuple(replace(one, reused_buffer=size_bytes) for one in self.applications),
            floor=None if self.floor is None else self.floor.with_reused_buffer(buffer),
            unserved=self._later(lambda one: one.with_reused_buffer(buffer)),
        )

    @property
    def reused_buffer(self) -> int | None:
        """Bytes of the one buffer of each rank that its accesses use, the largest of all; None: not known."""
        return largest_reused(self.applications)

    def _later(self, change: Callable[[Workload], Workload]) -> Callable[[], Workload] | None:
        """The same change of the form for machines without metadata servers, made when it is needed."""
        made = self.unserved
        return None if made is None else lambda: change(made())

    def on(self, cluster_serves_metadata: bool) -> Workload:
        """The form for a machine with a metadata server, or for one without."""
        return self if cluster_serves_metadata or self.unserved is None else self.unserved()

    def fitted(self, servers: int) -> Workload:
        """The same on a machine of so many servers: files striped over more servers are striped over all."""
        if not self.recorded or servers < 1:
            return self
        applications = tuple(one.fitted(servers) for one in self.applications)
        if all(new is old for new, old in zip(applications, self.applications, strict=True)):
            return self
        note = f"files striped over more servers than the machine has are striped over all {servers:,}"
        floor = None if self.floor is None else self.floor.fitted(servers)
        later = self._later(lambda one: one.fitted(servers))
        return replace(
            self, applications=applications, floor=floor, notes=(*self.notes, note), unserved=later
        )

    def computing_scaled(self, factor: float | NDArray[np.float64]) -> Workload:
        """The same with times of computing multiplied by `factor`, one for all or one per rank; not instructions."""
        from striate.workload.transforms.slowed import slowed

        each = np.broadcast_to(np.asarray(factor, np.float64), (self.ranks,))
        ends = np.cumsum([one.ranks for one in self.applications]).tolist()
        scaled = (
            replace(one, programs=slowed(one.programs, each[end - one.ranks : end]))
            for one, end in zip(self.applications, ends, strict=True)
        )
        floor = None if self.floor is None else self.floor.computing_scaled(factor)
        later = self._later(lambda one: one.computing_scaled(factor))
        return replace(self, applications=tuple(scaled), floor=floor, unserved=later)

    @property
    def ranks(self) -> int:
        return sum(application.ranks for application in self.applications)

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the program tables take."""
        return sum(application.programs.nbytes for application in self.applications)

    def check(self) -> None:
        """Raise WorkloadError at the first operation that no MPI library could run."""
        from striate.workload.checks.validate import validate

        for application in self.applications:
            validate(application)

    def save(self, path: str | Path) -> None:
        """Write one Parquet file; replaces an existing one only when the new one is whole."""
        from striate.workload.stored.save import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Workload:
        """Read what `save` wrote; raises WorkloadError on anything else."""
        from striate.workload.stored.load import load

        return cls(load(Path(path)))

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{app.name} ({app.ranks:,} ranks, {app.programs.rows} rows)" for app in self.applications
        )
        return f"Workload({parts})"
