"""Which counter stands where in a Darshan record, for every module and version of it.

Names are Darshan's without the module's prefix, in lower case; those of times lose their `F_` too.
"""

from __future__ import annotations

from dataclasses import dataclass

from striate.trace.records import SIZES


@dataclass(frozen=True, slots=True)
class Shape:
    """One record: id and rank, perhaps the id of the file around it, counters, times, and bytes that are skipped."""

    counters: tuple[str, ...]
    times: tuple[str, ...]
    inner: bool = False  # a data set or variable: its file's id follows the rank
    tail: int = 0


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _sizes(agg: str = "") -> tuple[str, ...]:
    return tuple(f"size_{kind}_{agg}{name}" for kind in ("read", "write") for name in SIZES)


def _four(name: str, part: str) -> tuple[str, ...]:
    return tuple(f"{name}{number}_{part}" for number in range(1, 5))


_COMMON = (*_four("access", "access"), *_four("access", "count"))
_STRIDES = (*_four("stride", "stride"), *_four("stride", "count"))
_EXTREMES = _words("fastest_rank fastest_rank_bytes slowest_rank slowest_rank_bytes")
_SLABS = tuple(
    name
    for number in range(1, 5)
    for name in (
        f"access{number}_access",
        *(
            f"access{number}_{part}_d{dimension}"
            for part in ("length", "stride")
            for dimension in range(1, 6)
        ),
    )
)

_POSIX_REST = (
    *_words("mode bytes_read bytes_written max_byte_read max_byte_written consec_reads consec_writes"),
    *_words("seq_reads seq_writes rw_switches mem_not_aligned mem_alignment file_not_aligned file_alignment"),
    *_words("max_read_time_size max_write_time_size"),
    *_sizes(), *_STRIDES, *_COMMON, *_EXTREMES,
)  # fmt: skip
_POSIX_1 = (
    *_words("opens reads writes seeks stats mmaps fopens freads fwrites fseeks fsyncs fdsyncs"),
    *_POSIX_REST,
)
_POSIX_2 = (*_words("opens reads writes seeks stats mmaps fsyncs fdsyncs"), *_POSIX_REST)
_POSIX_4 = (
    *_words("opens filenos dups reads writes seeks stats mmaps fsyncs fdsyncs"),
    *_words("rename_sources rename_targets renamed_from"),
    *_POSIX_REST,
)
_MPIIO = (
    *_words("indep_opens coll_opens indep_reads indep_writes coll_reads coll_writes split_reads split_writes"),
    *_words("nb_reads nb_writes syncs hints views mode bytes_read bytes_written rw_switches"),
    *_words("max_read_time_size max_write_time_size"),
    *_sizes("agg_"), *_COMMON, *_EXTREMES,
)  # fmt: skip
_STDIO_REST = (
    *_words("reads writes seeks flushes bytes_written bytes_read max_byte_read max_byte_written"),
    *_EXTREMES,
)
_DFS = (
    *_words("opens global_opens lookups dups reads readxs writes writexs nb_reads nb_writes get_sizes punches"),
    *_words("removes stats bytes_read bytes_written rw_switches max_read_time_size max_write_time_size"),
    *_sizes(), *_COMMON, "chunk_size", *_EXTREMES,
)  # fmt: skip
_DAOS = (
    *_words("obj_opens obj_fetches obj_updates obj_punches obj_dkey_punches obj_akey_punches obj_dkey_lists"),
    *_words("obj_akey_lists obj_recx_lists array_opens array_reads array_writes array_get_sizes array_set_sizes"),
    *_words("array_stats array_punches array_destroys kv_opens kv_gets kv_puts kv_removes kv_lists kv_destroys"),
    *_words("nb_ops bytes_read bytes_written rw_switches max_read_time_size max_write_time_size"),
    *_sizes(), *_COMMON, *_words("obj_otype array_cell_size array_chunk_size"), *_EXTREMES,
)  # fmt: skip
_H5D = (
    *_words("opens reads writes flushes bytes_read bytes_written rw_switches regular_hyperslab_selects"),
    *_words("irregular_hyperslab_selects point_selects max_read_time_size max_write_time_size"),
    *_sizes("agg_"), *_SLABS, *_four("access", "count"),
    *_words("dataspace_ndims dataspace_npoints datatype_size"),
    *(f"chunk_size_d{dimension}" for dimension in range(1, 6)),
    *_words("use_mpiio_collective use_deprecated"), *_EXTREMES,
)  # fmt: skip
_VARIABLE = (
    *_words("opens indep_reads indep_writes coll_reads coll_writes nb_reads nb_writes bytes_read bytes_written"),
    "rw_switches",
    *(f"{verb}_{form}" for verb in ("put", "get") for form in _words("var var1 vara vars varm varn vard")),
    *(f"{verb}_{form}" for verb in ("iput", "iget", "bput") for form in _words("var var1 vara vars varm varn")),
    *_words("max_read_time_size max_write_time_size"),
    *_sizes("agg_"), *_SLABS, *_four("access", "count"),
    *_words("ndims npoints datatype_size is_record_var"), *_EXTREMES,
)  # fmt: skip

