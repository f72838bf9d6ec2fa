"""Shared files: stripes, collective calls and the time inside them, opens."""

from __future__ import annotations

import numpy as np

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.advice.layer import KINDS, Floats
from striate.advice.rules.requests import NO_POSIX
from striate.interval import Interval
from striate.shell import path_word
from striate.tuning.change import Change
from striate.units import about_seconds, about_size, counted

SMALL = 2**20
LARGE = 2**22
GIB = 2**30
MOST_STRIPES = 64


def stripe(facts: Facts) -> Verdict:
    """A large shared file on few storage targets, or small files on many."""
    layer, stripes = facts.storage, facts.trace.records.get("LUSTRE")
    if layer is None:
        return NO_POSIX
    if stripes is None:
        return Unjudged("the stripes of its files")
    count = np.zeros(layer.files)
    file = np.asarray(stripes.column("file").to_numpy())
    np.maximum.at(count, file, np.asarray(stripes.column("stripe_count").to_numpy(), float))
    size = layer.of_files(layer.moved())
    users = layer.users_of_files()
    wanted = np.minimum(np.minimum(np.ceil(size / GIB), users), MOST_STRIPES)
    narrow = (count > 0) & (wanted >= 4) & (count <= wanted / 4)
    wide = (count >= 8) & (size < 16 * SMALL) & (size > 0) & (users <= 1)
    if not narrow.any():
        return _wide(facts, wide, count, size)
    spent = np.where(layer.in_files(narrow), layer.seconds(*KINDS), 0.0)
    wall = facts.wall(layer, spent)
    if not facts.matters(wall.estimate):
        return None
    worst = int(np.argmax(np.where(narrow, size, 0)))
    to = int(wanted[worst])
    words = (
        f"{facts.name(worst)}: {about_size(float(size[worst]))} by {int(users[worst]):,} ranks on "
        f"{counted(int(count[worst]), 'storage target')}"
    )
    return Diagnosis(
        title="A large shared file is striped over few storage targets",
        evidence=Evidence.of(layer.calls()[spent > 0], size[narrow], spent, words),
        why="The file cannot be faster than its storage targets, however many ranks write.",
        wall=wall,
        change=Change(
            f"Stripe new files over {to} targets, before they are created",
            hints={"striping_factor": str(to), "striping_unit": str(SMALL)},
            commands=(f"lfs setstripe -c {to} {_folder(facts.name(worst))}",),
            runtime={"servers": to, "chunk": "1 MiB"},
        ),
        verify=f"lfs getstripe: stripe_count {to}",
        saved=(0.0, 1 - float(count[worst]) / to),
        certainty="inferred",
    )


def _wide(facts: Facts, wide: np.ndarray, count: Floats, size: Floats) -> Verdict:
    layer = facts.storage
    assert layer is not None
    chosen = layer.in_files(wide)
    spent = np.where(chosen, layer.seconds("meta"), 0.0)
    wall = facts.wall(layer, spent)
    if wide.sum() < 32 or not facts.matters(wall.estimate):
        return None
    words = (
        f"{int(wide.sum()):,} files of {about_size(float(size[wide].mean()))} on "
        f"{int(count[wide].mean())} targets each"
    )
    return Diagnosis(
        title="Small files are striped over many storage targets",
        evidence=Evidence.of(layer.calls()[chosen], size[wide], spent, words),
        why="Creating, stating and removing a file sends a request to each of its targets.",
        wall=wall,
        change=Change(
            "Put small files on one target each",
            commands=(f"lfs setstripe -c 1 {_folder(facts.largest(np.where(wide, size, 0), most=1)[0])}",),
        ),
        verify="lfs getstripe: stripe_count 1",
        saved=(0.0, 0.7),
        certainty="assumed",
    )


def _folder(name: str) -> str:
    """The folder of a file as a word of a command; names in logs may hold anything."""
    folder = name.rsplit("/", 1)[0] or "/"
    return path_word(folder if "/" in name else "", otherwise="DIRECTORY")


