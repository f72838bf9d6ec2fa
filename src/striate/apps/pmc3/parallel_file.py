"""The parallel file: a preamble that describes it, two marks of how far it is good, and the records of all runs.

Everything has its place from the start, so any rank writes any record without asking. A mark is written only when
all records before it are on disk; there are two, used in turn, so that one is whole whenever a write is cut short.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import BinaryIO

import msgspec
import numpy as np

from striate.apps.pmc3.format import Arrangement, SampleFormat
from striate.apps.pmc3.sample_files import RunSamples
from striate.errors import TraceError
from striate.layout.mapped.record_map import Area, RecordMap, Slot
from striate.layout.mapped.slots import strip

MAGIC = b"striate.pmc3/1\n"
PREAMBLE_BYTES = 4096
MARK_BYTES = 64
MOST_RUNS, MOST_LINES, LONGEST_LINE = 10**6, 10**12, 2**31


class ParallelFileError(TraceError):
    """A parallel file that cannot be read."""


class SampleDescription(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the preamble says; the map follows from it."""

    runs: int
    lines: int
    parameter_line: int
    tree_line: int
    parameter_header: int
    tree_header: int
    arrangement: Arrangement = "run"
    together: int = 0

    @property
    def format(self) -> SampleFormat:
        """Sizes of the records."""
        sizes = (self.parameter_line, self.tree_line, self.parameter_header, self.tree_header)
        return SampleFormat(self.runs, self.lines, *sizes, together=self.together)

    def record_map(self) -> RecordMap:
        """The map of the whole file; refuses numbers no sampling has, before anything is allocated."""
        limits = {"runs": MOST_RUNS, "lines": MOST_LINES, "together": MOST_LINES}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            least, most = int(name != "together"), limits.get(name, LONGEST_LINE)
            if name != "arrangement" and not least <= value <= most:
                raise ParallelFileError(
                    f"expected `{name}` in the preamble of the file from {least} to {most}, got {value}",
                    at="preamble",
                )
        if self.together and self.arrangement == "run":
            raise ParallelFileError(
                "expected `together` (samples of a run side by side) to be 0 with the arrangement 'run', "
                f"got {self.together}",
                at="preamble",
            )
        front = (
            Slot("preamble", PREAMBLE_BYTES, padded=False),
            Area("turn", 2, Slot("mark", MARK_BYTES, padded=False)),
        )
        records = self.format.record_map(self.arrangement, before=RecordMap(*front).size)
        return RecordMap(*front, *records.parts)

    def preamble(self) -> bytes:
        """The bytes of the preamble slot: a magic line, one line of JSON, zeros."""
        content = MAGIC + msgspec.json.encode(self) + b"\n"
        assert len(content) <= PREAMBLE_BYTES
        return content.ljust(PREAMBLE_BYTES, b"\0")


def read_description(preamble: bytes) -> SampleDescription:
    """The description in a preamble; refuses another file."""
    if not preamble.startswith(MAGIC):
        raise ParallelFileError(
            f"expected an output file of pmc3 that begins with {MAGIC.decode().strip()}, found {preamble[:15]!r}"
        )
    line = preamble[len(MAGIC) :].split(b"\n", 1)[0]
    try:
        return msgspec.json.decode(line, type=SampleDescription)
    except msgspec.MsgspecError as error:
        raise ParallelFileError(
            f"expected a description of the samples in JSON, found other content: {error}", at="preamble"
        ) from None


def mark(samples: int) -> bytes:
    """The bytes of a mark that says: the first `samples` samples of every run are here."""
    text = f"complete {samples}".encode()
    return (text + f" {zlib.crc32(text):08x}\n".encode()).ljust(MARK_BYTES, b" ")


def marked_samples(content: bytes) -> int:
    """What a mark says; 0 for one that was never, or not wholly, written."""
    text, _, checksum = content.rstrip().rpartition(b" ")
    if not text.startswith(b"complete ") or f"{zlib.crc32(text):08x}".encode() != checksum:
        return 0
    return int(text.split(b" ")[1])


@dataclass(frozen=True)
class ParallelFile:
    """An open parallel file, to be read; `samples` of every run are complete."""

    stream: BinaryIO
    description: SampleDescription
    record_map: RecordMap
    samples: int

    @classmethod
    def open(cls, stream: BinaryIO) -> ParallelFile:
        """Read the preamble and the marks; refuses a file that is shorter than what they promise."""
        stream.seek(0)
        description = read_description(stream.read(PREAMBLE_BYTES))
        record_map = description.record_map()
        marks = [_read(stream, int(record_map.offset("mark", turn=turn)), MARK_BYTES) for turn in (0, 1)]
        samples = max(marked_samples(content) for content in marks)
        if samples > description.lines:
            raise ParallelFileError(
                f"expected at most {description.lines} samples per run, got {samples} marked as valid"
            )
        return cls(stream, description, record_map, samples)

    def run(self, run: int) -> RunSamples:
        """The headers and complete lines of one run, padding stripped."""
        heads = [self._header(name, run) for name in ("parameter_header", "tree_header")]
        lines = [self._lines(name, run) for name in ("parameter", "tree")]
        return RunSamples(heads[0], lines[0], heads[1], lines[1])

    def _header(self, name: str, run: int) -> bytes:
        slot = self.record_map.column(name).slot
        content = _read(self.stream, int(self.record_map.offset(name, run=run)), slot.size)
        return strip(slot, content, at=f"run {run}")

    def _lines(self, name: str, run: int) -> tuple[bytes, ...]:
        slot = self.record_map.column(name).slot
        where = self.description.format.indices(run, np.arange(self.samples))
        offsets = np.atleast_1d(self.record_map.offset(name, **where)).tolist()
        return tuple(
            strip(slot, _read(self.stream, offset, slot.size), at=f"run {run}, sample {sample}")
            for sample, offset in enumerate(offsets)
        )


def _read(stream: BinaryIO, offset: int, size: int) -> bytes:
    stream.seek(offset)
    content = stream.read(size)
    if len(content) != size:
        raise ParallelFileError(f"expected {size} bytes, found {len(content)}", at=f"byte {offset}")
    return content
