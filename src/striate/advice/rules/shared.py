"""Shared files: stripes, collective calls and the time inside them, opens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.advice.layer import KINDS, Floats, Layer, Rows
from striate.advice.rules.requests import NO_POSIX, NO_STORAGE, collective_calls
from striate.arrow import as_numpy
from striate.shell import path_word
from striate.tuning.change import Change
from striate.units import about_seconds, about_size, counted

SMALL = 2**20
LARGE = 2**22
GIB = 2**30
MOST_STRIPES = 64
PART = 64 * SMALL  # bytes of a file that are worth a storage target


def stripe(facts: Facts) -> Verdict:
    """A large shared file on few storage targets, or small files on many."""
    layer, stripes = facts.storage, facts.trace.records.get("LUSTRE")
    if layer is None:
        return NO_STORAGE
    if stripes is None:
        return Unjudged("the stripes of its files")
    count = np.zeros(layer.files)
    file = as_numpy(stripes.column("file"))
    last = layer.most_of_files(np.maximum(layer.get("max_byte_read"), layer.get("max_byte_written")))
    used = (as_numpy(stripes.column("start")) <= last[file]) | (last[file] <= 0)  # components that hold bytes
    np.maximum.at(count, file[used], as_numpy(stripes.column("stripe_count"))[used].astype(float))
    size = layer.of_files(layer.moved())
    reach = np.where(last > 0, np.minimum(size, last + 1), size)  # what is accessed again lies there once
    users = layer.users_of_files()
    wanted = np.minimum(np.minimum(np.ceil(size / GIB), reach // PART), np.minimum(users, MOST_STRIPES))
    narrow = (count > 0) & (wanted >= 4) & (count <= np.where(count <= 4, wanted / 4, wanted / 8))
    wide = (count >= 8) & (size < 16 * SMALL) & (size > 0) & (users <= 1)
    if not narrow.any():
        return _wide(facts, wide, count, size)
    spent = np.where(layer.in_files(narrow), layer.seconds(*KINDS), 0.0)
    wall = facts.wall(layer, spent)
    if not facts.matters(wall.estimate):
        return None
    worst = int(np.argmax(np.where(narrow, size, 0)))
    to = int(wanted[worst])
    again = f" to or from {about_size(float(reach[worst]))}" if reach[worst] < 0.9 * size[worst] else ""
    words = (
        f"{facts.name(worst)}: {about_size(float(size[worst]))}{again} by {int(users[worst]):,} ranks on "
        f"{counted(int(count[worst]), 'storage target')}"
    )
    return Diagnosis(
        title="A large shared file is striped over few storage targets",
        evidence=Evidence.of(layer.calls()[spent > 0], size[narrow], spent, words),
        why="The file cannot be faster than its storage targets, however many ranks use it.",
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


@dataclass(frozen=True)
class _Collective:
    """Files accessed by collective calls: their calls, and seconds of a rank inside and below them, by file."""

    above: Layer
    together: Floats  # collective calls
    inside: Floats  # seconds in MPI-IO, the mean over the ranks: all of them wait for the last
    below: Floats  # seconds in file accesses, of the rank that spends most: an aggregator
    aggregators: Floats  # ranks that access the file; infinite where the log does not tell

    @property
    def request(self) -> Floats:
        """Bytes per collective call of a rank."""
        return self.above.of_files(self.above.moved()) / np.maximum(self.together, 1.0)

    def spent(self, files: Rows) -> Floats:
        """Of each record of the files, the seconds that were not spent in file accesses."""
        outside = np.maximum(self.inside - self.below, 0.0)
        share = np.divide(outside, self.inside, out=np.zeros_like(outside), where=self.inside > 0)
        mine = self.above.in_files(files)
        return np.where(mine, self.above.seconds(*KINDS) * share[np.maximum(self.above.file, 0)], 0.0)


def _collective(facts: Facts) -> _Collective | Unjudged | None:
    above, below = facts.layer("MPI-IO"), facts.layer("POSIX")
    if above is None:
        return None
    if below is None:
        return Unjudged("POSIX counters below its collective calls")
    users = np.maximum(above.users_of_files(), 1.0)
    slowest = np.minimum(below.slowest_time(), below.seconds(*KINDS))
    return _Collective(
        above,
        collective_calls(above),
        above.of_files(above.seconds(*KINDS)) / users,
        below.most_of_files(slowest),
        _accessing(below),
    )


def _accessing(below: Layer) -> Floats:
    """How many ranks access each file: those with records, or as many as fit the bytes of the slowest of all."""
    merged, size = below.rank < 0, below.moved()
    own = below.of_files(np.where(~merged & (size >= 0.1 * below.most_of_files(size)[below.file]), 1.0, 0.0))
    most = below.get("slowest_rank_bytes")
    shared = np.divide(size, most, out=np.full(len(below), np.inf), where=merged & (most > 0))
    return np.where(below.of_files(np.where(merged, 1.0, 0.0)) > 0, below.most_of_files(shared), own)


def collective_exchange(facts: Facts) -> Verdict:
    """Collective calls that take far longer than the file accesses below them, or that few ranks carry out."""
    found = _collective(facts)
    if not isinstance(found, _Collective):
        return found
    above = found.above
    heavy = (found.together > 0) & (found.inside > 2 * found.below) & (found.below > 0)
    spent = found.spent(heavy)
    wall = facts.wall(above, spent)
    if not heavy.any() or not facts.matters(wall.estimate):
        return _few_aggregators(facts, found)
    worst = int(np.argmax(np.where(heavy, found.inside, 0)))
    request = float(found.request[worst])
    contiguous = request >= LARGE
    words = (
        f"{facts.name(worst)}: {about_seconds(float(found.inside[worst]))} of each rank in MPI-IO, at most "
        f"{about_seconds(float(found.below[worst]))} "
        f"of it in file accesses; {int(found.together[worst]):,} collective calls, {about_size(request)} each"
    )
    choice = (
        "requests are large, so disabling collective buffering is likely best"
        if contiguous
        else "try them in this order"
    )
    return Diagnosis(
        title="The exchange inside collective calls takes most of the time",
        evidence=Evidence.of(found.together[heavy], above.moved()[above.in_files(heavy)], spent, words),
        why="Ranks send their data to aggregators and wait for each other before the file "
        "is accessed; that takes most of the time.",
        wall=wall,
        change=Change(
            f"Three remedies; {choice}: other aggregators (one or more per node), no collective "
            "buffering, or a transpose of "
            "the data first so that each rank has one contiguous part",
            hints={"romio_cb_write": "disable", "romio_cb_read": "disable"}
            if contiguous
            else _other_aggregators(_nodes(facts), float(found.aggregators[worst])),
            code="data = transpose(comm, data); file.Write_at_all(offset, data)  # contiguous parts",
        ),
        verify="striate info of a new trace: seconds at level mpi-io near those at level posix",
        saved=(0.0, 0.9),
    )


def _other_aggregators(nodes: int, now: float) -> dict[str, str]:
    """One aggregator per node; two where there is one by now."""
    each = 2 if round(min(now, 2.0**31)) == nodes else 1
    return {"cb_nodes": str(each * nodes), "cb_config_list": f"*:{each}"}


def _few_aggregators(facts: Facts, found: _Collective) -> Verdict:
    """Collective calls whose file accesses far fewer ranks make than there are nodes."""
    nodes = _nodes(facts)
    few = (found.together > 0) & (4 * found.aggregators <= nodes) & (found.below > 0)
    above = found.above
    spent = np.where(above.in_files(few), above.seconds(*KINDS), 0.0)
    wall = facts.wall(above, spent)
    if not few.any() or not facts.matters(wall.estimate):
        return None
    worst = int(np.argmax(np.where(few, found.inside, 0)))
    ranks = counted(max(round(float(found.aggregators[worst])), 1), "rank")
    words = (
        f"{facts.name(worst)}: {ranks} access the file for {facts.ranks:,}, which spend "
        f"{about_seconds(float(found.inside[worst]))} each in collective calls"
    )
    return Diagnosis(
        title="Few aggregators carry out collective calls",
        evidence=Evidence.of(found.together[few], above.moved()[above.in_files(few)], spent, words),
        why="All bytes pass through the network interfaces and streams of few nodes; the others wait.",
        wall=wall,
        change=Change(
            "Use an aggregator on each node, or one per storage target of the file",
            hints={"cb_nodes": str(nodes), "cb_config_list": "*:1"},
        ),
        verify="striate info of a new trace: as many ranks access the file as there are nodes",
        saved=(0.0, 1 - 4 / (4 + nodes)),
        certainty="inferred",
    )


def _nodes(facts: Facts) -> int:
    return max(1, len(facts.trace.header.hosts) or facts.ranks // 32)


def needless_collectives(facts: Facts) -> Verdict:
    """Collective calls of large contiguous parts: aggregators add copies and nothing else."""
    found = _collective(facts)
    if not isinstance(found, _Collective):
        return found
    above = found.above
    needless = (found.together > 0) & (found.request >= 4 * LARGE)
    needless &= (found.inside > 1.5 * found.below) & (found.below > 0)
    spent = found.spent(needless)
    wall = facts.wall(above, spent)
    if not needless.any() or not facts.matters(wall.estimate):
        return None
    words = (
        f"{int(found.together[needless].sum()):,} collective calls, "
        f"{about_size(float(found.request[needless].mean()))} each"
    )
    return Diagnosis(
        title="Collective buffering of requests that are already large",
        evidence=Evidence.of(found.together[needless], above.of_files(above.moved())[needless], spent, words),
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
    opens, others = layer.opens(), layer.get("stats") + layer.get("seeks")
    share = np.divide(opens, opens + others, out=np.zeros(len(layer)), where=opens > 0)
    spent = np.where(mine, layer.seconds("meta") * share, 0.0)
    wall = facts.wall(layer, spent)
    if not alone.any() or not facts.matters(wall.estimate):
        return None
    count = int(opens[mine].sum())
    shared = counted(int(alone.sum()), "shared file")
    words = f"{count:,} opens of {shared} by {facts.ranks:,} ranks, independently"
    return Diagnosis(
        title="All ranks open the same files independently",
        evidence=Evidence(count, 0, float(spent.sum()), words),
        why="All ranks send the same request to the metadata server at the same time; a collective "
        "open sends one, or one per aggregator.",
        wall=wall,
        change=Change(
            "Open shared files collectively, or let one rank read and broadcast",
            code="MPI.File.Open(comm, path, amode)  # with romio_no_indep_rw = true only aggregators open",
            hints={"romio_no_indep_rw": "true"},
        ),
        verify="striate info of a new trace: opens near the number of aggregators",
        saved=(0.0, 0.95),
        certainty="inferred",
    )
