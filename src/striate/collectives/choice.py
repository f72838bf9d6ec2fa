"""Which algorithm a call takes: rules by kind, size and group, as the tables of MPI libraries have them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from striate import units
from striate.cluster.cluster import Cluster
from striate.collectives.registry import FAMILY, KINDS, NO_MAKERS, VIRTUAL, Makers, choose, names_of
from striate.errors import ClusterError, PredictionError, UnitError

ALL_KINDS = "*"


@dataclass(frozen=True, slots=True)
class Rule:
    """Calls of `kind` take `algorithm` where bytes and ranks lie within the bounds: from the first, below the second.

    `bytes` is what MPI's count means: the vector, or the part of one rank (the mean, where they differ).
    """

    kind: str
    algorithm: str
    bytes: tuple[float, float] = (0, math.inf)
    ranks: tuple[float, float] = (0, math.inf)
    more: Makers = field(default_factory=dict, compare=False, repr=False)  # plug-ins it may name, too

    def __post_init__(self) -> None:
        if self.kind not in (*KINDS, ALL_KINDS):
            raise PredictionError(f"expected a collective such as bcast or allreduce, got {self.kind!r:.60}")
        own = [name for kind, name in self.more if kind == FAMILY.get(self.kind, self.kind)]
        known = [*([] if self.kind == ALL_KINDS else names_of(self.kind)), *own, VIRTUAL]
        if self.algorithm not in known:
            raise PredictionError(
                f"expected an algorithm among {', '.join(known)} for {self.kind}, got {self.algorithm!r:.60}"
            )

    @classmethod
    def parse(cls, text: str, more: Makers = NO_MAKERS) -> Rule:
        """Read `allreduce=ring`, `allreduce=ring,bytes=64KiB..1MiB,ranks=8..`, `*=virtual`; `more` are plug-ins."""
        head, *conditions = [part.strip() for part in text.split(",")]
        kind, equals, algorithm = (part.strip() for part in head.partition("="))
        bounds = {}
        for condition in conditions:
            name, _, run = (part.strip() for part in condition.partition("="))
            if name not in ("bytes", "ranks") or ".." not in run:
                equals = ""
                break
            bounds[name] = tuple(_bound(end, name, at) for at, end in enumerate(run.split("..", 1)))
        if not equals:
            raise PredictionError(
                f"expected a rule such as 'bcast=binomial,bytes=0..64KiB,ranks=2..32', got {text!r:.80}"
            )
        return cls(kind, algorithm, more=more, **bounds)  # type: ignore[arg-type]

    def holds(self, kind: str, size: int, size_bytes: float) -> bool:
        return (
            self.kind in (kind, ALL_KINDS)
            and self.bytes[0] <= size_bytes < self.bytes[1]
            and self.ranks[0] <= size < self.ranks[1]
        )


def _bound(text: str, name: str, place: int) -> float:
    if not text.strip():
        return math.inf if place else 0
    try:
        return units.size(text) if name == "bytes" else int(text)
    except (UnitError, ValueError):
        raise PredictionError(f"expected a range of {name} such as 8..64, got {text!r:.60}") from None


@dataclass(frozen=True, slots=True)
class Choice:
    """The first rule that holds decides; where none does, the defaults of `registry`."""

    rules: tuple[Rule, ...] = ()
    more: Makers = field(default_factory=dict, compare=False, repr=False)  # plug-ins
    machine: Cluster | None = field(default=None, compare=False, repr=False)  # whose rules these are

    @classmethod
    def of(cls, rules: Iterable[str | Rule], more: Makers = NO_MAKERS) -> Choice:
        """`more` are algorithms beside the built-in ones, that rules may name."""
        return cls(tuple(rule if isinstance(rule, Rule) else Rule.parse(rule, more) for rule in rules), more)

    def on(self, cluster: Cluster) -> Choice:
        """These rules before those of the cluster's MPI library; raises ClusterError where one of those is none."""
        own = []
        for place, text in enumerate(cluster.settings.collective_algorithms):
            try:
                own.append(Rule.parse(text, self.more))
            except PredictionError as error:
                where = f"$.settings.collective_algorithms[{place}]"
                raise ClusterError(error.message, at=where, source=cluster.name) from None
        return Choice((*self.rules, *own), self.more, cluster)

    def pick(self, kind: str, size: int, size_bytes: float) -> str:
        """The algorithm of a call that names none."""
        for rule in self.rules:
            if rule.holds(kind, size, size_bytes):
                return rule.algorithm
        return choose(kind, size, int(size_bytes))

    def is_plugin(self, kind: str, name: str) -> bool:
        """Whether a plug-in makes the schedule: it knows the machine, and where ranks run."""
        return (FAMILY.get(kind, kind), name) in self.more
