"""Who does the I/O: one rank for all, unequal parts, slow hosts, slow storage targets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.advice.layer import Floats, Layer
from striate.advice.rules.requests import NO_STORAGE
from striate.interval import Interval
from striate.printable import one_line
from striate.tuning.change import Change
from striate.units import about_seconds, about_size, counted

ALONE = 0.8  # of the bytes
UNEVEN = 1.5  # the busiest rank over the mean
LATE_SHARE = 0.15  # of the slowest rank's time on shared files: as Drishti's (Bez et al., PDSW 2022)
SLOW = 2.0  # times the median of its like
FEW_BYTES = 2**20
ALIKE = 1.25  # times the bytes of another: about as many


def one_rank(facts: Facts) -> Verdict:
    """One rank moves nearly all bytes of a parallel program."""
    if facts.ranks < 4:
        return None
    moved = facts.rank_bytes
    if moved is None:
        return _one_named_rank(facts)
    busiest = int(np.argmax(moved))
    if moved[busiest] < ALONE * moved.sum() or moved[busiest] < FEW_BYTES:
        return None
    seconds = sum(
        float(np.where((layer.rank == busiest) | (layer.rank < 0), layer.slowest_time(), 0.0).sum())
        for layer in facts.asking
    )
    return _alone(facts, busiest, (float(moved[busiest]), float(moved.sum())), seconds)


def _one_named_rank(facts: Facts) -> Verdict:
    """The same from merged records, where one of them names a rank with nearly all of its bytes."""
    layer = facts.storage
    if layer is None:
        return NO_STORAGE
    size = np.where(facts.asked(layer), layer.moved(), 0.0)
    most = layer.get("slowest_rank_bytes")
    alone = (layer.rank < 0) & (most >= ALONE * size) & (size > 0)
    if size[alone].sum() < max(ALONE * size.sum(), FEW_BYTES):
        if layer.has("variance_rank_bytes"):
            return None
        return Unjudged("bytes per rank: records are merged")
    busiest = int(layer.get("slowest_rank")[alone][np.argmax(size[alone])])
    spent = np.where(alone | (layer.rank == busiest), np.minimum(layer.slowest_time(), layer.seconds()), 0.0)
    return _alone(facts, busiest, (float(size[alone].sum()), float(size.sum())), float(spent.sum()))


def _alone(facts: Facts, rank: int, sizes: tuple[float, float], spent: float) -> Verdict:
    """The diagnosis of a rank that moves so many bytes of so many."""
    seconds = min(spent, facts.run_seconds or float("inf"))
    if not facts.matters(seconds):
        return None
    parts = min(facts.ranks, 16)
    size, total = sizes
    calls = sum(float(layer.calls()[(layer.rank == rank) | (layer.rank < 0)].sum()) for layer in facts.asking)
    words = f"rank {rank} moves {about_size(size)} of {about_size(total)}, the other {facts.ranks - 1:,} ranks the rest"
    return Diagnosis(
        title="One rank does all the I/O",
        evidence=Evidence(int(calls), int(size), seconds, words),
        why="One rank uses one network interface and one stream to the file system; the other ranks could use theirs.",
        wall=Interval(0.9 * seconds, seconds, seconds),
        change=Change(
            "Give every rank, or one rank per node, an equal part of the file",
            hints={"romio_cb_write": "enable", "romio_cb_read": "enable", "cb_nodes": str(parts)},
            code="file.Write_at_all(rank * part, data)  # in place of a gather to one rank and its write",
            runtime={"servers": parts},
        ),
        verify="striate info of a new trace: the slowest rank's I/O time is near the mean",
        saved=(0.2, 1 - 1 / parts),
        cap=seconds * (1 - 1 / facts.ranks),
    )


def imbalance(facts: Facts) -> Verdict:
    """Some ranks move much more than others."""
    if facts.ranks < 4:
        return None
    moved = facts.rank_bytes
    layer = facts.storage
    if layer is None:
        return NO_STORAGE
    if moved is None:
        return _uneven_times(facts, layer)
    mean = float(moved.mean())
    busiest = int(np.argmax(moved))
    if (
        mean * facts.ranks < FEW_BYTES
        or moved[busiest] < UNEVEN * mean
        or moved[busiest] >= ALONE * moved.sum()
        or _aggregated(moved)
    ):
        return None
    spent = layer.seconds()
    wall = facts.wall(layer, spent)
    if not facts.matters(wall.estimate):
        return None
    words = f"rank {busiest} moves {about_size(moved[busiest])}, the mean is {about_size(mean)}"
    return _uneven(facts, layer, wall, words, mean_seconds=float(spent.sum()) / facts.ranks)


def _aggregated(moved: Floats) -> bool:
    """Whether every n-th rank moves about the same, and the ranks between them next to nothing: by design."""
    busy = np.flatnonzero(moved > 0.1 * moved.max())
    steps = np.diff(busy)
    even = moved[busy].max() <= UNEVEN * moved[busy].mean()
    return bool(len(busy) >= 4 and even and steps[0] > 1 and (steps == steps[0]).all())


def _uneven_times(facts: Facts, layer: Layer) -> Verdict:
    """By the slowest rank of merged records against their mean; files below collective calls are the aggregators'."""
    if isinstance(one_rank(facts), Diagnosis):
        return None
    layer = _judged_times(facts, layer)
    wall = facts.wall(layer, layer.seconds())
    mean = float(layer.seconds().sum()) / facts.ranks
    if not len(layer):
        return None
    shared = (layer.rank < 0) & (layer.get("slowest_rank_time") > 0)
    slowest = layer.slowest_time()
    longer = float((slowest - layer.seconds() / facts.ranks)[shared].sum())
    if longer < LATE_SHARE * (mean + longer) or not facts.matters(wall.estimate):
        return None
    worst = int(np.argmax(np.where(shared, slowest, 0.0)))
    words = (
        f"rank {int(layer.get('slowest_rank')[worst])} spends {about_seconds(float(slowest[worst]))} on "
        f"{facts.name(int(layer.file[worst]))}, the mean over ranks is "
        f"{about_seconds(float(layer.seconds()[worst]) / facts.ranks)}"
    )
    own, usual = float(layer.get("slowest_rank_bytes")[worst]), float(layer.moved()[worst]) / facts.ranks
    alike = 0 < own <= ALIKE * usual
    words += f"; it moves {about_size(own)}, the mean is {about_size(usual)}" if alike else ""
    found = _uneven(facts, layer, wall, words, mean_seconds=mean)
    return _late(found) if found is not None and alike else found