_SPENT = _words("read_time write_time meta_time max_read_time max_write_time")
_RANKS = _words("fastest_rank_time slowest_rank_time")
_VARIANCES = _words("variance_rank_time variance_rank_bytes")
_STAMPS = tuple(
    f"{call}_{end}_timestamp" for end in ("start", "end") for call in ("open", "read", "write", "close")
)
_TIMES = (*_STAMPS, *_SPENT, *_RANKS, *_VARIANCES)
_OLD_TIMES = (
    *_words("open_start_timestamp read_start_timestamp write_start_timestamp"),
    *_words("read_end_timestamp write_end_timestamp close_end_timestamp"),
    *_SPENT, *_RANKS, *_VARIANCES,
)  # fmt: skip
_STDIO_TIMES = (
    *_words("meta_time write_time read_time"),
    *(f"{call}_{end}_timestamp" for end in ("start", "end") for call in ("open", "close", "write", "read")),
    *_RANKS, *_VARIANCES,
)  # fmt: skip
_FILE_STAMPS = _words("open_start_timestamp close_start_timestamp open_end_timestamp close_end_timestamp")
_OLD_FILE_STAMPS = _words("open_start_timestamp close_end_timestamp")
_PNETCDF_FILE = _words(
    "creates opens redefs indep_waits coll_waits syncs bytes_read bytes_written wait_failures"
)
_PNETCDF_TIMES = (
    *(f"{call}_{end}_timestamp" for end in ("start", "end") for call in ("open", "close", "wait")),
    *_words("meta_time wait_time"),
)
_OPENS = ("opens",)
_BGQ = _words("csjobid nnodes rankspernode ddrpernode inodes anodes bnodes cnodes dnodes enodes torusenabled")

SHAPES = {
    ("POSIX", 1): Shape(_POSIX_1, _OLD_TIMES),
    ("POSIX", 2): Shape(_POSIX_2, _OLD_TIMES),
    ("POSIX", 3): Shape(_POSIX_2, _TIMES),
    ("POSIX", 4): Shape(_POSIX_4, _TIMES),
    ("MPI-IO", 1): Shape(_MPIIO, _OLD_TIMES),
    ("MPI-IO", 2): Shape(_MPIIO, _OLD_TIMES),
    ("MPI-IO", 3): Shape(_MPIIO, _TIMES),
    ("STDIO", 1): Shape(("opens", *_STDIO_REST), _STDIO_TIMES),
    ("STDIO", 2): Shape(("opens", "fdopens", *_STDIO_REST), _STDIO_TIMES),
    ("H5F", 1): Shape(_OPENS, _OLD_FILE_STAMPS),
    ("H5F", 2): Shape(_OPENS, _FILE_STAMPS),
    ("H5F", 3): Shape(_words("opens flushes use_mpiio"), (*_FILE_STAMPS, "meta_time")),
    ("H5D", 1): Shape(_H5D, _TIMES),
    ("H5D", 2): Shape(_H5D, _TIMES, inner=True),
    ("PNETCDF_FILE", 1): Shape(_words("indep_opens coll_opens"), _OLD_FILE_STAMPS),
    ("PNETCDF_FILE", 2): Shape(_words("indep_opens coll_opens"), _FILE_STAMPS),
    ("PNETCDF_FILE", 3): Shape(_PNETCDF_FILE, _PNETCDF_TIMES),
    ("PNETCDF_VAR", 1): Shape(_VARIABLE, _TIMES, inner=True),
    ("DFS", 1): Shape(_DFS, (*_STAMPS, *_SPENT, *_RANKS), tail=32),
    ("DAOS", 1): Shape(_DAOS, (*_STAMPS, *_SPENT, *_RANKS), tail=48),
    ("BG/Q", 1): Shape(_BGQ, ("timestamp",)),
    ("BG/Q", 2): Shape(_BGQ, ("timestamp",)),
}

# Darshan 2 has one record per file and rank, with the counters of all layers. Names are those of the modules above;
# what two layers count alike carries the layer's name.
_COMBINERS = _words(
    "named dup contiguous vector hvector_integer hvector indexed hindexed_integer hindexed indexed_block "
    "struct_integer struct subarray darray f90_real f90_complex f90_integer resized"
)
DARSHAN_2 = Shape(
    (
        *_words("indep_opens coll_opens indep_reads indep_writes coll_reads coll_writes split_reads split_writes"),
        *_words("nb_reads nb_writes syncs reads writes opens seeks stats mmaps freads fwrites fopens fseeks"),
        *_words("fsyncs fdsyncs indep_nc_opens coll_nc_opens hdf5_opens"),
        *(f"combiner_{name}" for name in _COMBINERS),
        *_words("hints views"),
        *_POSIX_REST[: _POSIX_REST.index("stride1_stride")],
        *_sizes("agg_"),
        *(f"extent_{kind}_{name}" for kind in ("read", "write") for name in SIZES),
        *_STRIDES, *_COMMON, "device", "size_at_open", *_EXTREMES,
    ),
    (
        *_OLD_TIMES[:3],
        *_words("close_end_timestamp read_end_timestamp write_end_timestamp"),
        *_words("posix_read_time posix_write_time posix_meta_time mpi_meta_time mpi_read_time mpi_write_time"),
        *_words("max_read_time max_write_time"), *_RANKS, *_VARIANCES,
    ),
)  # fmt: skip
