"""h5bench: the write and read benchmarks of a configuration, as the data they move; headers of HDF5 are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from striate.decoders import json_mistake
from striate.errors import UnitError, WorkloadError
from striate.importers.command_options import count_of, size_of
from striate.importers.kinds import launched_ranks
from striate.importers.written_program import WrittenProgram
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.limits import read_small_text
from striate.units import LARGEST, seconds
from striate.workload import Workload

VARIABLES, ELEMENT = 8, 4  # of a particle: six floats and two integers, 32 bytes in all
WITHOUT_EFFECT = (
    "CSV_FILE",
    "COLLECTIVE_METADATA",
    "DELAYED_CLOSE_TIMESTEPS",
    "IO_MEM_LIMIT",
    "ENV_METADATA_FILE",
)
UNDERSTOOD = (
    *("MEM_PATTERN", "FILE_PATTERN", "READ_OPTION", "NUM_PARTICLES", "TO_READ_NUM_PARTICLES", "TIMESTEPS"),
    *("EMULATED_COMPUTE_TIME_PER_TIMESTEP", "NUM_DIMS", "DIM_1", "DIM_2", "DIM_3", "MODE", "COLLECTIVE_DATA"),
)
SWITCHES = {  # understood where they are off
    "COMPRESS": "compression", "SUBFILING": "subfiling", "ALIGN": "alignment", "FILE_PER_PROC": "a file per rank",
}  # fmt: skip
BENCHMARKS = ("write", "read")


def from_words(words: list[str], ranks: int | None) -> Workload:
    """The workload of the words after `h5bench`."""
    files = [word for word in words if not word.startswith("-")]
    unknown = [
        word for word in words if word.startswith("-") and word not in ("--debug", "--abort-on-failure")
    ]
    if unknown:
        raise WorkloadError(f"unknown option {unknown[0]!r:.60}", at=unknown[0], source="h5bench")
    if len(files) != 1:
        raise WorkloadError(f"expected one configuration, got {len(files)}", source="h5bench")
    return from_file(Path(files[0]), ranks)


def from_file(path: Path, ranks: int | None) -> Workload:
    """The workload of a configuration; raises WorkloadError with the path of the mistake."""
    source = str(path)
    try:
        document = msgspec.json.decode(read_small_text(path, kind=WorkloadError))
    except (msgspec.DecodeError, RecursionError) as error:
        mistake, at = json_mistake(error)
        raise WorkloadError(f"not JSON: {mistake}", at=at, source=source) from None
    keys = ("mpi", "vol", "file-system", "directory", "benchmarks")
    if not isinstance(document, dict):
        raise WorkloadError(
            "expected a JSON object with the key benchmarks, got another JSON value", source=source
        )
    for key in document:
        if key not in keys:
            raise WorkloadError(f"unknown key {key!r:.60}", at=f"$.{key}", source=source)
    if document.get("vol"):
        raise WorkloadError("VOL connectors are not supported", at="$.vol", source=source)
    said = _ranks(document.get("mpi"), source)
    if ranks is not None and said is not None and ranks != said:
        raise WorkloadError(
            f"expected --ranks {said}, the number of ranks in the h5bench file, got --ranks {ranks}",
            at="$.mpi",
            source=source,
        )
    count = said if said is not None else ranks
    if count is None:
        raise WorkloadError("the number of ranks is missing; give --ranks N", at="$.mpi", source=source)
    body = WrittenProgram(count, name="h5bench", source=source)
    _write(body, document, source)
    return body.workload()


def _ranks(mpi: Any, source: str) -> int | None:
    """What the launcher is told: `configuration` counts before `ranks`, as in h5bench."""
    mpi = _object(mpi, "$.mpi", source)
    words = str(mpi.get("configuration", "")).split()
    if words or "ranks" not in mpi:
        return launched_ranks(words)
    found = count_of(str(mpi["ranks"]))
    if not found:
        raise WorkloadError(
            f"expected a number of MPI ranks, got {mpi['ranks']!r:.60}", at="$.mpi.ranks", source=source
        )
    return found


def _object(value: Any, at: str, source: str) -> dict[str, Any]:
    """An object of the document; an absent one is empty."""
    if value is not None and not isinstance(value, dict):
        raise WorkloadError("expected an object", at=at, source=source)
    return value or {}


def _stripe(document: dict[str, Any], source: str) -> SimpleStripe | None:
    """The stripe of the directory on Lustre; None: the machine's own."""
    at = "$.file-system"
    lustre = _object(_object(document.get("file-system"), at, source).get("lustre"), f"{at}.lustre", source)
    if not lustre:
        return None
    size, count = (
        size_of(str(lustre.get("stripe-size", "1M"))),
        count_of(str(lustre.get("stripe-count", "1"))),
    )
    if not size or not count:
        found = "expected a stripe-size such as 1M and a stripe-count such as 4, each of at least 1"
        raise WorkloadError(found, at=f"{at}.lustre", source=source)
    return SimpleStripe(count, size)


