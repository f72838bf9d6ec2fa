"""`ProbeReport`: everything a probe found, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from striate.errors import ProbeError
from striate.probe.filesystem import FileSystem
from striate.probe.samples import Measurement, TimeCurve

SCHEMA = "striate.probe/1"


@dataclass(frozen=True, slots=True)
class MachineFacts:
    """What the system says about the machine, without measuring."""

    host: str
    nodes: int
    sockets: int
    cpus: int
    memory_bytes: int
    mpi: str = ""
    hosts: tuple[str, ...] = ()  # of the ranks, in their order
    file_system: FileSystem | None = None
    page_cache: tuple[int, int] | None = None  # bytes written at which it writes back, and writers wait


@dataclass(frozen=True, slots=True)
class Findings:
    """Measurements and curves of one part of a probe, and remarks about it."""

    measurements: tuple[Measurement, ...] = ()
    curves: tuple[TimeCurve, ...] = ()
    notes: tuple[str, ...] = ()

    def and_also(self, other: Findings) -> Findings:
        """Both parts."""
        return Findings(
            self.measurements + other.measurements, self.curves + other.curves, self.notes + other.notes
        )


@dataclass(frozen=True, slots=True)
class ProbeReport:
    """A whole probe."""

    facts: MachineFacts
    found: Findings
    made: str
    seconds: float  # what it took
    versions: Mapping[str, str]
    schema: str = SCHEMA

    def get(self, name: str) -> Measurement | None:
        """The measurement of that name, where there is one."""
        return next((one for one in self.found.measurements if one.name == name), None)

    def need(self, name: str) -> Measurement:
        """The measurement of that name; raises ProbeError when the probe did not come that far."""
        if (one := self.get(name)) is None:
            raise ProbeError(f"the report of the probe has no measurement {name!r}")
        return one
