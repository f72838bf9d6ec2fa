"""Libraries above the file system: HDF5's chunks, transfers and metadata, standard I/O, caches that flatter."""

from __future__ import annotations

import numpy as np

from striate.advice.diagnosis import Diagnosis, Unjudged, Verdict
from striate.advice.facts import Facts
from striate.advice.item import Evidence
from striate.advice.layer import Floats, Layer
from striate.interval import Interval
from striate.tuning.change import Change
from striate.units import about_rate, about_size

BULK = 16 * 2**20
SMALL_CHUNK = 64 * 1024
CACHED = 4e9  # bytes per second of one rank: quicker than any file system gives a single stream


def hdf5_chunks(facts: Facts) -> Verdict:
    """Data sets in chunks far smaller than what is accessed, or accessed in pieces of a chunk."""
    layer = facts.layer("H5D")
    if layer is None:
        return Unjudged("HDF5 data sets (Darshan's H5D module)") if facts.layer("H5F") is not None else None
    chunk = np.ones(len(layer))
    for dimension in range(1, 6):
        chunk *= np.maximum(layer.get(f"chunk_size_d{dimension}"), 1)
    chunked = layer.get("chunk_size_d1") > 0
    bytes_ = chunk * np.maximum(layer.get("datatype_size"), 1)
    access = layer.moved() / np.maximum(layer.calls(), 1)
    tiny = chunked & (bytes_ < SMALL_CHUNK) & (access > 4 * bytes_)
    partial = chunked & (bytes_ > 4 * access) & (layer.calls() >= 8 * layer.users) & (layer.moved() > 0)
    mine = (tiny | partial) & (layer.moved() > 0)
    spent = np.where(mine, layer.seconds("read", "write"), 0.0)
    wall = facts.wall(layer, spent)
    if not mine.any() or not facts.matters(wall.estimate):
        return None
    words = (
        f"{int(mine.sum()):,} data sets in chunks of {about_size(float(bytes_[mine].mean()))}, accessed "
        f"{about_size(float(access[mine].mean()))} at a time"
    )
    return Diagnosis(
        title="HDF5 chunks do not fit the accesses",
        evidence=Evidence.of(layer.calls()[mine], layer.moved()[mine], spent, words),
        why="Each chunk is found in an index and accessed as a whole: small chunks make many "
        "requests, large ones move unneeded bytes.",
        wall=wall,
        change=Change(
            "Choose chunks as large as one access of a rank, 1 MiB or more, and make the chunk cache large enough",
            code="H5Pset_chunk(dcpl, ndims, what_a_rank_accesses); H5Pset_chunk_cache(dapl, 12421, 64 << 20, 1.0)",
        ),
        verify="a new log: H5D_CHUNK_SIZE times the datatype near the access size",
        saved=(0.0, 0.9),
        certainty="inferred",
    )


def hdf5_independent(facts: Facts) -> Verdict:
    """Parallel HDF5 whose data sets are accessed without collective transfers."""
    files, sets = facts.layer("H5F"), facts.layer("H5D")
    if files is None:
        return Unjudged("HDF5 files (Darshan's H5F module)") if sets is not None else None
    if sets is None:
        return Unjudged("HDF5 data sets (Darshan's H5D module)")
    parallel = files.most_of_files(files.get("use_mpiio")) > 0
    alone = sets.in_files(parallel) & (sets.get("use_mpiio_collective") == 0)
    alone &= (sets.calls() >= 4 * sets.users) & (sets.moved() < 2**22 * np.maximum(sets.calls(), 1))
    spent = np.where(alone, sets.seconds("read", "write"), 0.0)
    wall = facts.wall(sets, spent)
    if not alone.any() or not facts.matters(wall.estimate):
        return None
    words = f"{int(sets.calls()[alone].sum()):,} accesses of {int(alone.sum()):,} data sets by independent transfers"
    return Diagnosis(
        title="Parallel HDF5 with independent transfers",
        evidence=Evidence.of(sets.calls()[alone], sets.moved()[alone], spent, words),
        why="Independent transfers reach the file system unchanged; collective ones are merged "
        "into few large requests.",
        wall=wall,
        change=Change(
            "Ask for collective transfers",
            code="H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE)  # h5py: with dataset.collective:",
        ),
        verify="a new log: H5D_USE_MPIIO_COLLECTIVE 1",
        saved=(0.0, 0.9),
        certainty="inferred",
    )


