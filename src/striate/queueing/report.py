"""Everything a model says at one number of processors and disks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from striate.queueing.effects import effects
from striate.queueing.model import Bounds, Components, Model, Utilisation
from striate.queueing.percentiles import cycle_percentiles
from striate.queueing.program import Program, Solvable


@dataclass(frozen=True, slots=True)
class PhaseReport:
    """One phase at a point; bounds are None where none are proved (fixed loops of `sio`)."""

    kind: str
    seconds: float
    bottleneck: str
    components: Components
    utilisation: Utilisation
    bounds: Bounds | None
    effects: dict[str, float]  # percent of time per percent of a parameter, largest first
    cycle_percentiles: dict[float, float]  # seconds of one cycle, where they were asked for

    def document(self) -> dict[str, Any]:
        """For JSON."""
        bounds = None if self.bounds is None else {"low": self.bounds.low, "high": self.bounds.high}
        parts, busy = self.components, self.utilisation
        return {
            "kind": self.kind,
            "seconds": self.seconds,
            "bottleneck": self.bottleneck,
            "components": {"cpu": parts.cpu, "communication": parts.communication, "io": parts.io},
            "utilisation": {"processors": busy.processors, "network": busy.network, "disks": busy.disks},
            "bounds": bounds,
            "effects": self.effects,
            "cycle_percentiles": {f"{key:g}": value for key, value in self.cycle_percentiles.items()},
        }


def reports(
    model: Solvable, processors: int, disks: int, percents: Sequence[float] = ()
) -> tuple[PhaseReport, ...]:
    """One report per phase."""
    phases = model.phases if isinstance(model, Program) else (model,)
    return tuple(_report(phase, processors, disks, sorted(set(percents))) for phase in phases)


def _report(phase: Model, processors: int, disks: int, percents: Sequence[float]) -> PhaseReport:
    seconds = cycle_percentiles(phase, processors, disks, percents).tolist() if percents else ()
    proved = not (phase.kind == "sio" and phase.loops == "fixed")
    return PhaseReport(
        phase.kind,
        float(phase.time(processors, disks)),
        phase.bottleneck(processors, disks),
        phase.components(processors, disks),
        phase.utilisation(processors, disks),
        phase.bounds(processors, disks) if proved else None,
        effects(phase, processors, disks),
        dict(zip(percents, seconds, strict=True)),
    )