def _judged_times(facts: Facts, layer: Layer) -> Layer:
    """Records whose times are those of single ranks: what was asked for, by independent calls where MPI-IO was."""
    asked = layer.where(facts.asked(layer))
    above = facts.layer("MPI-IO")
    if len(asked) or above is None:
        return asked
    together = above.get("coll_reads") + above.get("coll_writes")
    return above.where(facts.asked(above) & (together == 0))


def _uneven(
    facts: Facts, layer: Layer, wall: Interval, words: str, *, mean_seconds: float
) -> Diagnosis | None:
    over = max(wall.high - mean_seconds, 0.0)
    if not facts.matters(over):
        return None
    return Diagnosis(
        title="Some ranks do much more I/O than others",
        evidence=Evidence.of(layer.calls(), layer.moved(), layer.seconds(), words),
        why="The run waits for its busiest rank; equal shares would finish at the same time.",
        wall=wall,
        change=Change(
            "Give every rank an equal part, or let a collective call share the work",
            hints={"romio_cb_write": "enable", "romio_cb_read": "enable"},
            code="file.Write_at_all(offset, data)  # with parts of equal size",
        ),
        verify="striate info of a new trace: the slowest rank's I/O time is near the mean",
        saved=(0.0, 1.0),
        cap=over,
    )


def _late(found: Diagnosis) -> Diagnosis:
    """The same of a slowest rank that moves no more than others: equal parts would not help it."""
    return replace(
        found,
        title="Some ranks take much longer than others for as many bytes",
        why="The run waits for its slowest rank: its node, network path or storage target is slow, or it waits for "
        "locks of others.",
        change=Change(
            "Look for what the slowest rank shares with no other: its node, or the storage targets of its part; "
            "let collective calls access the file where ranks wait for each other's locks",
            hints={"romio_cb_write": "enable", "romio_cb_read": "enable"},
            commands=("lfs getstripe FILE",),
        ),
        certainty="inferred",
    )


