"""mdtest: its command line as a workload of creates, stats, reads and removals of files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from striate.errors import WorkloadError
from striate.importers.command_options import OptionTable
from striate.importers.written_program import WrittenProgram
from striate.units import LARGEST
from striate.workload import Workload

ALONE = "alone"  # a communicator of one rank each: a rank opens its files by itself
MOST_FILES = 2**40

UNDERSTOOD = {
    "-a": ("api", "word"),
    "-b": ("branches", "count"),
    "-B": ("no_barriers", "flag"),
    "-c": ("rank_zero_creates", "flag"),
    "-C": ("create", "flag"),
    "-d": ("folder", "word"),
    "-e": ("read_bytes", "bytes"),
    "-E": ("read", "flag"),
    "-F": ("files_only", "flag"),
    "-i": ("iterations", "count"),
    "-I": ("items_per_folder", "count"),
    "-L": ("leaves_only", "flag"),
    "-n": ("items", "count"),
    "-N": ("shift", "count"),
    "-p": ("delay_seconds", "count"),
    "-r": ("remove", "flag"),
    "-T": ("stat", "flag"),
    "-w": ("write_bytes", "bytes"),
    "-y": ("fsync", "flag"),
    "-z": ("depth", "count"),
}
WITHOUT_EFFECT = {
    "-G": True,
    "-h": False,
    "-P": False,
    "-R": False,  # the order of stats
    "-t": False,  # the time of making folders counts
    "-u": False,  # a folder of its own for each rank: folders are not modelled
    "-v": False,
    "-V": True,
    "-x": True,
    "-X": False,
    "-Z": False,
    "--dataPacketType": True,
    "--posix.odirect": False,
    "--showRankStatistics": False,
    "--saveRankPerformanceDetails": True,
    "--savePerOpDataCSV": True,
    "--warningAsErrors": False,
}
REFUSED = {
    "-D": "tests of folders",
    "-f": "several numbers of tasks",
    "-g": "a layout of folders; give it as --layout",
    "-k": "mknod",
    "-l": "several numbers of tasks",
    "-s": "several numbers of tasks",
    "-S": "one file shared by all tasks",
    "-W": "a deadline: how many files are made depends on the time",
    "-Y": "the command sync",
    "--run-cmd-before-phase": "a command of the user's",
    "--run-cmd-after-phase": "a command of the user's",
    "--verify-write": "reading back what was written",
}
OPTIONS = OptionTable(
    "mdtest",
    UNDERSTOOD,
    WITHOUT_EFFECT,
    REFUSED,
    {"--verify-read": "-X"},
    may_be_zero=frozenset(("-b", "-e", "-I", "-n", "-N", "-p", "-w", "-z")),
)


@dataclass(frozen=True, slots=True)
class MdTest:
    """What a command line asks for, with mdtest's defaults; `items` are files of each rank."""

    api: str = "POSIX"
    folder: str = "out"
    items: int = 0
    items_per_folder: int = 0
    branches: int = 1
    depth: int = 0
    leaves_only: int = 0
    files_only: int = 0
    write_bytes: int = 0
    read_bytes: int = 0
    shift: int = 0
    iterations: int = 1
    delay_seconds: int = 0
    no_barriers: int = 0
    rank_zero_creates: int = 0
    fsync: int = 0
    create: int = 0
    stat: int = 0
    read: int = 0
    remove: int = 0

    @property
    def buffer_bytes(self) -> int | None:
        """Of the buffer that all files are written from, or read into; None without data."""
        return max(self.write_bytes, self.read_bytes) or None


def from_words(words: list[str], ranks: int | None) -> Workload:
    """The workload of the words after `mdtest`."""
    test = read_options(words)
    if ranks is None:
        raise WorkloadError("the number of ranks is missing; give --ranks N", source="mdtest")
    body = WrittenProgram(ranks, name="mdtest", source="mdtest", communicators={ALONE: range(ranks)})
    files = declare(body, test)
    with body.repeat(test.iterations):
        if test.delay_seconds:
            body.compute(f"{test.delay_seconds} s")
        for phase in phases_of(test):
            write_phase(body, test, files, phase, name=f"file {phase}")
    return body.workload().with_reused_buffer(test.buffer_bytes)


