"""What a trace says about how its files are accessed, as a workload says it: stripes, aggregators, data sieving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from striate.errors import LayoutError, UnitError, WorkloadError
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.parse import parse
from striate.trace.header import COLLECTIVE_HINT, TracedFile
from striate.trace.runs import spans
from striate.trace.trace import Trace
from striate.units import size as bytes_of
from striate.workload.application import Application, collective_text
from striate.workload.replay.meetings import turns
from striate.workload.sieving import Sieving


@dataclass(frozen=True, slots=True, eq=False)
class RecordedAccess:
    """Per file of a trace: how collective calls access it, its layout, and how independent calls sieve."""

    collective: tuple[str | None, ...]
    layout: tuple[str | None, ...]
    sieving: tuple[Sieving, ...]

    @classmethod
    def of(cls, trace: Trace) -> RecordedAccess:
        files, hosts = trace.header.files, len(set(trace.header.host_of_rank))
        woven = interleaved(trace)
        return cls(
            tuple(_collective(file, bool(woven[at]), hosts) for at, file in enumerate(files)),
            tuple(_layout(file) for file in files),
            tuple(Sieving.of_hints(file.hints) for file in files),
        )

    def given_to(self, application: Application, trace: Trace) -> Application:
        """The application whose files are accessed as recorded."""
        number = {file.name: at for at, file in enumerate(trace.header.files)}
        files = []
        for file in application.files:
            at = number.get(file.name)
            known = at is not None
            layout = self.layout[at] if known and at is not None else None
            method = self.collective[at] if known and at is not None else None
            files.append(replace(file, layout=layout, collective=method))
        return replace(application, files=tuple(files))


def _collective(file: TracedFile, woven: bool, hosts: int) -> str | None:
    """ROMIO exchanges where it is told to, and on its own where the ranges of ranks interleave."""
    hints = file.hints
    if COLLECTIVE_HINT in hints:
        try:
            return collective_text(hints[COLLECTIVE_HINT], file.name)
        except WorkloadError:
            return None
    switches = [hints[name] for name in ("romio_cb_write", "romio_cb_read") if name in hints]
    if not switches:
        return None
    exchanged = "enable" in switches or ("automatic" in switches and woven)
    if not exchanged:
        return "direct"
    buffer = _number(hints, "cb_buffer_size", 16 << 20)
    return collective_text(f"two-phase:{_aggregators(hints, hosts)}:{buffer}", file.name)


def _aggregators(hints: Mapping[str, str], hosts: int) -> str:
    """One per node is what ROMIO chooses itself, on any number of nodes."""
    count = _number(hints, "cb_nodes", 0)
    return "nodes" if count < 1 or count == hosts else str(count)


def _number(hints: Mapping[str, str], name: str, missing: int) -> int:
    try:
        return max(int(bytes_of(hints[name])), 1) if name in hints else missing
    except UnitError:
        return missing


def _layout(file: TracedFile) -> str | None:
    """The layout that was recorded, or that the file system's striping tells."""
    if file.layout is not None:
        try:
            return str(parse(file.layout))
        except LayoutError:
            return None
    count, unit = _number(file.hints, "striping_factor", 0), _number(file.hints, "striping_unit", 0)
    return str(SimpleStripe(count, unit)) if count > 0 and unit > 0 else None


def interleaved(trace: Trace) -> NDArray[np.bool_]:
    """Files on which the byte ranges of some collective call interleave, as ROMIO counts it: by neighbouring ranks."""
    found = np.zeros(len(trace.header.files) + 1, bool)
    chosen = trace.of_kind("read", "write") & trace.column("collective") & (trace.column("offset") >= 0)
    rows = np.flatnonzero(chosen & (trace.column("bytes") > 0))
    if len(rows) < 2:
        return found
    rank, file = (trace.column(name)[rows].astype(np.int64) for name in ("rank", "file"))
    turn = turns(rank, file)
    first, last = spans(trace, rows)
    order = np.lexsort((rank, turn, file))
    same = (file[order][1:] == file[order][:-1]) & (turn[order][1:] == turn[order][:-1])
    low, high = first[order], last[order]
    woven = same & (low[1:] < high[:-1]) & (low[1:] < high[1:])
    found[file[order][1:][woven]] = True
    return found