def _rates(facts: Facts, layer: Layer) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Seconds and bytes of records of single ranks that moved a like amount, and their numbers."""
    own = (layer.rank >= 0) & (layer.moved() >= FEW_BYTES)
    size = layer.moved()
    typical = np.median(size[own]) if own.any() else 0.0
    like = np.flatnonzero(own & (size > 0.5 * typical) & (size < 2 * typical))
    return layer.seconds("read", "write")[like], size[like], like


def slow_target(facts: Facts) -> Verdict:
    """A storage target (OST) on which every file is slow."""
    layer = facts.storage
    stripes = facts.trace.records.get("LUSTRE")
    if layer is None or stripes is None:
        return Unjudged("the storage targets of its files")
    seconds, size, like = _rates(facts, layer)
    targets = {
        file: set(mine)
        for file, mine in zip(
            stripes.column("file").to_pylist(), stripes.column("targets").to_pylist(), strict=True
        )
        if mine
    }
    known = [at for at, record in enumerate(like.tolist()) if int(layer.file[record]) in targets]
    if len(known) < 8:
        return None
    pace = seconds[known] / np.maximum(size[known], 1.0)
    usual = float(np.median(pace))
    slow = pace >= SLOW * usual
    if not slow.any():
        return None
    worst = _worst_target([targets[int(layer.file[like[at]])] for at in known], pace, usual)
    if worst is None:
        return None
    target, mine = worst
    spent = np.zeros(len(layer))
    spent[like[np.array(known)[mine]]] = seconds[known][mine]
    wall = facts.wall(layer, spent)
    excess = float((seconds[known][mine] - usual * size[known][mine]).max())
    if not facts.matters(excess):
        return None
    words = (
        f"{counted(int(mine.sum()), 'file')} on OST {target} take "
        f"{about_seconds(float(seconds[known][mine].mean()))} on average, "
        f"{float(pace[mine].mean()) / usual:.1f} times as long per byte as others"
    )
    return Diagnosis(
        title=f"Storage target OST {target} is slow",
        evidence=Evidence.of(mine, size[known][mine], spent, words),
        why="All files on the target are slow, whichever rank and host uses them: the target is "
        "at fault, not the program.",
        wall=wall,
        change=Change(
            "Report the target to your computing centre; put new files on other targets until it is repaired",
            commands=(
                f"lfs setstripe -p POOL DIRECTORY  # a pool without OST {target}; lfs pool_list shows them",
                f"lfs df -v  # OST {target}",
            ),
        ),
        verify="a new log: files on this target are as fast as others",
        saved=(0.3, 1.0),
        cap=excess,
        certainty="inferred",
    )


def _worst_target(places: list[set[int]], pace: Floats, usual: float) -> tuple[int, NDArray[np.bool_]] | None:
    """The target whose files are slowest, where nearly all of them are slow and most others are not."""
    best = None
    for target in sorted(set().union(*places)):
        mine = np.array([target in place for place in places])
        if mine.sum() < 2 or mine.all():
            continue
        ratio = float(np.median(pace[mine])) / max(float(np.median(pace[~mine])), 1e-30)
        if ratio >= SLOW and (pace[mine] >= SLOW * usual).mean() >= 0.7 and (best is None or ratio > best[0]):
            best = (ratio, target, mine)
    return None if best is None else (best[1], best[2])


def slow_host(facts: Facts) -> Verdict:
    """Ranks that take much longer than others for as many bytes, and the hosts they share."""
    layer = facts.storage
    if layer is None:
        return NO_STORAGE
    if facts.ranks < 4:
        return None
    moved = facts.rank_bytes
    if moved is None or (layer.rank < 0).all():
        return Unjudged("times of single ranks: records are merged")
    own = layer.rank >= 0
    io = np.bincount(layer.rank[own], layer.seconds()[own], facts.ranks)
    busiest = int(np.argmax(io))
    like = (moved > moved[busiest] / ALIKE) & (moved < ALIKE * moved[busiest]) & (moved >= FEW_BYTES)
    if (
        like.sum() < 4
        or io[busiest] < SLOW * np.median(io[like])
        or isinstance(slow_target(facts), Diagnosis)
    ):
        return None
    slow = np.flatnonzero(like & (io >= SLOW * np.median(io[like])))
    excess = float(io[busiest] - np.median(io[like]))
    spent = np.where(np.isin(layer.rank, slow), layer.seconds(), 0.0)
    if not facts.matters(excess) or len(slow) > 0.4 * like.sum():
        return None
    words = (
        f"{len(slow):,} ranks, such as {busiest}, spend up to {about_seconds(float(io[busiest]))} "
        "in I/O; the median of "
        f"ranks with as many bytes is {about_seconds(float(np.median(io[like])))}"
    )
    return Diagnosis(
        title="Some ranks are much slower than others",
        evidence=Evidence.of(layer.calls()[np.isin(layer.rank, slow)], moved[slow], io[slow], words),
        why="They move as many bytes as others, so the node, its network path, or the target behind it is slow.",
        wall=facts.wall(layer, spent),
        change=Change(
            f"Look at {_hosts(facts, slow)}; leave it out of the next run",
            commands=("srun --exclude=HOST ...", "lfs getstripe FILE  # is one of its targets slow for all?"),
        ),
        verify="striate info of a new trace: the slowest rank's I/O time is near the mean",
        saved=(0.3, 1.0),
        cap=excess,
        certainty="inferred",
    )


def _hosts(facts: Facts, ranks: NDArray[np.int64]) -> str:
    header = facts.trace.header
    if not header.host_of_rank:
        return f"the nodes of ranks {', '.join(str(rank) for rank in ranks[:8])}"
    return one_line(
        ", ".join(sorted({header.hosts[header.host_of_rank[rank]] for rank in ranks.tolist()})[:8])
    )
