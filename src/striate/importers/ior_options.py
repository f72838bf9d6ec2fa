"""The options of IOR's command line: each understood, without effect on what is accessed, or refused by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from striate.errors import WorkloadError
from striate.importers.command_options import OptionTable
from striate.importers.ior_script import tests_of, with_directives

# letter -> (field of IorTest, kind of value); "flag" takes none and may be repeated
UNDERSTOOD = {
    "-a": ("api", "word"),
    "-b": ("block_bytes", "bytes"),
    "-c": ("collective", "flag"),
    "-C": ("reorder", "flag"),
    "-d": ("delay_seconds", "count"),
    "-e": ("fsync", "flag"),
    "-f": ("script", "word"),
    "-F": ("file_per_rank", "flag"),
    "-g": ("barriers", "flag"),
    "-i": ("repetitions", "count"),
    "-k": ("keep", "flag"),
    "-m": ("multi_file", "flag"),
    "-N": ("tasks", "count"),
    "-o": ("name", "word"),
    "-O": ("directives", "words"),
    "-Q": ("task_offset", "count"),
    "-r": ("read", "flag"),
    "-R": ("check_read", "flag"),
    "-s": ("segments", "count"),
    "-t": ("transfer_bytes", "bytes"),
    "-w": ("write", "flag"),
    "-W": ("check_write", "flag"),
    "-Y": ("fsync_each", "flag"),
    "-z": ("shuffled", "flag"),
}
LONG = {"--collective": "-c"}
# Options that change neither which bytes are accessed nor by which calls; True: a value follows.
WITHOUT_EFFECT = {
    "-A": True,
    "-B": False,  # O_DIRECT: clients have no cache here
    "-E": False,
    "-G": True,
    "-h": False,
    "-H": False,
    "-j": True,
    "-K": False,
    "-l": True,
    "-n": False,
    "-q": False,
    "-u": False,
    "-v": False,
    "-V": False,
    "-x": False,
    "-X": True,
    "--posix.odirect": False,
    "--mpiio.useFileView": False,
    "--mpiio.showHints": False,
    "--dataPacketType": True,
    "--warningAsErrors": False,
}
REFUSED = {
    "-D": "a deadline: the number of bytes depends on the time",
    "-T": "a time limit: the number of repetitions depends on it",
    "-I": "individual data sets of HDF5",
    "-J": "an alignment of HDF5",
    "-M": "reserved memory",
    "-p": "preallocation",
    "-P": "a shared file pointer",
    "-S": "strided datatypes",
    "-U": "a file of hints; give them as --layout and --collective-io",
    "-y": "two mount points",
    "-Z": "tasks in random order",
}
APIS = {"POSIX": False, "MPIIO": True}  # whether it has collective calls


@dataclass(frozen=True, slots=True)
class IorTest:
    """What a command line asks for, with IOR's defaults."""

    api: str = "POSIX"
    block_bytes: int = 2**20
    transfer_bytes: int = 2**18
    segments: int = 1
    repetitions: int = 1
    tasks: int = 0  # 0: as many as ranks
    task_offset: int = 1
    delay_seconds: int = 0
    name: str = "testFile"
    collective: int = 0
    reorder: int = 0
    fsync: int = 0
    fsync_each: int = 0
    file_per_rank: int = 0
    barriers: int = 0
    keep: int = 0
    multi_file: int = 0
    read: int = 0
    check_read: int = 0
    write: int = 0
    check_write: int = 0
    shuffled: int = 0


OPTIONS = OptionTable("ior", UNDERSTOOD, WITHOUT_EFFECT, REFUSED, LONG, may_be_zero=frozenset(("-d", "-Q")))


def read_tests(words: list[str]) -> list[IorTest]:
    """The tests that the words after `ior` describe, several where -f names a script; raises WorkloadError by name."""
    fields = OPTIONS.read(words)
    directives, script = fields.pop("directives", []), fields.pop("script", None)
    for text in directives:
        fields = with_directives(fields, text, OPTIONS, "-O")
    found = [fields] if script is None else tests_of(Path(script), fields, OPTIONS)
    return [_checked(IorTest(**one)) for one in found]


def _checked(test: IorTest) -> IorTest:
    """The test with IOR's own rules applied: what is not asked for is written and read, sizes must divide."""
    api = test.api.upper()
    if api not in APIS:
        known = ", ".join(APIS)
        raise WorkloadError(
            f"IOR's -a {test.api!r:.40} is not supported; expected one of {known}", at="-a", source="ior"
        )
    if test.block_bytes % test.transfer_bytes:
        raise WorkloadError(
            f"expected a block size (-b {test.block_bytes}) that is a multiple of the transfer size "
            f"(-t {test.transfer_bytes})",
            at="-b",
            source="ior",
        )
    if test.shuffled > 1:
        raise WorkloadError(
            "IOR's -z given twice is not supported: random offsets may repeat", at="-z", source="ior"
        )
    if test.shuffled and test.reorder and not test.file_per_rank:
        raise WorkloadError(
            "IOR refuses -z together with -C for a file that all tasks share",
            at="-z",
            source="ior",
        )
    both = not (test.write or test.read or test.check_write or test.check_read)
    return replace(
        test,
        api=api,
        collective=int(bool(test.collective) and APIS[api]),
        write=test.write or int(both),
        read=test.read or int(both),
    )
