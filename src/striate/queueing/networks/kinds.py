"""The three kinds of machines by how programs use their disks, each in a file of its own."""

from __future__ import annotations

from typing import Protocol

from striate.errors import QueueingError
from striate.queueing.curves import Floats, Integers
from striate.queueing.networks.bus_aio import BusAio
from striate.queueing.networks.clu_aio import CluAio
from striate.queueing.networks.sio import Sio
from striate.queueing.parameters import SpmdParameters
from striate.queueing.work import Work

SOLVERS = ("paper", "exact", "fast")
LOOPS = ("geometric", "fixed")


class NetworkModel(Protocol):
    """A queueing network over a program's demands; all times are one cycle's."""

    name: str

    def refusal(self, group: int, processors: int, disks: int) -> str | None:
        """Why there is no such point, or None."""

    def disk_seconds(self, spmd: SpmdParameters, processors: Integers, disks: Integers) -> Floats:
        """The service time of one I/O request, y (paper 000, eq. 14)."""

    def times(self, work: Work, *, solver: str, loops: str) -> Floats:
        """Mean cycle time at every point."""

    def split(self, work: Work, *, solver: str, loops: str) -> tuple[Floats, Floats, Floats]:
        """The same cycle as CPU, communication and I/O."""

    def loads(self, work: Work) -> tuple[Floats, Floats, Floats, Floats]:
        """Lower bounds on the cycle from processors, network latency, network contention and disks alone."""

    def bounds(self, work: Work) -> tuple[Floats, Floats]:
        """Proved bounds on the exact cycle time."""


KINDS: dict[str, NetworkModel] = {kind.name: kind for kind in (Sio(), BusAio(), CluAio())}


def find_kind(name: str) -> NetworkModel:
    if name not in KINDS:
        raise QueueingError(f"expected a kind of model among {', '.join(KINDS)}, got {name!r}", at="kind")
    return KINDS[name]