def missing_collectives(facts: Facts) -> Verdict:
    """Many ranks access one file in small independent requests."""
    above = facts.layer("MPI-IO")
    layer = above if above is not None and above.calls().sum() > 0 else facts.layer("POSIX")
    if layer is None:
        return NO_POSIX
    together = (
        layer.get("coll_reads")
        + layer.get("coll_writes")
        + layer.get("split_reads")
        + layer.get("split_writes")
    )
    alone = layer.calls() - together
    size = layer.of_files(layer.moved())
    calls = layer.of_files(alone)
    shared = (
        (layer.users_of_files() >= 4)
        & (calls >= 8 * layer.users_of_files())
        & (layer.of_files(together) < 0.1 * calls)
    )
    shared &= (size < SMALL * np.maximum(layer.of_files(layer.calls()), 1)) & ~facts.standard_streams
    if layer.module == "POSIX":
        shared &= (
            layer.of_files(layer.calls("write")) > 0
        )  # reading a shared input alone is common, and cached
    mine = layer.in_files(shared)
    spent = np.where(mine, layer.seconds(*KINDS), 0.0)
    wall = facts.wall(layer, spent)
    if not shared.any() or not facts.matters(wall.estimate):
        return None
    count, total = int(alone[mine].sum()), float(layer.moved()[mine].sum())
    name = facts.largest(np.where(shared, calls, 0), most=1)[0]
    words = f"{count:,} accesses of {about_size(total / max(count, 1))} on average to {name}, by independent calls"
    return Diagnosis(
        title="Ranks access a shared file independently",
        evidence=Evidence(count, int(total), float(spent.sum()), words),
        why="A collective call merges the accesses of all ranks into few large requests; independent "
        "calls each pay the latency and contend.",
        wall=wall,
        change=Change(
            "Use the collective call, with a file view or a datatype for all that a rank has",
            hints={"romio_cb_write": "enable", "romio_cb_read": "enable", "cb_buffer_size": str(16 * 2**20)},
            code="file.Write_all(data)  # after file.Set_view(offset, etype, filetype); HDF5: H5FD_MPIO_COLLECTIVE",
            runtime={"buffer": "64 MiB"},
        ),
        verify="striate info of a new trace: write_all or read_all calls, and large accesses below them",
        saved=(0.1, 0.95),
        certainty="inferred",
    )


def collective_exchange(facts: Facts) -> Verdict:
    """Collective calls that take far longer than the file accesses below them."""
    above, below = facts.layer("MPI-IO"), facts.layer("POSIX")
    if above is None:
        return None
    if below is None:
        return Unjudged("POSIX counters below its collective calls")
    together = above.of_files(
        sum(
            (above.get(f"{form}_{kind}s") for form in ("coll", "split") for kind in KINDS),
            np.zeros(len(above)),
        )
    )
    mpi, posix = above.of_files(above.seconds(*KINDS)), below.of_files(below.seconds(*KINDS))
    heavy = (together > 0) & (mpi > 2 * posix) & (posix > 0)
    mine = above.in_files(heavy)
    ratio = np.divide(mpi - posix, mpi, out=np.zeros_like(mpi), where=mpi > 0)
    spent = np.where(mine, above.seconds(*KINDS) * ratio[np.maximum(above.file, 0)], 0.0)
    wall = facts.wall(above, spent)
    if not heavy.any() or not facts.matters(wall.estimate):
        return None
    worst = int(np.argmax(np.where(heavy, mpi, 0)))
    request = float(above.of_files(above.moved())[worst]) / max(float(together[worst]), 1.0)
    contiguous = request >= LARGE
    words = (
        f"{facts.name(worst)}: {about_seconds(float(mpi[worst]))} of all ranks in MPI-IO, "
        f"{about_seconds(float(posix[worst]))} "
        f"of it in file accesses; {int(together[worst]):,} collective calls of {about_size(request)} per rank"
    )
    choice = (
        "requests are large, so disabling collective buffering is likely best"
        if contiguous
        else "try them in this order"
    )
    return Diagnosis(
        title="The exchange inside collective calls takes most of the time",
        evidence=Evidence.of(together[heavy], above.moved()[mine], spent, words),
        why="Ranks send their data to aggregators and wait for each other before the file "
        "is accessed; that takes most of the time.",
        wall=wall,
        change=Change(
            f"Three remedies; {choice}: other aggregators (one or more per node), no collective "
            "buffering, or a transpose of "
            "the data first so that each rank has one contiguous part",
            hints={"romio_cb_write": "disable", "romio_cb_read": "disable"}
            if contiguous
            else {"cb_nodes": str(_nodes(facts)), "cb_config_list": "*:1"},
            code="data = transpose(comm, data); file.Write_at_all(offset, data)  # contiguous parts",
        ),
        verify="striate info of a new trace: seconds at level mpi-io near those at level posix",
        saved=(0.0, 0.9),
    )


