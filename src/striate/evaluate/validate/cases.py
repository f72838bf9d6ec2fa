"""The programs that are run: which application, on how many ranks, how large, with which layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

APPS = ("jacobi", "checkpoint", "mesh", "pmc3")


@dataclass(frozen=True, slots=True)
class Case:
    """One program of the matrix; `parameters` go to the application."""

    app: str
    ranks: int
    size: str  # a word for people
    parameters: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"{self.app} {self.size}, {self.ranks} ranks"

    @property
    def layout(self) -> str:
        """How files are spread: the servers of the runtime, where they are given."""
        servers = self.parameters.get("servers")
        return "" if servers is None else f"{servers} servers"


_JACOBI = {
    "small": {"rows": 512, "columns": 1024, "steps": 160, "every": 40},
    "large": {"rows": 1536, "columns": 2048, "steps": 20, "every": 5},
}
_CHECKPOINT = {
    "small": {"steps": 120, "every": 10, "state_bytes": 2 * 1024**2, "passes": 4},
    "large": {"steps": 40, "every": 5, "state_bytes": 8 * 1024**2, "passes": 4},
}
_MESH = {
    "small": {"nodes": 400_000, "steps": 20, "every": 5},
    "large": {"nodes": 1_200_000, "steps": 10, "every": 5},
}
_PMC3 = {
    "small": {"runs": 2, "chains": 4, "generations": 40},
    "large": {"runs": 4, "chains": 4, "generations": 60},
}


def matrix(*, quick: bool = False) -> tuple[Case, ...]:
    """Every application in two sizes on 1 to 8 ranks, and the mesh with fewer servers than ranks; quick: a few."""
    ranks = (1, 2) if quick else (1, 2, 4, 8)
    sizes = ("small",) if quick else ("small", "large")
    tables = {"jacobi": _JACOBI, "checkpoint": _CHECKPOINT, "mesh": _MESH, "pmc3": _PMC3}
    found = [Case(app, count, size, tables[app][size]) for app in APPS for size in sizes for count in ranks]
    if not quick:
        found += [
            Case("mesh", count, f"small, {servers} servers", _MESH["small"] | {"servers": servers})
            for count, servers in ((4, 1), (8, 2))
        ]
    return tuple(found)