def _write(body: Any, document: dict[str, Any], source: str) -> None:
    stripe = _stripe(document, source)
    benchmarks = document.get("benchmarks")
    if not isinstance(benchmarks, list) or not benchmarks:
        raise WorkloadError("expected a list of benchmarks", at="$.benchmarks", source=source)
    files: dict[str, Any] = {}
    for number, one in enumerate(benchmarks):
        at = f"$.benchmarks[{number}]"
        if not isinstance(one, dict) or one.get("benchmark") not in BENCHMARKS:
            known = " and ".join(BENCHMARKS)
            found = one.get("benchmark") if isinstance(one, dict) else one
            raise WorkloadError(
                f"h5bench's benchmark {found!r:.40} is not supported; expected one of {known}",
                at=f"{at}.benchmark",
                source=source,
            )
        name = str(one.get("file", "test.h5"))
        if name not in files:
            files[name] = body.files(name, layout=stripe)
        settings = _Settings(one.get("configuration"), f"{at}.configuration", source)
        _benchmark(body, files[name], settings, writes=one["benchmark"] == "write", number=number)


class _Settings:
    """The configuration of one benchmark: every key understood, passed over or refused."""

    def __init__(self, found: Any, at: str, source: str) -> None:
        if not isinstance(found, dict):
            raise WorkloadError("expected an object", at=at, source=source)
        self._found, self._at, self._source = found, at, source
        for key, value in found.items():
            if key in SWITCHES and str(value).upper() != "NO":
                raise self._refuse(key, f"{SWITCHES[key]} is not supported")
            if key not in (*UNDERSTOOD, *WITHOUT_EFFECT, *SWITCHES) and not key.startswith("CHUNK_DIM_"):
                raise self._refuse(key, f"unknown key {key!r:.60}")

    def word(self, key: str, default: str, known: tuple[str, ...]) -> str:
        found = str(self._found.get(key, default)).upper()
        if found not in known:
            raise self._refuse(key, f"{found!r:.40} is not supported; expected one of {', '.join(known)}")
        return found

    def count(self, key: str, default: int | None) -> int:
        if key not in self._found:
            if default is None:
                raise self._refuse(key, "expected a number, found none")
            return default
        number = size_of(str(self._found[key]))  # "16 M": 2^20 times as many
        if not number or number > LARGEST:
            raise self._refuse(key, f"expected a number such as 16 M, got {self._found[key]!r:.60}")
        return number

    def time(self, key: str) -> float:
        text = str(self._found.get(key, "0 s"))
        try:
            return seconds(text)
        except UnitError as error:
            raise self._refuse(key, error.message) from None

    def particles(self) -> int:
        """Of each rank: the product of the dimensions, or NUM_PARTICLES of older versions."""
        if "DIM_1" not in self._found:
            return self.count("NUM_PARTICLES", None)
        return self.count("DIM_1", None) * self.count("DIM_2", 1) * self.count("DIM_3", 1)

    def _refuse(self, key: str, message: str) -> WorkloadError:
        return WorkloadError(message, at=f"{self._at}.{key}", source=self._source)


def _benchmark(body: Any, file: Any, settings: _Settings, *, writes: bool, number: int) -> None:
    """Time steps of eight arrays, or of one array of records, one behind the other; a rank has a run of each."""
    settings.word("MODE", "SYNC", ("SYNC",))
    settings.word("MEM_PATTERN", "CONTIG", ("CONTIG", "INTERLEAVED"))
    pattern = settings.word("FILE_PATTERN", "CONTIG", ("CONTIG", "INTERLEAVED"))
    part = settings.word("READ_OPTION", "FULL", ("FULL", "PARTIAL"))
    particles, steps = settings.particles(), settings.count("TIMESTEPS", 1)
    moved = particles
    if not writes and part == "PARTIAL":
        moved = -(-settings.count("TO_READ_NUM_PARTICLES", None) // body.ranks)
    arrays = VARIABLES if pattern == "CONTIG" else 1
    width = ELEMENT if pattern == "CONTIG" else ELEMENT * VARIABLES
    together = settings.word("COLLECTIVE_DATA", "NO", ("YES", "NO")) == "YES"
    call = getattr(body, ("write" if writes else "read") + ("_all" if together else ""))
    pause = settings.time("EMULATED_COMPUTE_TIME_PER_TIMESTEP")
    step_bytes = particles * body.ranks * VARIABLES * ELEMENT
    body.expect_bytes(steps * step_bytes, at=f"$.benchmarks[{number}].configuration")
    with body.region(f"{'write' if writes else 'read'} {number}"):
        body.open_file(file, create=writes)
        with body.repeat(steps) as step:
            with body.repeat(arrays) as array:
                place = (
                    step * step_bytes + array * (particles * body.ranks * width) + body.rank * (moved * width)
                )
                call(file, offset=place, size=moved * width)
            if pause:
                body.compute(f"{pause} s")
        if writes:
            body.sync_file(file)
        body.close_file(file)
