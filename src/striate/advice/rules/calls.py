"""Calls that are made too often: flushes, seeks, opens and stats, files; reads of what was read or is only written."""

from __future__ import annotations

import numpy as np

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.advice.layer import MEBIBYTE, Floats, Rows
from striate.advice.rules.requests import NO_POSIX, NO_STORAGE
from striate.tuning.change import Change
from striate.units import about_size, counted

FEW = 32


def sync_per_write(facts: Facts) -> Verdict:
    layer = facts.layer("POSIX")
    if layer is None:
        return NO_POSIX
    syncs, writes = layer.get("fsyncs") + layer.get("fdsyncs"), layer.calls("write")
    often = (syncs >= 0.25 * writes) & (writes > 0) & (syncs >= 4 * layer.users)
    spent = np.where(often, layer.seconds("write", "meta"), 0.0)
    wall = facts.wall(layer, spent)
    if syncs[often].sum() < FEW or not facts.matters(wall.estimate):
        return None
    words = (
        f"{int(syncs[often].sum()):,} flushes (fsync, fdatasync) after {int(writes[often].sum()):,} writes"
    )
    share = float((syncs[often] / np.maximum(syncs + writes, 1)[often]).mean())
    return Diagnosis(
        title="Data are flushed to disk after nearly every write",
        evidence=Evidence.of(syncs[often], layer.moved("write")[often], spent, words),
        why="A flush waits until the data is on disk; without it, writes are collected in memory "
        "and written in the background.",
        wall=wall,
        change=Change(
            "Flush once, when the file is complete: before a checkpoint is declared valid",
            code="for block in blocks: write(fd, block)\nfsync(fd)  # once",
        ),
        verify="striate info of a new trace: syncs near the number of files",
        saved=(0.5 * share, 0.999),
    )


def seek_per_access(facts: Facts) -> Verdict:
    found = [one for one in (facts.layer("POSIX"), facts.layer("STDIO")) if one is not None]
    if not found:
        return NO_POSIX
    layer = max(found, key=lambda one: float(one.get("seeks").sum()))
    seeks, calls = layer.get("seeks") + layer.get("fseeks"), layer.calls()
    often = (seeks >= 0.8 * calls) & (calls > 0) & (seeks >= FEW)
    often &= (layer.moved() < MEBIBYTE * calls) | (layer.seconds("meta") >= 0.1 * layer.seconds())
    spent = np.where(often, layer.seconds(), 0.0)
    wall = facts.wall(layer, spent)
    if not often.any() or not facts.matters(wall.estimate):
        return None
    words = f"{int(seeks[often].sum()):,} seeks for {int(calls[often].sum()):,} accesses"
    share = float(layer.seconds("meta")[often].sum()) / max(float(spent.sum()), 1e-12)
    return Diagnosis(
        title="A seek before every access",
        evidence=Evidence.of(seeks[often], layer.moved()[often], spent, words),
        why="A seek is an extra call; on a stream it discards the buffer, and some file systems "
        "ask a server for the file size.",
        wall=wall,
        change=Change(
            "Give the offset with the access",
            code="pread(fd, buffer, size, offset)  # in place of lseek and read; MPI_File_read_at",
        ),
        verify="striate info of a new trace: no seeks",
        saved=(0.3 * share, max(0.95 * share, 0.3)),
        certainty="inferred",
    )


