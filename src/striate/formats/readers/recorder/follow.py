"""Follows one rank's calls: which file a handle stands for, where its pointers are, which request a wait ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from striate.formats.readers.recorder.calls import TYPE_BYTES, RecorderCall

_CREATE, _APPEND = 0o100, 0o2000  # of open(2) on Linux
_NO_HANDLE = ("", "%p", "MPI_FILE_UNKNOWN", "MPI_FILE_NULL")
_NULL_PROCESS = -2


@dataclass(slots=True)
class Missing:
    """How often something could not be told, over all ranks."""

    sizes: int = 0
    offsets: int = 0
    views: int = 0
    files: int = 0


@dataclass(slots=True)
class _View:
    """A view of an MPI file: displacement and bytes of its etype; `known` is False for derived file types."""

    displacement: int = 0
    etype: int = 1
    known: bool = True
    pointer: int = 0  # in etypes


@dataclass(slots=True)
class Follower:
    """What one rank's calls have left behind so far."""

    rank: int
    files: dict[str, int]  # name -> number, for all ranks
    missing: Missing
    recoded: bool  # offsets of POSIX calls are patterns that cannot be followed
    _opened: list[tuple[str, str]] = field(default_factory=list)  # (handle, file) of MPI
    _views: dict[tuple[str, str], _View] = field(default_factory=dict)
    _position: dict[str, int | None] = field(default_factory=dict)  # of plain reads and writes
    _requests: dict[str, int] = field(default_factory=dict)  # handle -> row

    def told(self, call: RecorderCall, row: int) -> dict[str, int]:
        """The columns that the call fills, `row` being the number its row will have."""
        level = call.means.level
        if level == "mpi-io":
            return self._mpi_file(call)
        if level == "mpi":
            return self._message(call, row)
        return self._posix(call)

    def ended(self, call: RecorderCall) -> list[int]:
        """Rows of the requests that a wait, or a test that succeeded, completes."""
        if "requests" not in call.arguments or ("flag" in call.arguments and call.text("flag") != "1"):
            return []
        handles = call.text("requests").strip("[]").split(",")
        return [self._requests.pop(handle) for handle in handles if handle in self._requests]

    def _file(self, name: str) -> int:
        return self.files.setdefault(name, len(self.files)) if name else -1

    def _posix(self, call: RecorderCall) -> dict[str, int]:
        name = call.text("file")
        found = {"file": self._file(name)}
        match call.means.kind:
            case "open":
                found["tag"] = self._open(call, name)
            case "seek":
                found["offset"] = _or_none(self._seek(call, name))
            case "read" | "write":
                found["bytes"] = self._size(call)
                found["offset"] = self._access(call, name, found["bytes"])
        return found

    def _open(self, call: RecorderCall, name: str) -> int:
        mode = call.text("mode")
        flags = call.number("mode")
        appends = mode.startswith("a") if flags is None else bool(flags & _APPEND)
        self._position[name] = None if appends else 0
        creates = call.name.startswith("creat") or (
            mode[:1] in ("w", "a") if flags is None else bool(flags & _CREATE)
        )
        return int(creates)

    def _seek(self, call: RecorderCall, name: str) -> int | None:
        offset, before = call.number("offset", self.rank), self._position.get(name, 0)
        match call.text("whence").removeprefix("MPI_"):
            case "0" | "SEEK_SET":
                after = offset
            case "1" | "SEEK_CUR" if offset is not None and before is not None:
                after = before + offset
            case _:
                after = None  # from the end of the file, wherever that is
        self._position[name] = after if after is None or 0 <= after < 2**62 else None
        return self._position[name]

    def _access(self, call: RecorderCall, name: str, size: int) -> int:
        if "offset" in call.arguments:
            offset = None if self.recoded else call.number("offset", self.rank)
        else:
            offset = self._position.get(name, 0)
            self._position[name] = None if offset is None or offset + size >= 2**62 else offset + size
        self.missing.offsets += offset is None or offset < 0
        return _or_none(offset)

    def _size(self, call: RecorderCall) -> int:
        size = call.bytes()
        self.missing.sizes += size is None
        return size or 0

    def _mpi_file(self, call: RecorderCall) -> dict[str, int]:
        handle = call.text("handle")
        kind = call.means.kind
        if kind == "open":
            name = call.text("file")
            self._opened.append((handle, name))
            self._views[handle, name] = _View()
            return {"file": self._file(name), "tag": int(bool((call.number("mode") or 0) & 1))}
        name = self._handled(handle)
        found = {"file": self._file(name)}
        view = self._views.setdefault((handle, name), _View())
        if kind == "close" and (handle, name) in self._opened:
            self._opened.remove((handle, name))
        elif kind == "view":
            self._set_view(call, view)
        elif kind == "seek" and "whence" in call.arguments:
            offset = call.number("offset", self.rank)
            base = {"MPI_SEEK_SET": 0, "MPI_SEEK_CUR": view.pointer}.get(call.text("whence"))
            view.pointer = -(2**62) if offset is None or base is None else base + offset
        elif kind in ("read", "write"):
            found["bytes"] = self._size(call)
            found["offset"] = self._viewed(call, view, found["bytes"])
        return found

    def _handled(self, handle: str) -> str:
        """The file behind a handle; old traces have no handles, and then it is known if only one is open."""
        names = {name for other, name in self._opened if handle in _NO_HANDLE or other == handle}
        if len(names) == 1:
            return names.pop()
        self.missing.files += 1
        return ""

    def _set_view(self, call: RecorderCall, view: _View) -> None:
        displacement, etype = call.number("offset", self.rank), TYPE_BYTES.get(call.text("type"))
        view.known = displacement is not None and etype is not None and call.text("type2") in TYPE_BYTES
        self.missing.views += not view.known
        view.displacement, view.etype, view.pointer = displacement or 0, etype or 1, 0

    def _viewed(self, call: RecorderCall, view: _View, size: int) -> int:
        if call.means.pointer == "shared":
            place = None
        elif "offset" in call.arguments:
            place = call.number("offset", self.rank)
        else:
            place = view.pointer if view.pointer >= 0 else None
            view.pointer += -(-size // view.etype)
        known = view.known and place is not None and 0 <= place < 2**58
        offset = view.displacement + place * view.etype if known and place is not None else -1
        self.missing.offsets += offset < 0
        return offset if 0 <= offset < 2**62 else -1

    def _message(self, call: RecorderCall, row: int) -> dict[str, int]:
        found: dict[str, int] = {}
        if "count" in call.arguments:
            found["bytes"] = self._size(call)
        if "count2" in call.arguments:
            found["received"] = call.bytes("count2", "type2") or 0
        sends = call.means.kind in ("send", "sendrecv")
        for name, word in (("peer", "peer"), ("peer", "root"), ("tag", "tag"), ("source_tag", "source_tag")):
            number = call.number(word)
            if number is not None:
                found[name] = _within(number, _NULL_PROCESS if sends and word == "peer" else -1)
        if "source" in call.arguments:
            found["source"] = _within(call.number("source") or 0, -1)
        if call.means.later and "request" in call.arguments:
            found["request"] = row
            self._requests[call.text("request")] = row
        return found


def _within(number: int, negative: int) -> int:
    """A rank or tag as the column holds it."""
    return negative if number < 0 else min(number, 2**31 - 1)


def _or_none(offset: int | None) -> int:
    return -1 if offset is None or offset < 0 else offset
