"""Runs apart from its caller: reads an OTF2 archive with the `otf2` package and writes plain rows as Arrow.

The package calls a library of C, which a broken archive can bring down: then only this process ends.
Usage: python -m striate.formats.readers.otf2_events ARCHIVE OUTPUT MOST_ROWS; exit status 3 when there are more.
"""

from __future__ import annotations

import sys
from typing import Any

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("location", pa.string()),
        ("region", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("bytes", pa.int64()),
        ("offset", pa.int64()),
        ("peer", pa.int64()),
        ("tag", pa.int64()),
        ("file", pa.string()),
        ("level", pa.string()),
        ("communicator", pa.string()),
    ]
)
APART, BETWEEN = (
    "\x1f",
    "\x1e",
)  # process from thread in a location; name from members, and these, in a communicator
TOO_MANY_ROWS = 3  # exit status
_EVENTS_PER_ROW = 8  # an enter, a leave, and what lies between


class TooManyRowsError(Exception):
    """More than the reader may take."""


def rows(archive: Any, otf2: Any, most: int) -> list[dict[str, Any]]:
    """One row per Enter with its Leave; I/O and message records inside fill in what they know."""
    ticks = archive.timer_resolution
    open_calls: dict[Any, list[dict[str, Any]]] = {}
    found: list[dict[str, Any]] = []
    for number, (location, event) in enumerate(archive.events):
        if number > _EVENTS_PER_ROW * most or len(found) > most:
            raise TooManyRowsError
        stack = open_calls.setdefault(location, [])
        time = event.time * 10**9 // ticks
        if isinstance(event, otf2.events.Enter):
            row = {"location": place(location), "region": str(event.region.name), "start": time}
            shown = {str(key.name): value for key, value in (event.attributes or {}).items()}
            row |= {name: shown[name] for name in SCHEMA.names[4:] if name in shown}
            stack.append(row)
        elif isinstance(event, otf2.events.Leave) and stack:
            found.append(stack.pop() | {"end": time})
        elif stack:
            _fill(stack[-1], event, otf2)
    return found


def place(location: Any) -> str:
    """A location by the names of its process and its own; tools name either after the rank."""
    return f"{location.group.name}{APART}{location.name}"


def _communicator(communicator: Any) -> str:
    """Its name and members; none where the archive does not list them as locations."""
    members = getattr(communicator.group, "members", None) or ()
    places = [place(member) for member in members if hasattr(member, "group")]
    return BETWEEN.join([str(communicator.name), *(places if len(places) == len(members) else [])])


def _fill(row: dict[str, Any], event: Any, otf2: Any) -> None:
    handle = getattr(event, "handle", None)
    if handle is not None and getattr(handle, "file", None) is not None:
        row["file"] = str(handle.file.name)
    if getattr(event, "communicator", None) is not None:
        row["communicator"] = _communicator(event.communicator)
    if isinstance(event, otf2.events.IoOperationBegin):
        row["bytes"] = event.bytes_request
    elif isinstance(event, otf2.events.IoOperationComplete):
        row["bytes"] = event.bytes_result
    elif isinstance(event, otf2.events.MpiSend | otf2.events.MpiIsend):
        row |= {"bytes": event.msg_length, "peer": event.receiver, "tag": event.msg_tag}
    elif isinstance(event, otf2.events.MpiRecv | otf2.events.MpiIrecv):
        row |= {"bytes": event.msg_length, "peer": event.sender, "tag": event.msg_tag}
    elif isinstance(event, otf2.events.MpiCollectiveEnd):
        row["bytes"] = event.size_sent


def main(source: str, target: str, most_rows: str) -> int:
    import otf2

    try:
        with otf2.reader.open(source) as archive:
            table = pa.Table.from_pylist(rows(archive, otf2, int(most_rows)), schema=SCHEMA)
    except TooManyRowsError:
        return TOO_MANY_ROWS
    with pa.OSFile(target, "wb") as sink, pa.ipc.new_file(sink, SCHEMA) as writer:
        writer.write_table(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
