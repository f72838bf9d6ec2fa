"""IO500: a configuration as the phases of the benchmark, where it says how much is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from striate.errors import WorkloadError
from striate.importers import ior, mdtest
from striate.importers.command_options import count_of, size_of
from striate.importers.ini_text import read_sections
from striate.importers.ior_options import IorTest
from striate.importers.mdtest import MdTest
from striate.importers.written_program import WrittenProgram
from striate.limits import read_small_text
from striate.units import LARGEST
from striate.workload import Workload

DEADLINE = 300  # seconds of every write phase, unless [debug] says otherwise
HARD_BYTES, HARD_FILE_BYTES = 47008, 3901  # a transfer of ior-hard, a file of mdtest-hard
# Section -> keys that are understood; of the others `run` and `API` alone.
SECTIONS: dict[str, tuple[str, ...]] = {
    "global": (),
    "debug": ("stonewall-time",),
    "ior-easy": ("transferSize", "blockSize", "filePerProc"),
    "ior-easy-write": (),
    "ior-easy-read": (),
    "ior-hard": ("segmentCount", "collective"),
    "ior-hard-write": ("collective",),
    "ior-hard-read": ("collective",),
    "mdtest-easy": ("n", "files-per-dir"),
    "mdtest-easy-write": (),
    "mdtest-easy-stat": (),
    "mdtest-easy-delete": (),
    "mdtest-hard": ("n", "files-per-dir"),
    "mdtest-hard-write": (),
    "mdtest-hard-stat": (),
    "mdtest-hard-read": (),
    "mdtest-hard-delete": (),
    "find": (),
}
# Phases that IO500 runs with --mode=extended alone; a configuration may name them.
EXTENDED = (
    "timestamp", "find-easy", "find-hard", "ior-rnd4K-easy-read", "mdworkbench", "mdworkbench-create",
    "mdworkbench-bench", "mdworkbench-delete",
)  # fmt: skip
WITHOUT_EFFECT = frozenset(
    [
        "datadir",
        "resultdir",
        "timestamp-datadir",
        "timestamp-resultdir",
        "verbosity",
        "scc",
        "drop-caches",
        "drop-caches-cmd",
        "allocate-buffer-on-gpu",
        "dataPacketType",
        "io-buffers-on-gpu",
        "verify",
        "posix.odirect",
        "uniqueDir",
        "verbosity",
        "random-prefix",
        "pause-dir",
        "nproc",
        "external-mpi-args",
        "external-script",
        "external-extra-args",
        "pfind-queue-length",
        "pfind-steal-next",
        "pfind-parallelize-single-dir-access-using-hashing",
    ]
)
REFUSED = {
    "hintsFileName": "a file of hints; give them as --layout and --collective-io",
    "noRun": "an old name; give run = FALSE",
}


def from_words(words: list[str], ranks: int | None) -> Workload:
    """The workload of the words after `io500`."""
    if len(words) != 1:
        raise WorkloadError(
            f"expected one configuration file after io500, got {len(words)} arguments", source="io500"
        )
    return from_file(Path(words[0]), ranks)


def from_file(path: Path, ranks: int | None) -> Workload:
    """The workload of a configuration; raises WorkloadError with the section and key of the mistake."""
    source = str(path)
    if ranks is None:
        raise WorkloadError("the number of ranks is missing; give --ranks N", source=source)
    settings = _Settings(path)
    if settings.count("debug", "stonewall-time", DEADLINE):
        raise WorkloadError(
            "expected stonewall-time = 0, because with a deadline the amount of data depends on the speed; "
            "set the amount of data with blockSize, segmentCount and n",
            at="debug.stonewall-time",
            source=source,
        )
    body = WrittenProgram(ranks, name="io500", source=source, communicators={mdtest.ALONE: range(ranks)})
    for phase, write in _phases(body, settings):
        if settings.runs(phase):
            write(phase)
    largest = ior.buffer_of((_easy(settings), _hard(settings)))  # mdtest's is smaller
    return body.workload().with_reused_buffer(largest)


class _Settings:
    """Keys by section, every one understood, passed over or refused."""

    def __init__(self, path: Path) -> None:
        self._source = str(path)
        self._found: dict[str, dict[str, str]] = {}
        for section in read_sections(
            read_small_text(path, kind=WorkloadError), source=self._source, marks=("#", ";")
        ):
            if section.name in EXTENDED:
                continue
            if section.name not in SECTIONS:
                raise WorkloadError(f"unknown section {section.name!r:.60}", source=self._source)
            for key, value in section.keys:
                self._understand(section.name, key)
                text = (value or "").split("#", 1)[0].split(";", 1)[0].strip()
                if text:
                    self._found.setdefault(section.name, {})[key] = text

    def _understand(self, section: str, key: str) -> None:
        at = f"{section}.{key}"
        if key in REFUSED:
            raise WorkloadError(f"{key} is not supported: {REFUSED[key]}", at=at, source=self._source)
        if key.lower() in ("api", "run") or key in WITHOUT_EFFECT or key in SECTIONS[section]:
            return
        raise WorkloadError(f"unknown key {key!r:.60}", at=at, source=self._source)

    def word(self, section: str, key: str) -> str | None:
        found = self._found.get(section, {})
        return next((value for name, value in found.items() if name.lower() == key.lower()), None)

    def truth(self, section: str, key: str, default: bool) -> bool:
        text = self.word(section, key)
        if text is not None and text.upper() not in ("TRUE", "FALSE", "1", "0"):
            raise self.refuse(section, key, f"expected TRUE or FALSE, got {text!r:.60}")
        return default if text is None else text.upper() in ("TRUE", "1")

    def count(self, section: str, key: str, default: int) -> int:
        text = self.word(section, key)
        number = default if text is None else count_of(text)
        if number is None or number > LARGEST:
            raise self.refuse(section, key, f"expected a whole number, got {text!r:.60}")
        return number

    def size(self, section: str, key: str, default: int) -> int:
        text = self.word(section, key)
        number = default if text is None else size_of(text)
        if not number or number > LARGEST:
            raise self.refuse(section, key, f"expected a size such as 2m, got {text!r:.60}")
        return number

    def runs(self, phase: str) -> bool:
        """Whether a phase is run: its own section counts, then that of its test."""
        test = "-".join(phase.split("-")[:2])
        return self.truth(phase, "run", self.truth(test, "run", True) if test != phase else True)

    def api(self, section: str) -> tuple[str, bool]:
        """The interface, and whether accesses are collective; options of the interface may follow its name."""
        words = (self.word(section, "API") or "POSIX").split()
        if words[0].upper() not in ("POSIX", "MPIIO"):
            raise self.refuse(
                section, "API", f"{words[0]!r:.40} is not supported; expected one of POSIX, MPIIO"
            )
        together = self.truth(section, "collective", "-c" in words)
        return words[0].upper(), together and words[0].upper() == "MPIIO"

    def refuse(self, section: str, key: str, message: str) -> WorkloadError:
        return WorkloadError(message, at=f"{section}.{key}", source=self._source)


def _phases(body: Any, settings: _Settings) -> list[tuple[str, Callable[[str], None]]]:
    """The phases in the order in which IO500 runs them."""
    easy, hard = _easy(settings), _hard(settings)
    easy_file, hard_file = (ior.declare(body, test) for test in (easy, hard))
    small, tiny = _files(settings, "mdtest-easy", 0), _files(settings, "mdtest-hard", HARD_FILE_BYTES)
    small_files, tiny_files = mdtest.declare(body, small), mdtest.declare(body, tiny)

    def data(test: IorTest, file: Any, *, writes: bool) -> Callable[[str], None]:
        return lambda name: ior.write_phase(body, test, file, name, writes=writes)

    def names(test: MdTest, files: Any, phase: str) -> Callable[[str], None]:
        return lambda name: mdtest.write_phase(body, test, files, phase, name=name)

    def find(name: str) -> None:
        """Every file is looked at once; folders are not modelled."""
        body.barrier()
        with body.region(name):
            for test, files in ((small, small_files), (tiny, tiny_files)):
                with body.repeat(test.items) as item:
                    body.stat_file(item + (files.first + body.rank * test.items))

    return [
        ("ior-easy-write", data(easy, easy_file, writes=True)),
        ("mdtest-easy-write", names(small, small_files, "create")),
        ("ior-hard-write", data(hard, hard_file, writes=True)),
        ("mdtest-hard-write", names(tiny, tiny_files, "create")),
        ("find", find),
        ("ior-easy-read", data(easy, easy_file, writes=False)),
        ("mdtest-easy-stat", names(small, small_files, "stat")),
        ("ior-hard-read", data(hard, hard_file, writes=False)),
        ("mdtest-hard-stat", names(tiny, tiny_files, "stat")),
        ("mdtest-easy-delete", names(small, small_files, "removal")),
        ("mdtest-hard-read", names(tiny, tiny_files, "read")),
        ("mdtest-hard-delete", names(tiny, tiny_files, "removal")),
    ]


def _easy(settings: _Settings) -> IorTest:
    api, together = settings.api("ior-easy")
    transfer = settings.size("ior-easy", "transferSize", 2**21)
    block = settings.size("ior-easy", "blockSize", 9920000 * 2**20)
    if block % transfer:
        raise settings.refuse("ior-easy", "blockSize", "expected a multiple of transferSize")
    alone = settings.truth("ior-easy", "filePerProc", True)
    return IorTest(
        api=api, collective=int(together), block_bytes=block, transfer_bytes=transfer, name="ior-easy/ior_file_easy",
        file_per_rank=int(alone), reorder=1, barriers=1, fsync=1, keep=1,
    )  # fmt: skip


def _hard(settings: _Settings) -> IorTest:
    api, together = settings.api("ior-hard")
    segments = settings.count("ior-hard", "segmentCount", 10_000_000)
    if segments < 1:
        raise settings.refuse("ior-hard", "segmentCount", "expected at least 1")
    return IorTest(
        api=api, collective=int(together), block_bytes=HARD_BYTES, transfer_bytes=HARD_BYTES, segments=segments,
        name="ior-hard/file", reorder=1, barriers=1, fsync=1, keep=1,
    )  # fmt: skip


def _files(settings: _Settings, section: str, size: int) -> MdTest:
    items = settings.count(section, "n", 1_000_000)
    if items < 1:
        raise settings.refuse(section, "n", "expected at least 1")
    api, _ = settings.api(section)
    if api != "POSIX":
        raise settings.refuse(section, "API", "MPIIO is not supported for mdtest; expected POSIX")
    test = MdTest(folder=section, items=items, files_only=1, write_bytes=size, read_bytes=size)
    return replace(test, shift=1)
