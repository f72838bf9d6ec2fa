"""The options of IOR's command line: each understood, without effect on what is accessed, or refused by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from striate.errors import WorkloadError
from striate.units import LARGEST

# letter -> (field of IorTest, kind of value); "flag" takes none and may be repeated
UNDERSTOOD = {
    "-a": ("api", "word"),
    "-b": ("block_bytes", "bytes"),
    "-c": ("collective", "flag"),
    "-C": ("reorder", "flag"),
    "-d": ("delay_seconds", "count"),
    "-e": ("fsync", "flag"),
    "-F": ("file_per_rank", "flag"),
    "-g": ("barriers", "flag"),
    "-i": ("repetitions", "count"),
    "-k": ("keep", "flag"),
    "-m": ("multi_file", "flag"),
    "-N": ("tasks", "count"),
    "-o": ("name", "word"),
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
    "-f": "a script of tests",
    "-I": "individual data sets of HDF5",
    "-J": "an alignment of HDF5",
    "-M": "reserved memory",
    "-O": "directives",
    "-p": "preallocation",
    "-P": "a shared file pointer",
    "-S": "strided datatypes",
    "-U": "a file of hints; give them as --layout and --collective-io",
    "-y": "two mount points",
    "-Z": "tasks in random order",
}
APIS = {"POSIX": False, "MPIIO": True}  # whether it has collective calls
SCALES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


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

    def aggregate_bytes(self, ranks: int) -> int:
        """What IOR's output calls the aggregate file size: what one phase of one repetition moves."""
        return self.block_bytes * self.segments * ranks


def read_options(words: list[str]) -> IorTest:
    """The test that the words after `ior` describe; raises WorkloadError by the option's name."""
    found: dict[str, Any] = {}
    words = list(words)
    while words:
        option, value = _next(words)
        if option in REFUSED:
            raise WorkloadError(f"{option} is not understood: {REFUSED[option]}", at=option, source="ior")
        if option in WITHOUT_EFFECT:
            continue
        if option not in UNDERSTOOD:
            raise WorkloadError(f"unknown option {option!r:.60}", at=option, source="ior")
        field, kind = UNDERSTOOD[option]
        found[field] = found.get(field, 0) + 1 if kind == "flag" else _value(option, kind, value)
    return _checked(IorTest(**found))


def _next(words: list[str]) -> tuple[str, str]:
    """Take one option and its value off the words; flags of one letter may stand together (`-wrk`)."""
    word = words.pop(0)
    if not re.match(r"--?[A-Za-z]", word):
        raise WorkloadError(f"expected an option of ior, got {word!r:.60}", source="ior")
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        name = LONG.get(name, name)
        takes = WITHOUT_EFFECT.get(name, False)
        return name, value if equals or not takes else _following(name, words)
    name, rest = word[:2], word[2:].removeprefix("=")
    takes = WITHOUT_EFFECT.get(name, UNDERSTOOD.get(name, ("", "flag"))[1] != "flag")
    if takes:
        return name, rest or _following(name, words)
    if rest and name not in REFUSED:
        words.insert(0, f"-{rest}")
    return name, ""


def _following(name: str, words: list[str]) -> str:
    if not words:
        raise WorkloadError(f"expected a value after {name}", at=name, source="ior")
    return words.pop(0)


def _value(option: str, kind: str, text: str) -> int | str:
    if kind == "word":
        return text
    match = re.fullmatch(r"([0-9]{1,19})([kmgt]?)(?:i?b)?", text, re.ASCII | re.IGNORECASE)
    scale = match[2].lower() if match else ""
    if match is None or (kind == "count" and scale):
        wanted = "a size such as 4k, 2m or 1g" if kind == "bytes" else "a whole number"
        raise WorkloadError(f"expected {wanted}, got {text!r:.60}", at=option, source="ior")
    number = int(match[1]) * SCALES[scale]
    least = 0 if option in ("-d", "-Q") else 1
    if not least <= number <= LARGEST:
        raise WorkloadError(f"expected at least {least}, got {text!r:.60}", at=option, source="ior")
    return number


def _checked(test: IorTest) -> IorTest:
    """The test with IOR's own rules applied: what is not asked for is written and read, sizes must divide."""
    from dataclasses import replace

    api = test.api.upper()
    if api not in APIS:
        known = ", ".join(APIS)
        raise WorkloadError(
            f"-a {test.api!r:.40} is not understood; known are {known}", at="-a", source="ior"
        )
    if test.block_bytes % test.transfer_bytes:
        raise WorkloadError(
            f"expected a block size (-b {test.block_bytes}) that is a multiple of the transfer size "
            f"(-t {test.transfer_bytes})",
            at="-b",
            source="ior",
        )
    if test.shuffled > 1:
        raise WorkloadError("-z -z is not supported: random offsets may repeat", at="-z", source="ior")
    if test.shuffled and test.reorder and not test.file_per_rank:
        raise WorkloadError("ior refuses -z with -C for one file of all tasks", at="-z", source="ior")
    both = not (test.write or test.read or test.check_write or test.check_read)
    return replace(
        test,
        api=api,
        collective=int(bool(test.collective) and APIS[api]),
        write=test.write or int(both),
        read=test.read or int(both),
    )
