"""`read_trace`: finds out what a file is, and reads it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from striate.errors import TraceError
from striate.limits import memory_limit
from striate.trace.trace import Trace
from striate.units import about_size

# Reader -> what it reads; a module with `recognises(path, head)` and `read(path)`, imported when it is asked.
READERS = {
    "striate.trace.load": "a trace saved by striate",
    "striate.formats.readers.darshan": "a Darshan log",
    "striate.formats.readers.dftracer": "a log of dftracer",
    "striate.formats.readers.otf2": "an OTF2 archive",
    "striate.formats.readers.recorder": "a trace of Recorder",
}
_HEAD_BYTES = 4096


def read_trace(path: str | Path) -> Trace:
    """Read a trace or another tool's log; the format is recognised by content.

    Raises TraceError when no format fits or the file is damaged beyond use; damage that leaves sound rows is
    flagged in `trace.header.flags`.
    """
    path = Path(path)
    try:
        reader = _reader(path)
        trace: Trace = reader.read(path)
    except TraceError as error:
        raise (error if error.source else error.in_source(str(path))) from None
    except MemoryError:
        limit = memory_limit()
        most = "there is" if limit is None else f"the limit of {about_size(limit)}"
        raise TraceError(f"reading the trace takes more memory than {most}", source=str(path)) from None
    except OSError as error:
        raise TraceError(f"cannot read: {error.strerror or error}", source=str(path)) from None
    return trace


def _reader(path: Path) -> Any:
    folder = path.is_dir()
    head = b"" if folder else _head(path)
    for name in READERS:
        reader = import_module(name)
        if reader.recognises(path, head):
            return reader
    file = f"a file that starts with {head[:8]!r}" if head else "an empty file"
    found = "a folder without the files of any of these" if folder else file
    raise TraceError(f"expected {', '.join(READERS.values())}, found {found}")


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)