def _nodes(facts: Facts) -> int:
    return max(1, len(facts.trace.header.hosts) or facts.ranks // 32)


def needless_collectives(facts: Facts) -> Verdict:
    """Collective calls of large contiguous parts: aggregators add copies and nothing else."""
    above, below = facts.layer("MPI-IO"), facts.layer("POSIX")
    if above is None:
        return None
    if below is None:
        return Unjudged("POSIX counters below its collective calls")
    together = above.of_files(sum((above.get(f"coll_{kind}s") for kind in KINDS), np.zeros(len(above))))
    size = above.of_files(above.moved())
    request = np.divide(size, together, out=np.zeros_like(size), where=together > 0)
    mpi, posix = above.of_files(above.seconds(*KINDS)), below.of_files(below.seconds(*KINDS))
    needless = (request >= 4 * LARGE) & (mpi > 1.5 * posix) & (posix > 0)
    mine = above.in_files(needless)
    ratio = np.divide(mpi - posix, mpi, out=np.zeros_like(mpi), where=mpi > 0)
    spent = np.where(mine, above.seconds(*KINDS) * ratio[np.maximum(above.file, 0)], 0.0)
    wall = facts.wall(above, spent)
    if not needless.any() or not facts.matters(wall.estimate):
        return None
    words = (
        f"{int(together[needless].sum()):,} collective calls of "
        f"{about_size(float(request[needless].mean()))} per rank"
    )
    return Diagnosis(
        title="Collective buffering of requests that are already large",
        evidence=Evidence.of(together[needless], size[needless], spent, words),
        why="Large contiguous parts need no rearranging; sending them to aggregators copies every byte once more.",
        wall=wall,
        change=Change(
            "Turn collective buffering off for these files, or use independent calls",
            hints={"romio_cb_write": "disable", "romio_cb_read": "disable"},
        ),
        verify="striate info of a new trace: seconds at level mpi-io near those at level posix",
        saved=(0.0, 0.9),
    )


def independent_opens(facts: Facts) -> Verdict:
    """Every rank opens a shared file by itself."""
    above = facts.layer("MPI-IO")
    layer = facts.layer("POSIX")
    if layer is None:
        return NO_POSIX
    if facts.ranks < 16:
        return None
    users = layer.users_of_files()
    alone = (users >= 0.9 * facts.ranks) & (layer.of_files(layer.opens()) >= users) & ~facts.standard_streams
    if above is not None:
        alone &= above.of_files(above.get("coll_opens")) == 0
    mine = layer.in_files(alone)
    spent = np.where(mine, layer.seconds("meta"), 0.0)
    wall = facts.wall(layer, spent)
    if not alone.any() or not facts.matters(wall.estimate):
        return None
    count = int(layer.opens()[mine].sum())
    words = f"{count:,} opens of {int(alone.sum()):,} shared files by {facts.ranks:,} ranks, independently"
    return Diagnosis(
        title="All ranks open the same files independently",
        evidence=Evidence(count, 0, float(spent.sum()), words),
        why="All ranks send the same request to the metadata server at the same time; a collective "
        "open sends one, or one per aggregator.",
        wall=Interval(wall.low, wall.estimate, wall.high),
        change=Change(
            "Open shared files collectively, or let one rank read and broadcast",
            code="MPI.File.Open(comm, path, amode)  # with romio_no_indep_rw = true only aggregators open",
            hints={"romio_no_indep_rw": "true"},
        ),
        verify="striate info of a new trace: opens near the number of aggregators",
        saved=(0.0, 0.95),
        certainty="inferred",
    )
