"""What a validation runs on a cluster: kernels of messages, collectives and file access, and whole applications."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from striate.apps import kernels
from striate.apps.app import Case
from striate.apps.kernels.registry import KERNELS
from striate.apps.registry import find
from striate.errors import WorkloadError

# Applications in sizes that a few hosts run in seconds.
APPLICATIONS: dict[str, dict[str, Any]] = {
    "jacobi": {"rows": 512, "columns": 1024, "steps": 40, "every": 20},
    "checkpoint": {"steps": 10, "every": 5, "state_bytes": 2 * 1024**2, "passes": 4},
    "mesh": {"nodes": 50_000, "steps": 6, "every": 3},
    "pmc3": {"runs": 1, "chains": 2, "generations": 40},
}
# Kernels as `striate predict kernel:...` takes them; `hint:NAME=VALUE` goes to MPI-IO.
KERNEL_TEXTS = (
    "pingpong,size=1MiB,repeat=5",
    "ring,size=4MiB",
    "incast,size=4MiB",
    "barrier,repeat=50",
    "bcast,size=8MiB",
    "reduce,size=4MiB",
    "allreduce,size=4MiB",
    "gather,size=4MiB",
    "gatherv,size=2MiB",
    "scatter,size=4MiB",
    "scatterv,size=2MiB",
    "allgather,size=2MiB",
    "allgatherv,size=1MiB",
    "alltoall,size=1MiB",
    "alltoallv,size=1MiB",
    "scan,size=1MiB",
    "reduce_scatter,size=4MiB",
    "io-level-0,size=8MiB,blocks=1,sync=1",
    "io-level-0,size=8MiB,blocks=1",
    "io-level-0,size=64KiB,blocks=32,sync=1",
    "io-level-0,size=8MiB,blocks=1,mode=read,shift=1",
    "io-level-1,size=8MiB,blocks=1,sync=1",
    "io-level-2,size=64KiB,blocks=16,sync=1",
    "io-level-3,size=256KiB,blocks=32,sync=1",
)
_HINT = "hint:"


class LaunchedProgram(msgspec.Struct, frozen=True):
    """A kernel (`name` and options) with hints for MPI-IO, or an application with parameters."""

    name: str
    parameters: dict[str, Any] = {}
    hints: dict[str, str] = {}

    @property
    def is_kernel(self) -> bool:
        return self.name in KERNELS and self.name not in APPLICATIONS

    def case(self, ranks: int) -> Case:
        """The program on so many ranks, as results name it."""
        words = [
            str(value) if key == "size" else f"{key} {value}"
            for key, value in (self.parameters | self.hints).items()
        ]
        return Case(self.name, ranks, ", ".join(words), self.parameters)


def parse(text: str) -> LaunchedProgram:
    """Read `allreduce,size=1MiB`, with `hint:cb_nodes=2` for MPI-IO, or the name or file of an application."""
    head = text.split(",", 1)[0].strip()
    if head in KERNELS and head not in APPLICATIONS:
        name, options = kernels.parse(text)
        hints = {key[len(_HINT) :]: value for key, value in options.items() if key.startswith(_HINT)}
        given = {key: value for key, value in options.items() if not key.startswith(_HINT)}
        kernels.workload(name, ranks=2, **given)  # refuses what it does not take
        return LaunchedProgram(name, given, hints)
    app = find(text)
    if not app.sizes:
        raise WorkloadError(
            f"the application {app.name} defines no `sizes`, the parameters of its runs", source=text
        )
    return LaunchedProgram(text, APPLICATIONS.get(text) or dict(next(iter(app.sizes.values()))))


def programs(texts: Sequence[str] = ()) -> tuple[LaunchedProgram, ...]:
    """Those asked for, or all kernels and applications."""
    return tuple(parse(text) for text in texts or (*KERNEL_TEXTS, *APPLICATIONS))
