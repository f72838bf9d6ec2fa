"""The options of FIO's job files: each understood, without effect on what is accessed, or refused by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd
from typing import Any

from striate.errors import WorkloadError
from striate.importers.command_options import count_of, size_of
from striate.units import LARGEST

# option -> (field of FioJob, kind of value); FIO knows several names of one thing
UNDERSTOOD = {
    "blocksize": ("block", "blocks"),
    "bs": ("block", "blocks"),
    "direct": ("direct", "truth"),
    "directory": ("directory", "word"),
    "end_fsync": ("end_fsync", "truth"),
    "fdatasync": ("fsync", "count"),
    "filename": ("filename", "word"),
    "filesize": ("file_bytes", "bytes"),
    "fsync": ("fsync", "count"),
    "fsync_on_close": ("end_fsync", "truth"),
    "io_limit": ("io_bytes", "bytes"),
    "io_size": ("io_bytes", "bytes"),
    "iodepth": ("depth", "count"),
    "ioengine": ("engine", "word"),
    "loops": ("loops", "count"),
    "nrfiles": ("files", "count"),
    "numjobs": ("processes", "count"),
    "offset": ("offset", "bytes"),
    "offset_increment": ("offset_increment", "bytes"),
    "readwrite": ("pattern", "word"),
    "rw": ("pattern", "word"),
    "rwmixread": ("read_percent", "count"),
    "rwmixwrite": ("write_percent", "count"),
    "size": ("total_bytes", "bytes"),
    "stonewall": ("waits", "truth"),
    "sync": ("each_synced", "word"),
    "unlink": ("unlink", "truth"),
    "wait_for_previous": ("waits", "truth"),
}
WITHOUT_EFFECT = frozenset(
    [
        "allow_file_create",
        "allow_mounted_write",
        "bandwidth-log",
        "buffer_pattern",
        "bwavgtime",
        "clocksource",
        "cpumask",
        "cpus_allowed",
        "cpus_allowed_policy",
        "create_fsync",
        "create_on_open",
        "create_only_if_missing",
        "create_serialize",
        "description",
        "disable_bw_measurement",
        "disable_clat",
        "disable_lat",
        "disable_slat",
        "dedupe_percentage",
        "eta",
        "fadvise_hint",
        "fallocate",
        "file_service_type",
        "fixedbufs",
        "gid",
        "group_reporting",
        "gtod_reduce",
        "hipri",
        "invalidate",
        "iodepth_batch",
        "iodepth_batch_complete",
        "iodepth_batch_submit",
        "iodepth_low",
        "iomem",
        "log_avg_msec",
        "mem",
        "minimal",
        "name",
        "new_group",
        "nice",
        "norandommap",
        "numa_cpu_nodes",
        "numa_mem_policy",
        "openfiles",
        "output",
        "output-format",
        "overwrite",
        "percentile_list",
        "per_job_logs",
        "prio",
        "prioclass",
        "random_generator",
        "randrepeat",
        "randseed",
        "refill_buffers",
        "registerfiles",
        "scramble_buffers",
        "softrandommap",
        "sqthread_poll",
        "stats",
        "status-interval",
        "thread",
        "uid",
        "unified_rw_reporting",
        "unique_filename",
        "write_bw_log",
        "write_iops_log",
        "write_lat_log",
        "zero_buffers",
    ]
)
REFUSED = {
    "bs_unaligned": "blocks of any size",
    "bsrange": "blocks of different sizes",
    "bssplit": "blocks of different sizes",
    "create_only": "files that are made and not used",
    "exec_prerun": "a command of the user's",
    "exec_postrun": "a command of the user's",
    "exitall": "jobs that end when another does",
    "fill_device": "bytes that depend on the device",
    "include": "another file",
    "number_ios": "a number of accesses; give io_size",
    "opendir": "whatever files lie in a folder",
    "pre_read": "a read before the test",
    "ramp_time": "a time that is not measured: bytes depend on it",
    "random_distribution": "accesses of which some are more likely",
    "rate": "a limit of the rate",
    "rate_iops": "a limit of the rate",
    "read_iolog": "a log that is replayed",
    "runtime": "a time: how many bytes are moved depends on it; give io_size",
    "startdelay": "a delay",
    "sync_file_range": "partial syncs",
    "thinktime": "pauses between accesses",
    "time_based": "a time: how many bytes are moved depends on it; give io_size",
    "timeout": "a time: how many bytes are moved depends on it; give io_size",
    "verify": "reading back what was written",
    "zonemode": "zones",
}
PATTERNS = {"read": (1, 0), "write": (1, 0), "randread": (1, 1), "randwrite": (1, 1), "rw": (2, 0),
            "readwrite": (2, 0), "randrw": (2, 1)}  # fmt: skip
ENGINES = {"sync": False, "psync": False, "vsync": False, "pvsync": False, "pvsync2": False, "libaio": True,
           "posixaio": True, "io_uring": True}  # whether more than one access is in flight  # fmt: skip


@dataclass(frozen=True, slots=True)
class FioJob:
    """What one section asks for, with FIO's defaults."""

    name: str
    pattern: str = "read"
    block: tuple[int, int] = (4096, 4096)  # of reads, of writes
    total_bytes: int = 0
    file_bytes: int = 0
    io_bytes: int = 0
    offset: int = 0
    offset_increment: int = 0
    files: int = 1
    filename: str = ""
    directory: str = ""
    processes: int = 1
    loops: int = 1
    depth: int = 1
    engine: str = "psync"
    direct: int = 0
    fsync: int = 0  # after so many writes
    end_fsync: int = 0
    each_synced: str = "0"
    read_percent: int = 50
    write_percent: int = -1
    waits: int = 0
    unlink: int = 0

    @property
    def random(self) -> bool:
        return bool(PATTERNS[self.pattern][1])

    @property
    def turns(self) -> tuple[int, int]:
        """(reads, writes) in a row of a mix; (1, 0) of reads alone."""
        if PATTERNS[self.pattern][0] == 1:
            return (1, 0) if "read" in self.pattern else (0, 1)
        reads = 100 - self.write_percent if self.write_percent >= 0 else self.read_percent
        both = gcd(reads, 100)
        return reads // both, (100 - reads) // both

    @property
    def window(self) -> int:
        """Accesses in flight at once; libaio waits for each where the page cache is used."""
        queued = ENGINES[self.engine] and (self.engine != "libaio" or self.direct)
        return self.depth if queued else 1

    @property
    def buffer_bytes(self) -> int:
        """Of the buffers that a process uses in turn: one of the largest block for each access it may have begun."""
        return max(self.block) * (self.depth if ENGINES[self.engine] else 1)