def hdf5_metadata(facts: Facts) -> Verdict:
    """Many tiny accesses of HDF5 files: the library's own metadata."""
    files, layer = facts.layer("H5F"), facts.layer("POSIX")
    if files is None:
        return None
    if layer is None:
        return Unjudged("POSIX counters below HDF5")
    hdf5 = files.of_files(files.opens()) > 0
    mine = layer.in_files(hdf5)
    tiny = sum(
        (layer.get(f"size_{kind}_{name}") for kind in ("read", "write") for name in ("0_100", "100_1k")),
        np.zeros(len(layer)),
    )
    often = mine & (tiny >= 0.3 * layer.calls()) & (tiny >= 32)
    share = np.divide(tiny, layer.calls(), out=np.zeros(len(layer)), where=layer.calls() > 0)
    spent = np.where(often, layer.seconds("read", "write") * share, 0.0)
    wall = facts.wall(layer, spent)
    if not often.any() or not facts.matters(wall.estimate):
        return None
    words = (
        f"{int(tiny[often].sum()):,} of {int(layer.calls()[often].sum()):,} accesses of "
        "HDF5 files move 1 KiB or less"
    )
    return Diagnosis(
        title="HDF5 writes or reads its metadata in tiny pieces",
        evidence=Evidence.of(tiny[often], layer.moved()[often], spent, words),
        why="Object headers, B-trees and attributes are accessed in pieces of some hundred "
        "bytes, by every rank unless told otherwise.",
        wall=wall,
        change=Change(
            "Make metadata operations collective and aggregate them in larger blocks",
            code="H5Pset_all_coll_metadata_ops(fapl, 1); H5Pset_coll_metadata_write(fapl, 1); "
            "H5Pset_meta_block_size(fapl, 1 << 20)",
        ),
        verify="striate info of a new trace: far fewer accesses of these files",
        saved=(0.0, 0.95),
        certainty="inferred",
    )


def stdio_bulk(facts: Facts) -> Verdict:
    """Bulk data through fread and fwrite, or formatted text."""
    layer = facts.layer("STDIO")
    if layer is None:
        return None
    known = ~facts.standard_streams[np.maximum(layer.file, 0)] | (layer.file < 0)
    size = float(layer.moved()[known].sum())
    total = (
        sum(float(one.moved().sum()) for one in (facts.layer("POSIX"), facts.layer("DFS")) if one is not None)
        + size
    )
    spent = np.where(known, layer.seconds(), 0.0)
    wall = facts.wall(layer, spent)
    if size < BULK or size < 0.1 * total or not facts.matters(wall.estimate):
        return None
    words = (
        f"{about_size(size)} of {about_size(total)} move through standard I/O, in "
        f"{int(layer.calls()[known].sum()):,} calls"
    )
    return Diagnosis(
        title="Bulk data go through standard I/O",
        evidence=Evidence(int(layer.calls()[known].sum()), int(size), float(spent.sum()), words),
        why="Streams copy every byte through a buffer of some kilobytes, and use neither "
        "collective calls nor the stripe size.",
        wall=wall,
        change=Change(
            "Write binary data with write(), MPI-IO or HDF5; otherwise give the stream a large buffer",
            code="setvbuf(file, NULL, _IOFBF, 4 << 20)  # before the first access",
            runtime={"buffer": "64 MiB"},
        ),
        verify="striate info of a new trace: fewer accesses for as many bytes",
        saved=(0.0, 0.8),
        certainty="inferred",
    )


def cached_reads(facts: Facts) -> Verdict:
    """Reads quicker than any file system: they came from memory, and tell nothing of storage."""
    layer = facts.storage
    if layer is None:
        return None
    size, spent = layer.moved("read"), layer.seconds("read")
    quick = (size >= BULK * layer.users) & (size > CACHED * np.maximum(spent, 1e-12))
    total = float(size.sum())
    if not quick.any() or size[quick].sum() < 0.2 * total:
        return None
    return _from_memory(facts, layer, quick, size, spent)


def _from_memory(facts: Facts, layer: Layer, quick: np.ndarray, size: Floats, spent: Floats) -> Diagnosis:
    rate = float(size[quick].sum() / max(spent[quick].sum(), 1e-12))
    words = f"{about_size(float(size[quick].sum()))} were read at {about_rate(rate)} per rank"
    seconds = facts.wall(layer, np.where(quick, spent, 0.0))
    return Diagnosis(
        title="Reads came from the page cache",
        evidence=Evidence.of(layer.calls("read")[quick], size[quick], spent[quick], words),
        why="Their times say nothing about the storage; a run that does not find its data in memory will be slower.",
        wall=Interval(seconds.low, seconds.estimate, seconds.high),
        change=Change(
            "For a benchmark, read what another node wrote, or more than fits into memory; "
            "for production, nothing to change",
            commands=("ior -C ...  # reads what another rank wrote",),
        ),
        verify="striate info of a new trace: a bandwidth that the file system can deliver",
        certainty="inferred",
    )