def metadata_storm(facts: Facts) -> Verdict:
    layer = facts.layer("POSIX") or facts.storage
    if layer is None:
        return NO_STORAGE
    stats, opens = layer.get("stats") + layer.get("get_sizes") + layer.get("lookups"), layer.opens()
    calls = stats + opens
    often = calls >= 8 * layer.users
    spent = layer.seconds("meta")
    wall = facts.wall(layer, spent)
    alone = float(spent.sum()) >= 0.5 * float(layer.seconds().sum())  # metadata outweigh the accesses
    if calls.sum() < FEW or not (often.any() or alone) or not facts.matters(wall.estimate):
        return None
    if not alone and calls[often].sum() < 0.3 * calls.sum():
        return None
    words = (
        f"{int(opens.sum()):,} opens and {int(stats.sum()):,} stats of "
        f"{counted(int((layer.of_files(calls) > 0).sum()), 'file')}"
    )
    many, users = (layer.of_files(opens) > 0).sum() >= FEW, np.where(opens > 0, layer.users, 0.0)
    needed = float(np.minimum(calls, 2 * layer.users).sum()) / max(float(calls.sum()), 1.0)
    return Diagnosis(
        title="Files are opened or looked up very often",
        evidence=Evidence(int(calls.sum()), 0, float(spent.sum()), words),
        why="Every open, close and stat is a request to the metadata server, which all ranks of all jobs share.",
        wall=wall,
        change=_fewer_files(facts)
        if many and opens.sum() <= 2 * users.sum()
        else _fewer_opens(looked_up=stats.sum() > opens.sum()),
        verify="striate info of a new trace: fewer opens and stats, and less time in metadata",
        saved=(0.3 * (1 - needed), max(1 - 0.5 * needed, 0.1)),
        certainty="inferred",
    )


def _fewer_opens(*, looked_up: bool) -> Change:
    listed = "names = comm.bcast(os.listdir(folder) if rank == 0 else None)"
    return Change(
        "Open each file once and keep it open; let one rank look files up and broadcast the result",
        code=listed if looked_up else "file = open(path, 'ab')  # once, before the loop that writes",
    )


def _fewer_files(facts: Facts) -> Change:
    """For programs that open each file hardly more than once: what they could do is to have fewer of them."""
    if facts.ranks == 1:
        return _container()
    return Change(
        "Use fewer files, one shared file or one per node; let one rank look files up and broadcast the result",
        code="file = MPI.File.Open(comm, path, MODE); file.Write_at_all(rank * part, data)",
    )


def _container() -> Change:
    """For a program of one rank, which shares its files with no other."""
    return Change(
        "Keep small files together in one container: an archive, HDF5, or a data base",
        code="with zipfile.ZipFile(path) as archive: content = archive.read(name)",
    )


def many_files(facts: Facts) -> Verdict:
    layer = facts.layer("POSIX") or facts.storage
    if layer is None:
        return NO_STORAGE
    opened = layer.of_files(layer.opens() + layer.calls())
    reach = np.where(layer.moved("write") > 0, layer.get("max_byte_written") + 1, 0.0)
    size = np.maximum(layer.of_files(layer.moved()), layer.most_of_files(reach))
    lone = (opened > 0) & (layer.users_of_files() <= 1) & ~facts.standard_streams & (size < 16 * 2**20)
    count = int(lone.sum())
    spent = np.where(layer.in_files(lone), layer.seconds(), 0.0)
    wall = facts.wall(layer, spent)
    if count < max(FEW, 2 * facts.ranks) or not facts.matters(wall.estimate):
        return None
    total = float(size[lone].sum())
    moved = f"of {about_size(total / count)} on average" if total else "of which nothing is read or written"
    words = f"{count:,} files {moved}, each used by one rank"
    return Diagnosis(
        title="Many small files",
        evidence=Evidence(int(layer.opens().sum()), int(total), float(spent.sum()), words),
        why="Creating and opening a file costs more than its few bytes, and all ranks use one metadata server.",
        wall=wall,
        change=_container()
        if facts.ranks == 1
        else Change(
            "Write one shared file, or one per node, with a part for each rank; pack small inputs into one container",
            code="file = MPI.File.Open(comm, path, MODE); file.Write_at_all(rank * part, data)",
            runtime={"servers": min(facts.ranks, 16)},
        ),
        verify="striate info of a new trace: few files",
        saved=(0.2, 0.95),
        certainty="inferred",
    )


