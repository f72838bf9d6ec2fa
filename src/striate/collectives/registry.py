"""All algorithms by name, and which one is taken when none is named.

The defaults follow the published rules of MPICH, where they exist, and Open MPI's ring for long vectors:

| kind | condition | algorithm |
|---|---|---|
| bcast | below 12 KiB, or fewer than 8 ranks | binomial |
| bcast | else | scatter-allgather |
| reduce | up to 2 KiB | binomial |
| reduce | else | scatter-gather |
| allreduce | up to 2 KiB | recursive-doubling |
| allreduce | up to 1 MiB | rabenseifner |
| allreduce | else | ring |
| gather, scatter | always | binomial |
| gatherv, scatterv | always | direct |
| allgather, allgatherv | all parts together below 80 KiB, 2^k ranks | recursive-doubling |
| allgather, allgatherv | all parts together below 80 KiB | bruck |
| allgather, allgatherv | else | ring |
| alltoall | blocks up to 256 B, at least 8 ranks | bruck |
| alltoall | else | pairwise |
| alltoallv | always | pairwise |
| scan, exscan | always | doubling |
| reduce_scatter | all parts together below 512 KiB | recursive-halving |
| reduce_scatter | else | pairwise |
| barrier | always | dissemination |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from striate.collectives.algorithms import (
    allgather,
    allreduce,
    alltoall,
    barrier,
    bcast,
    gather,
    reduce,
    reduce_scatter,
    scan,
    scatter,
)
from striate.collectives.closed import CLOSED
from striate.collectives.draft import ScheduleDraft
from striate.collectives.schedule import CollectiveSchedule, ScheduleError
from striate.collectives.tally import Tally

KIB, MIB = 1 << 10, 1 << 20
Makers = Mapping[tuple[str, str], Callable[..., Any]]  # algorithms by kind of call and name
NO_MAKERS: Makers = {}

# Costs nothing and lets all ranks go when the last one has come; the engine does this without a schedule.
VIRTUAL = "virtual"

LARGEST_DRAFTED = (
    64  # ranks; sums of larger groups are taken in closed form, where rounds grow with the group
)
ROOTED = frozenset(("bcast", "reduce", "gather", "scatter"))

ALGORITHMS: dict[tuple[str, str], Callable[..., ScheduleDraft | CollectiveSchedule]] = {
    ("bcast", "binomial"): bcast.binomial,
    ("bcast", "binomial-in-turn"): bcast.binomial_in_turn,
    ("bcast", "binary-tree"): bcast.binary_tree,
    ("bcast", "pipelined"): bcast.pipelined,
    ("bcast", "smp-pipelined"): bcast.smp_pipelined,
    ("bcast", "scatter-allgather"): bcast.scatter_allgather,
    ("bcast", "direct"): bcast.direct,
    ("reduce", "binomial"): reduce.binomial,
    ("reduce", "scatter-gather"): reduce.scatter_gather,
    ("reduce", "direct"): reduce.direct,
    ("allreduce", "recursive-doubling"): allreduce.recursive_doubling,
    ("allreduce", "ring"): allreduce.ring,
    ("allreduce", "rabenseifner"): allreduce.rabenseifner,
    ("allreduce", "smp-rabenseifner"): allreduce.smp_rabenseifner,
    ("allreduce", "reduce-bcast"): allreduce.reduce_bcast,
    ("gather", "binomial"): gather.binomial,
    ("gather", "direct"): gather.direct,
    ("scatter", "binomial"): scatter.binomial,
    ("scatter", "direct"): scatter.direct,
    ("allgather", "ring"): allgather.ring,
    ("allgather", "recursive-doubling"): allgather.recursive_doubling,
    ("allgather", "bruck"): allgather.bruck,
    ("allgather", "direct"): allgather.direct,
    ("alltoall", "pairwise"): alltoall.pairwise,
    ("alltoall", "bruck"): alltoall.bruck,
    ("scan", "doubling"): scan.doubling,
    ("scan", "linear"): scan.linear,
    ("exscan", "doubling"): scan.exclusive_doubling,
    ("exscan", "linear"): scan.exclusive_linear,
    ("reduce_scatter", "recursive-halving"): reduce_scatter.recursive_halving,
    ("reduce_scatter", "pairwise"): reduce_scatter.pairwise,
    ("barrier", "dissemination"): barrier.dissemination,
    ("barrier", "tree"): barrier.tree,
}

BUILT_IN = frozenset(ALGORITHMS)  # what a program adds to them is checked whenever it is used

# Kinds whose sizes differ by rank, and the kind whose algorithms they share.
FAMILY = {"gatherv": "gather", "scatterv": "scatter", "allgatherv": "allgather", "alltoallv": "alltoall"}
KINDS = frozenset((*(kind for kind, _ in ALGORITHMS), *FAMILY))

# Algorithms that need to know which ranks share a node (option `nodes`).
PLACED = frozenset((("bcast", "smp-pipelined"), ("allreduce", "smp-rabenseifner")))


def choose(kind: str, size: int, size_bytes: int) -> str:
    """The algorithm for a group of `size` ranks, as the table above says.

    `size_bytes` is what MPI's count means: the vector of bcast, reduce, allreduce and scans, else the part of one
    rank. Raises ScheduleError for an unknown kind.
    """
    if kind not in KINDS:
        raise _unknown_kind(kind)
    power = size & (size - 1) == 0
    match kind:
        case "bcast":
            return "binomial" if size_bytes < 12 * KIB or size < 8 else "scatter-allgather"
        case "reduce":
            return "binomial" if size_bytes <= 2 * KIB else "scatter-gather"
        case "allreduce" if size_bytes <= 2 * KIB:
            return "recursive-doubling"
        case "allreduce":
            return "rabenseifner" if size_bytes <= MIB else "ring"
        case "gather" | "scatter":
            return "binomial"
        case "gatherv" | "scatterv":
            return "direct"
        case "allgather" | "allgatherv" if size * size_bytes >= 80 * KIB:
            return "ring"
        case "allgather" | "allgatherv":
            return "recursive-doubling" if power else "bruck"
        case "alltoall":
            return "bruck" if size_bytes <= 256 and size >= 8 else "pairwise"
        case "alltoallv":
            return "pairwise"
        case "scan" | "exscan":
            return "doubling"
        case "reduce_scatter":
            return "recursive-halving" if size * size_bytes < 512 * KIB else "pairwise"
    return "dissemination"


def plan(
    kind: str,
    size: int,
    size_bytes: ArrayLike = 0,
    *,
    name: str | None = None,
    root: int = 0,
    more: Makers = NO_MAKERS,
    **options: Any,
) -> CollectiveSchedule:
    """The schedule of one collective call; without a `name` that of the default algorithm.

    `size_bytes` may differ by rank (gatherv, scatterv, allgatherv, reduce_scatter) or by pair (alltoallv, a table):
    then the default depends on their mean. `options` are those of the algorithm, such as `block_bytes`; `more` are
    algorithms beside the built-in ones.
    """
    made = _made({**ALGORITHMS, **more}, kind, size, size_bytes, name, root, options)
    schedule: CollectiveSchedule = made.schedule() if isinstance(made, ScheduleDraft) else made
    if name is not None and (own := (FAMILY.get(kind, kind), name)) not in BUILT_IN and own not in more:
        try:
            schedule.check()
        except ScheduleError as error:
            raise ScheduleError(f"{kind} {name}: {error}") from None
    return schedule


def tally(
    kind: str,
    size: int,
    size_bytes: ArrayLike = 0,
    *,
    name: str | None = None,
    root: int = 0,
    more: Makers = NO_MAKERS,
    **options: Any,
) -> Tally:
    """The total work of each rank in `plan`'s schedule for the same call; cheap also for a million ranks."""
    makers = ALGORITHMS if size <= LARGEST_DRAFTED else ALGORITHMS | CLOSED
    made = _made({**makers, **more}, kind, size, size_bytes, name, root, options)
    return made if isinstance(made, Tally) else made.tally()


def _made(
    makers: Makers,
    kind: str,
    size: int,
    size_bytes: ArrayLike,
    name: str | None,
    root: int,
    options: dict[str, Any],
) -> Any:
    chosen = name or choose(kind, size, _mean(size_bytes))
    family = FAMILY.get(kind, kind)
    make = makers.get((family, chosen))
    if make is None:
        known = names_of(kind)
        if not known:
            raise _unknown_kind(kind)
        raise ScheduleError(f"expected an algorithm among {', '.join(known)} for {kind}, got {chosen!r}")
    if kind == "barrier":
        return make(size, **options)
    return make(size, size_bytes, **({"root": root} if family in ROOTED else {}), **options)


def _unknown_kind(kind: str) -> ScheduleError:
    return ScheduleError(f"expected one of {', '.join(sorted(KINDS))}, got {kind!r}")


def names_of(kind: str) -> list[str]:
    """The algorithms that calls of `kind` can take; `virtual` is one of them in the engine alone."""
    return sorted(name for of, name in ALGORITHMS if of == FAMILY.get(kind, kind))


def _mean(size_bytes: ArrayLike) -> int:
    return int(np.asarray(size_bytes, np.int64).mean())
