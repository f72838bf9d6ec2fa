"""IOR's directives, `key=value` after -O or in a script (`ior -f FILE`): each an option, without effect, or refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from striate.errors import WorkloadError
from striate.importers.command_options import OptionTable, count_of
from striate.limits import read_small_text

# directive, in small letters -> the option that it stands for
DIRECTIVES = {
    "api": "-a", "blocksize": "-b", "transfersize": "-t", "segmentcount": "-s", "repetitions": "-i", "numtasks": "-N",
    "intertestdelay": "-d", "testfile": "-o", "taskpernodeoffset": "-Q", "fileperproc": "-F", "readfile": "-r",
    "writefile": "-w", "checkwrite": "-W", "checkread": "-R", "keepfile": "-k", "multifile": "-m", "collective": "-c",
    "fsync": "-e", "fsyncperwrite": "-Y", "intratestbarriers": "-g", "reordertasksconstant": "-C", "reordertasks": "-C",
    "randomoffset": "-z",
}  # fmt: skip
WITHOUT_EFFECT = (
    "summaryfile", "summaryformat", "summaryalways", "saverankperformancedetailscsv", "saveperopdatacsv", "refnum",
    "debug", "platform", "verbose", "outlierthreshold", "numnodes", "numtasksonnode0", "keepfilewitherror",
    "warningaserrors", "singlexferattempt", "settimestampsignature", "datapackettype", "uniquedir",
    "useexistingtestfile", "allocatebufferongpu", "gpuid", "gpudirect", "stonewallingstatusfile",
    "reordertasksrandomseed", "useo_direct",
)  # fmt: skip
# Without effect where they are 0.
LIMITS = (
    "deadlineforstonewalling", "stonewallingwearout", "stonewallingwearoutiterations", "maxtimeduration",
    "mintimeduration", "interiodelay", "dualmount", "memorypertask", "memorypernode", "reordertasksrandom",
)  # fmt: skip
_LINE = re.compile(r"\s*([^=#\s]+)\s*=\s*([^#\s]+)\s*")


def with_directives(fields: dict[str, Any], text: str, table: OptionTable, at: str) -> dict[str, Any]:
    """The fields of a test with `key=value[,key=value...]` applied; raises WorkloadError by the directive's name."""
    fields = dict(fields)
    for part in text.split(","):
        match = _LINE.fullmatch(part.split("#", 1)[0])
        if match is None:
            raise WorkloadError(
                f"expected an IOR directive such as blockSize=1m, got {part.strip()!r:.60}",
                at=at,
                source="ior",
            )
        key, value = match[1].lower(), match[2]
        if key in WITHOUT_EFFECT or (key in LIMITS and value == "0"):
            continue
        if key not in DIRECTIVES:
            raise WorkloadError(f"the IOR directive {match[1]!r:.60} is not supported", at=at, source="ior")
        name, kind = table.understood[DIRECTIVES[key]]
        fields[name] = (
            _truth(match[1], value, at) if kind == "flag" else table.value_of(DIRECTIVES[key], value)
        )
    return fields


def tests_of(path: Path, fields: dict[str, Any], table: OptionTable) -> list[dict[str, Any]]:
    """The fields of every test of a script, each with what the tests before it set."""
    lines = read_small_text(path, kind=WorkloadError).splitlines()
    begin = next((place for place, line in enumerate(lines) if _said(line) == "ior start"), None)
    if begin is None:
        raise WorkloadError("expected a line IOR START", source=str(path))
    tests: list[dict[str, Any]] = []
    for number, line in enumerate(lines[begin + 1 :], begin + 2):
        words = _said(line)
        if words == "ior stop":
            break
        if words == "run":
            tests.append(fields)
        elif words:
            try:
                fields = with_directives(fields, line, table, f"line {number}")
            except WorkloadError as error:
                raise WorkloadError(error.message, at=f"line {number}", source=str(path)) from None
    if not tests:
        raise WorkloadError("expected a line RUN", source=str(path))
    return tests


def _said(line: str) -> str:
    """The words of a line without its comment, in small letters."""
    return " ".join(line.split("#", 1)[0].lower().split())


def _truth(key: str, text: str, at: str) -> int:
    number = count_of(text)
    if number is None:
        raise WorkloadError(
            f"expected the IOR directive {key}=0 or {key}=1, got {text!r:.40}", at=at, source="ior"
        )
    return int(bool(number))