def redundant_reads(facts: Facts) -> Verdict:
    layer = facts.storage
    if layer is None or not layer.has("max_byte_read"):
        return Unjudged("the highest offset read") if layer is not None else NO_STORAGE
    read, reach = layer.of_files(layer.moved("read")), layer.most_of_files(layer.get("max_byte_read") + 1)
    rewritten = (
        layer.of_files(layer.moved("write")) > 0
    )  # what is read again may have been written in between
    again = (read > np.where(rewritten, 16, 2) * reach) & (read > 0) & ~facts.standard_streams
    extra = float((read - reach)[again].sum())
    mine = layer.in_files(again)
    spent = np.where(mine, layer.seconds("read"), 0.0)
    wall = facts.wall(layer, spent)
    if extra < 2**20 or not facts.matters(wall.estimate):
        return None
    factor = float((read[again]).sum() / max(reach[again].sum(), 1.0))
    users = float(layer.users_of_files()[again].max())
    words = (
        f"{about_size(extra)} of {about_size(float(read.sum()))} read were read before: "
        f"{_such(facts, again, read)} read {factor:,.{1 if factor < 10 else 0}f} times over by up to "
        f"{counted(int(users), 'rank')}"
    )
    return Diagnosis(
        title="The same bytes are read again",
        evidence=Evidence(int(layer.calls("read")[mine].sum()), int(extra), float(spent.sum()), words),
        why="Bytes that were read before could stay in memory, or be read by one rank and sent to the others.",
        wall=wall,
        change=Change(
            "Read once: keep what was read, or let one rank read and broadcast",
            code="data = comm.bcast(read(path) if rank == 0 else None)  # a program's own files: local disks",
            runtime={"buffer": "64 MiB"},
        ),
        verify=f"bytes read in a new trace: {about_size(float(read.sum()) - extra)}",
        saved=(0.3 * (1 - 1 / factor), 1 - 1 / factor),
    )


def _such(facts: Facts, files: Rows, weights: Floats) -> str:
    """The one file, or how many and the one with the largest weight, as the subject of a sentence."""
    name = facts.largest(np.where(files, weights, 0), most=1)[0]
    return f"{name} was" if files.sum() == 1 else f"{int(files.sum()):,} files, such as {name}, were"


def read_modify_write(facts: Facts) -> Verdict:
    layer = facts.layer("POSIX")
    if layer is None:
        return NO_POSIX
    above = facts.layer("MPI-IO")
    reads, writes = layer.calls("read"), layer.calls("write")
    switches = layer.get("rw_switches")
    mixed = (switches >= 0.3 * writes) & (switches >= 4 * layer.users) & (reads > 0)
    sieved = np.zeros(len(layer), bool)
    if above is not None:
        only = (above.of_files(above.calls("write")) > 0) & (above.of_files(above.calls("read")) == 0)
        sieved = layer.in_files(only) & (reads > 0)
    often = mixed | sieved
    spent = np.where(often, layer.seconds("read") + np.where(mixed, layer.seconds("write"), 0.0), 0.0)
    wall = facts.wall(layer, spent)
    if reads[often].sum() < FEW or not facts.matters(wall.estimate):
        return None
    where = "files that the program only writes" if sieved.any() else "files that are written in between"
    words = f"{int(reads[often].sum()):,} reads, {about_size(float(layer.moved('read')[often].sum()))}, of {where}"
    return Diagnosis(
        title="Blocks are read before they are written"
        if not sieved.any()
        else "The MPI library reads data that the program only writes",
        evidence=Evidence.of(reads[often], layer.moved("read")[often], spent, words),
        why="A write with gaps reads a region, modifies it, and writes it back: bytes move twice, "
        "under a lock.",
        wall=wall,
        change=_whole_blocks(by_library=above is not None),
        verify="striate info of a new trace: no POSIX reads of these files",
        saved=(0.2, 1.0),
    )


def _whole_blocks(*, by_library: bool) -> Change:
    """What reads no block before it is written: hints where MPI-IO did, another program where that did itself."""
    if by_library:
        return Change(
            "Turn data sieving off for writes, or write in collective calls that fill whole blocks",
            hints={"romio_ds_write": "disable", "romio_cb_write": "enable"},
        )
    return Change(
        "Keep blocks in memory from the first change to the last, and write each of them once and whole",
        code="block = cache.setdefault(number, read(number)); ...; write(number, block)  # once, at the end",
    )