def read_options(words: list[str]) -> MdTest:
    """The test that the words after `mdtest` describe; raises WorkloadError by the option's name."""
    return checked(MdTest(**OPTIONS.read(words)))


def checked(test: MdTest) -> MdTest:
    """The test by mdtest's own rules: files that the folders of a tree hold, and all phases where none is named."""
    if test.api.upper() != "POSIX":
        raise WorkloadError(
            f"mdtest's -a {test.api!r:.40} is not supported; expected POSIX", at="-a", source="mdtest"
        )
    if not test.files_only:
        raise WorkloadError(
            "mdtest's directory tests are not supported; give -F to test files only", at="-F", source="mdtest"
        )
    items = _items(test)
    if items < 1:
        raise WorkloadError(
            "expected at least one file per rank, got none; give -n or -I", at="-n", source="mdtest"
        )
    if test.create or test.stat or test.read or test.remove:
        return replace(test, items=items)
    return replace(test, items=items, create=1, stat=1, read=1, remove=1)


def _items(test: MdTest) -> int:
    """Files of each rank; a number that the folders cannot share evenly is rounded down, as mdtest does."""
    if test.depth and test.branches ** min(test.depth, 64) > MOST_FILES:
        found = f"{test.branches}^{test.depth}"
        raise WorkloadError(
            f"expected a tree of at most {MOST_FILES:,} directories, got {found}", at="-z", source="mdtest"
        )
    leaves, folders = test.branches**test.depth, _folders(test)
    holding = max(leaves if test.leaves_only else folders, 1)
    if test.items_per_folder and test.items:
        if test.depth:
            raise WorkloadError("mdtest's -n, -I and -z together are not supported", at="-I", source="mdtest")
        return test.items
    return test.items_per_folder * holding if test.items_per_folder else test.items // holding * holding


def _folders(test: MdTest) -> int:
    """Of the tree: the sum of the powers of its branches."""
    if test.branches == 1:
        return test.depth + 1
    return int(test.branches ** (test.depth + 1) - 1) // (test.branches - 1)


def phases_of(test: MdTest) -> list[str]:
    """The phases that are run, in mdtest's order."""
    wanted = (("create", test.create), ("stat", test.stat), ("read", test.read), ("removal", test.remove))
    return [name for name, asked in wanted if asked]


def declare(body: Any, test: MdTest) -> Any:
    """The files of all ranks, one after the other."""
    if test.items * body.ranks > min(MOST_FILES, LARGEST):
        raise WorkloadError(
            f"expected at most {MOST_FILES:,} files of all ranks together, got {test.items * body.ranks:,}",
            at="-n",
            source="mdtest",
        )
    return body.files(f"{test.folder}/file.{{}}", count=test.items * body.ranks)


_TURNS = {"create": 0, "stat": 1, "read": 2, "removal": 3}  # how often the shift of -N is applied


def write_phase(body: Any, test: MdTest, files: Any, phase: str, *, name: str) -> None:
    """One phase: every rank goes through the files of a rank `shift` further with each phase."""
    if not test.no_barriers:
        body.barrier()
    whose = (body.rank + _TURNS[phase] * test.shift % body.ranks) % body.ranks
    with body.region(name):
        if phase == "create" and test.rank_zero_creates:
            with body.only(body.rank == 0), body.repeat(test.items * body.ranks) as item:
                _create(body, test, item + files.first)
            return
        with body.repeat(test.items) as item:
            file = item + (files.first + whose * test.items)
            if phase == "create":
                _create(body, test, file)
            elif phase == "stat":
                body.stat_file(file)
            elif phase == "read":
                _read(body, test, file)
            else:
                body.delete_file(file)


def _create(body: Any, test: MdTest, file: Any) -> None:
    body.open_file(file, create=True, comm=ALONE)
    if test.write_bytes:
        body.write(file, offset=0, size=test.write_bytes)
    if test.fsync:
        body.sync_file(file, comm=ALONE)
    body.close_file(file, comm=ALONE)


def _read(body: Any, test: MdTest, file: Any) -> None:
    body.open_file(file, comm=ALONE)
    if test.read_bytes:
        body.read(file, offset=0, size=test.read_bytes)
    body.close_file(file, comm=ALONE)