def read_job(name: str, keys: Iterable[tuple[str, str | None]], *, source: str) -> FioJob:
    """The job of a section's keys, those of [global] before them; raises WorkloadError by the option's name."""
    found: dict[str, Any] = {}
    for key, text in keys:
        at = f"{name}.{key}"
        if key in WITHOUT_EFFECT:
            continue
        if key in REFUSED:
            raise WorkloadError(f"{key} is not supported: {REFUSED[key]}", at=at, source=source)
        if key not in UNDERSTOOD:
            raise WorkloadError(f"unknown option {key!r:.60}", at=at, source=source)
        field, kind = UNDERSTOOD[key]
        found[field] = _value(kind, text, at, source)
    return _checked(FioJob(name, **found), source)


def _value(kind: str, text: str | None, at: str, source: str) -> Any:
    if kind == "truth":
        if text is None or text == "":
            return 1
        if text not in ("0", "1"):
            raise WorkloadError(f"expected 0 or 1 for a fio option, got {text!r:.60}", at=at, source=source)
        return int(text)
    if text is None:
        raise WorkloadError("expected a value after the fio option, found none", at=at, source=source)
    if "$" in text:
        raise WorkloadError(
            f"expected a fio option without variables, which are not supported, got {text!r:.60}",
            at=at,
            source=source,
        )
    if kind == "word":
        return text
    if kind == "blocks":
        parts = [size_of(part) for part in text.split(",") if part.strip()][:2]
        if not parts or any(part is None or part < 1 for part in parts):
            raise WorkloadError(f"expected a block size such as 4k, got {text!r:.60}", at=at, source=source)
        return parts[0], parts[-1]
    number = size_of(text) if kind == "bytes" else count_of(text)
    if number is None or number > LARGEST:
        wanted = "a size such as 4k, 2m or 1g" if kind == "bytes" else "a whole number"
        raise WorkloadError(f"expected {wanted}, got {text!r:.60}", at=at, source=source)
    return number


def _checked(job: FioJob, source: str) -> FioJob:
    def refuse(message: str, key: str) -> WorkloadError:
        return WorkloadError(message, at=f"{job.name}.{key}", source=source)

    if job.pattern not in PATTERNS:
        known = ", ".join(PATTERNS)
        raise refuse(f"fio's rw={job.pattern!r:.40} is not supported; expected one of {known}", "rw")
    if job.engine not in ENGINES:
        known = ", ".join(ENGINES)
        raise refuse(
            f"fio's ioengine={job.engine!r:.40} is not supported; expected one of {known}", "ioengine"
        )
    if not (job.total_bytes or job.file_bytes):
        raise refuse("the number of bytes of a fio job is missing; give the option size", "size")
    for value, key in ((job.files, "nrfiles"), (job.processes, "numjobs"), (job.depth, "iodepth")):
        if value < 1:
            raise refuse(f"expected the fio option {key} to be at least 1, got 0", key)
    if max(job.read_percent, job.write_percent) > 100:
        raise refuse(
            "expected at most 100 % as the fio options rwmixread and rwmixwrite, "
            f"got {max(job.read_percent, job.write_percent)}",
            "rwmixread",
        )
    if job.filename and job.files > 1:
        raise refuse(f"expected nrfiles=1 together with the fio option filename, got {job.files}", "nrfiles")
    if ":" in job.filename:
        raise refuse("expected one file name in the fio option filename, got several names", "filename")
    return job
