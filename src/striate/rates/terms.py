"""The time of a collective write to Lustre as a formula: the parts that a write passes, and few numbers for each.

    seconds = start + rounds + share max(process, client)
              + max((1-share) process, (1-share) client + write-back, slots, target)

where max(a, b, ...) is (a^q + b^q + ...)^(1/q): with q = 1 parts wait for each other, with a large q the slowest alone
counts. Data is exchanged first, a share of what processes and clients do, and then written. Each of A aggregators
writes every A-th stripe (stripe-aligned cyclic file domains: Liao and Choudhary, SC 2008). `process` is what one
aggregator copies, `client` what the Lustre client of a node passes on, `slots` what the RPCs in flight of one client to
one target carry, `target` the OST. There the extent lock of the object moves when stripes of different clients follow
one another (Moore, Farrell and Cernohous, CCPE 2018); lock-ahead asks for locks before. A client that gives up a lock
writes back first what it holds, at its own rate: `write-back`. Writers of one file wait for each other inside their
node's client, and an OST slows down with the clients and writers among which it seeks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from striate.rates.table import RateRow

Floats = NDArray[np.float64]
GIB = 2**30
AHEAD = ("2", "lockahead", "lock-ahead", "lock_ahead", "ahead")  # cray_cb_write_lock_mode = 2
MOST_PAIRS = 2**16
# Of aggregators on nodes. spread: neighbours on different nodes; packed: node by node; grouped: the aggregators of one
# OST on as few nodes as there are for it (PnetCDF's Lustre driver has them on one, so that no lock moves).
Placement = Literal["spread", "packed", "grouped"]
PLACEMENTS: tuple[Placement, ...] = get_args(Placement)


@dataclass(frozen=True, slots=True)
class Prior:
    """A number before the table is seen: the median of its distribution, and the spread of its logarithm.

    `plain`: an exponent, whose own value is spread, not its logarithm.
    """

    name: str
    what: str
    unit: str
    median: float
    spread: float
    plain: bool = False

    @property
    def centre(self) -> float:
        return self.median if self.plain else math.log(self.median)


COMMON = (
    Prior("start", "seconds before the first byte", "s", 0.1, 1.5),
    Prior("round_cost", "of rounds, per GiB of one aggregator and rank^round_exponent", "s/GiB", 0.01, 2.0),
    Prior("round_exponent", "exponent by which rounds take longer on more ranks", "", 0.25, 0.15, plain=True),
    Prior("process_rate", "of one aggregator", "GiB/s", 1.0, 0.8),
    Prior("client_rate", "of a node's client", "GiB/s", 4.0, 0.8),
    Prior("slots_rate", "of the RPCs in flight from one client to one OST", "GiB/s", 10.0, 1.0),
    Prior("target_rate", "of one OST", "GiB/s", 2.5, 1.0),
    Prior(
        "shared_moves", "exponent by which writers of one node share a lock's move", "", 0.5, 0.4, plain=True
    ),
    Prior("seeking", "exponent by which more clients slow an OST", "", 0.05, 0.1, plain=True),
    Prior("sharing", "share by which each further writer of a node slows its client", "", 0.004, 1.3),
    Prior("knee", "writers at which an OST has fallen to half of its rate", "", 100.0, 1.0),
    Prior("sharpness", "weight of the slowest part against the others, minus 1", "", 2.0, 0.9),
    Prior("exchange_odds", "overlap of the exchange with writing, on processes and clients", "", 0.5, 0.8),
)
FIXED = tuple(prior.name for prior in COMMON)


def priors(lock_modes: Sequence[str]) -> tuple[Prior, ...]:
    """The numbers of the formula for a table with these lock modes."""
    return (*COMMON, *(prior for mode in lock_modes for prior in _of_mode(mode, lock_modes)))


def _of_mode(mode: str, lock_modes: Sequence[str]) -> list[Prior]:
    name = f"[{mode}]" if mode else ""
    cost, spread = (0.02, 1.5) if mode.lower() in AHEAD else (0.5, 1.3)
    found = [
        Prior(f"lock_cost{name}", "of moving locks between clients", "s/GiB", cost, spread),
        Prior(
            f"flush_cost{name}", "of write-back by a client that gives up a lock", "s/GiB", 0.4 * cost, spread
        ),
        Prior(f"crowding{name}", "exponent by which more writers slow an OST", "", 0.0, 0.12, plain=True),
    ]
    if mode != lock_modes[0]:
        found.append(Prior(f"slowness{name}", f"of an OST against lock mode {lock_modes[0]}", "", 1.0, 0.2))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class WriteColumns:
    """Rows as columns, for one placement of aggregators."""

    lock_modes: tuple[str, ...]
    gibibytes: Floats
    nodes: Floats
    ranks: Floats
    aggregators: Floats
    stripes: Floats
    writers: Floats  # aggregators per OST
    clients: Floats  # nodes that write to one OST
    mode: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[RateRow], lock_modes: Sequence[str], placement: Placement) -> WriteColumns:
        def column(name: str) -> Floats:
            return np.array([getattr(row, name) for row in rows], np.float64)

        aggregators, stripes = column("aggregators"), column("stripes")
        clients = [clients_per_target(row.nodes, row.aggregators, row.stripes, placement) for row in rows]
        return cls(
            lock_modes=tuple(lock_modes),
            gibibytes=column("bytes") / GIB,
            nodes=column("nodes"),
            ranks=column("ranks"),
            aggregators=aggregators,
            stripes=stripes,
            writers=np.maximum(aggregators / stripes, 1.0),
            clients=np.array(clients),
            mode=np.array([tuple(lock_modes).index(row.lock_mode) for row in rows], np.int64),
        )


def clients_per_target(nodes: int, aggregators: int, stripes: int, placement: Placement) -> float:
    """Nodes that write to one OST, on average, when aggregator i writes stripes i, i + A, i + 2A, ..."""
    if placement == "grouped":
        return max(1.0, min(nodes, aggregators) / stripes)
    stripe = np.arange(min(math.lcm(aggregators, stripes), MOST_PAIRS))
    writer = stripe % aggregators
    node = writer % nodes if placement == "spread" else writer * nodes // aggregators
    pairs = len(np.unique((stripe % stripes) * nodes + node))
    return pairs / min(stripes, len(stripe))


def log_seconds(numbers: Floats, columns: WriteColumns) -> Floats:
    """The logarithm of the time of every row: `numbers` by draw and number, the answer by draw and row."""
    start, rounds, parts = parts_of(numbers, columns)
    sharpness = 1 + np.exp(numbers[:, FIXED.index("sharpness"), None])
    odds = np.exp(numbers[:, FIXED.index("exchange_odds"), None])
    exchanged = _slowest(parts[:2], sharpness) * odds / (1 + odds)
    process, client, slots, target, written_back = parts
    writing = np.stack([process / (1 + odds), client / (1 + odds) + written_back, slots, target])
    written = _slowest(writing, sharpness)
    return np.asarray(np.log(start + rounds + exchanged + written), np.float64)


def _slowest(parts: Floats, sharpness: Floats) -> Floats:
    """The soft maximum of the parts; scaled by the largest, so that no power overflows."""
    top = parts.max(axis=0)
    return np.asarray(top * ((parts / top) ** sharpness).sum(axis=0) ** (1 / sharpness), np.float64)


def parts_of(numbers: Floats, columns: WriteColumns) -> tuple[Floats, Floats, Floats]:
    """Seconds of the start, of the rounds, and of process, client, slots, target and write-back, by draw and row."""
    number = dict(zip(FIXED, numbers.T[: len(FIXED), :, None], strict=True))
    per_mode = _by_mode(numbers, columns)
    moved, writers, clients = columns.gibibytes, columns.writers, columns.clients
    per_target = moved / columns.stripes
    moves = (1 - 1 / clients) * np.minimum(clients / writers, 1.0) ** number["shared_moves"]
    crowded = writers ** per_mode["crowding"] * (1 + writers * np.exp(-number["knee"]))
    stored = np.exp(per_mode["slowness"] - number["target_rate"]) * crowded
    target = per_target * clients ** number["seeking"] * (stored + np.exp(per_mode["lock_cost"]) * moves)
    busy = np.minimum(columns.nodes, columns.aggregators)
    shared = 1 + np.exp(number["sharing"]) * (columns.aggregators / busy - 1)
    rounds = np.exp(number["round_cost"]) * moved / columns.aggregators
    parts = [
        moved / columns.aggregators * np.exp(-number["process_rate"]),
        moved / busy * np.exp(-number["client_rate"]) * shared,
        per_target / clients * np.exp(-number["slots_rate"]),
        target,
        moved / busy * np.exp(per_mode["flush_cost"]) * moves,
    ]
    return np.exp(number["start"]), rounds * columns.ranks ** number["round_exponent"], np.stack(parts)


def _by_mode(numbers: Floats, columns: WriteColumns) -> dict[str, Floats]:
    """The numbers of each row's lock mode, by draw and row."""
    found: dict[str, list[Floats]] = {"lock_cost": [], "flush_cost": [], "crowding": [], "slowness": []}
    at = len(FIXED)
    for place in range(len(columns.lock_modes)):
        found["lock_cost"].append(numbers[:, at])
        found["flush_cost"].append(numbers[:, at + 1])
        found["crowding"].append(numbers[:, at + 2])
        found["slowness"].append(numbers[:, at + 3] if place else np.zeros(len(numbers)))
        at += 4 if place else 3
    return {name: np.stack(values, axis=1)[:, columns.mode] for name, values in found.items()}
