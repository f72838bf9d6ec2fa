"""The decision tree of paper 004, Figure 2, as data: which test or rung comes next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RungTrial:
    """A validity test and where its outcomes lead."""

    question: str
    passed: str
    failed: str


@dataclass(frozen=True, slots=True)
class Rung:
    """A rung: accepted when its bounds are narrow enough, else `wider` comes next."""

    wider: str | None


START = "machine parts"
TREE: dict[str, RungTrial | Rung] = {
    # Beyond the paper: a rung answers only for machines all of whose parts it models.
    "machine parts": RungTrial("do the coarse rungs model every part?", passed="contention", failed="fine"),
    "contention": RungTrial("do messages not contend?", passed="sequential I/O", failed="fine"),
    "sequential I/O": RungTrial(
        "does every disk read in sequence?", passed="groups of events", failed="I/O scale"
    ),
    "I/O scale": RungTrial("are seeks too small to matter?", passed="groups of events", failed="fine"),
    "groups of events": RungTrial("does no group wait for another?", passed="resource", failed="cyclic SPMD"),
    # Beyond the paper: programs that a queueing network describes.
    "cyclic SPMD": RungTrial(
        "do all ranks cycle through work and I/O?", passed="queueing", failed="macro-rr"
    ),
    "resource": Rung(wider="cyclic SPMD"),
    "queueing": Rung(wider="macro-rr"),
    "macro-rr": Rung(wider="macro-queue"),
    "macro-queue": Rung(wider="micro"),
    "micro": Rung(wider="flow"),
    # Beyond the paper: measured, not bounded, and left out wherever `fine` can be had.
    "flow": Rung(wider="fine"),
    "fine": Rung(wider=None),
}
