"""What to write down so that settings take effect: hints, environment, commands, runtime configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomli_w

from striate.collectives.choice import Rule
from striate.layout import Progressive, parse, setstripe_command
from striate.shell import checked_hint, executable_line, export_line
from striate.tuning.change import Change
from striate.tuning.space import Value
from striate.tuning.tuned import Tuned

RUNTIME = ("servers", "group_factor", "chunk", "buffer", "codec", "sync", "layout")
# (kind, our name of an algorithm) -> MPICH's name in MPIR_CVAR_<KIND>_INTRA_ALGORITHM
MPICH = {
    ("allgather", "bruck"): "brucks",
    ("allgather", "recursive-doubling"): "recursive_doubling",
    ("allgather", "ring"): "ring",
    ("allreduce", "rabenseifner"): "reduce_scatter_allgather",
    ("allreduce", "recursive-doubling"): "recursive_doubling",
    ("allreduce", "ring"): "ring",
    ("alltoall", "bruck"): "brucks",
    ("alltoall", "pairwise"): "pairwise",
    ("bcast", "binomial"): "binomial",
    ("bcast", "scatter-allgather"): "scatter_ring_allgather",
    ("gather", "binomial"): "binomial",
    ("reduce", "binomial"): "binomial",
    ("reduce", "scatter-gather"): "reduce_scatter_gather",
    ("reduce_scatter", "pairwise"): "pairwise",
    ("reduce_scatter", "recursive-halving"): "recursive_halving",
    ("scan", "doubling"): "recursive_doubling",
    ("scatter", "binomial"): "binomial",
}
PLACEMENTS = {"block": "block", "round-robin": "cyclic"}  # SLURM_DISTRIBUTION


@dataclass(frozen=True, slots=True)
class ApplyPlan:
    """Everything to write; `notes` are what no file can say."""

    hints: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()
    runtime: dict[str, Value] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def files(self, folder: Path) -> dict[str, str]:
        """Name and content of every file, for `folder`; none that would be empty."""
        found: dict[str, str] = {}
        environment = dict(self.environment)
        if self.hints:
            hints = [checked_hint(key, value) for key, value in self.hints.items()]
            found["hints.txt"] = "".join(f"{key} {value}\n" for key, value in hints)
            environment["ROMIO_HINTS"] = str((folder / "hints.txt").resolve())
            pairs = ":".join(f"{key}={value}" for key, value in hints if ":" not in value)
            environment["MPICH_MPIIO_HINTS"] = f"*:{pairs}"
        if self.runtime:
            found["runtime.toml"] = tomli_w.dumps(self.runtime)
            environment["STRIATE_RUNTIME"] = str((folder / "runtime.toml").resolve())
        if self.commands:
            found["commands.sh"] = "".join(f"{executable_line(command)}\n" for command in self.commands)
        if environment:
            lines = [export_line(key, value) for key, value in environment.items()]
            found["environment.sh"] = "".join(f"{line}\n" for line in lines)
        return found


def plan_of_tuned(tuned: Tuned, hints: Mapping[str, str], *, on_runtime: bool) -> ApplyPlan:
    """The plan of tuned settings; `hints` are those of the layout and the aggregators."""
    settings = tuned.settings
    notes, environment = [], {}
    runtime = {key: settings[key] for key in RUNTIME if key in settings} if on_runtime else {}
    if "placement" in settings:
        environment["SLURM_DISTRIBUTION"] = PLACEMENTS.get(str(settings["placement"]), "block")
    if "collectives" in settings:
        environment |= _algorithms(str(settings["collectives"]))
    if "ranks" in settings:
        notes.append(f"start the program with {settings['ranks']} ranks: mpiexec -n {settings['ranks']}")
    commands = _layout_command(settings.get("layout")) or _stripe_command(hints) if not on_runtime else ()
    known = {*RUNTIME, "unit", "strips", "aggregators", "domains", "placement", "collectives", "ranks"}
    own = {key: value for key, value in settings.items() if key not in known}
    notes += [f"set the program's own {key} to {value}" for key, value in own.items()]
    return ApplyPlan(dict(hints) if not on_runtime else {}, environment, commands, runtime, tuple(notes))


def plan_of_changes(changes: Sequence[Change]) -> ApplyPlan:
    """All changes of a list of advice together; where two differ, the earlier one, with the larger gain, holds."""
    hints: dict[str, str] = {}
    environment: dict[str, str] = {}
    runtime: dict[str, Any] = {}
    for change in changes:
        hints = {**change.hints, **hints}
        environment = {**change.environment, **environment}
        runtime = {**{key: value for key, value in change.runtime.items() if key in RUNTIME}, **runtime}
    commands = tuple(dict.fromkeys(command for change in changes for command in change.commands))
    notes = tuple(f"{change.words}: {change.code}" for change in changes if change.code)
    return ApplyPlan(hints, environment, commands, runtime, notes)


def _layout_command(layout: object) -> tuple[str, ...]:
    """Lustre's command for components, which no hint of MPI-IO can ask for."""
    found = parse(str(layout)) if layout is not None else None
    return (setstripe_command(found, "DIRECTORY"),) if isinstance(found, Progressive) else ()


def _stripe_command(hints: Mapping[str, str]) -> tuple[str, ...]:
    """Lustre's command for a directory whose new files are to be striped so."""
    if "striping_factor" not in hints:
        return ()
    unit = f"-S {int(hints['striping_unit'])} " if "striping_unit" in hints else ""
    return (f"lfs setstripe {unit}-c {int(hints['striping_factor'])} DIRECTORY",)


def _algorithms(text: str) -> dict[str, str]:
    found = {}
    for part in text.split(";"):
        rule = Rule.parse(part)
        name = MPICH.get((rule.kind, rule.algorithm))
        if name is not None:
            found[f"MPIR_CVAR_{rule.kind.upper()}_INTRA_ALGORITHM"] = name
    return found
