"""Communicators by the names Recorder gives them; who is in one is told by those who made it."""

from __future__ import annotations

from dataclasses import dataclass, field

from striate.formats.readers.recorder.calls import RecorderCall
from striate.trace.header import TracedCommunicator

_WORLD, _SELF = "MPI_COMM_WORLD", "MPI_COMM_SELF"
_UNKNOWN = ("", "MPI_COMM_UNKNOWN", "MPI_COMM_NULL")
_MOST = 100_000


@dataclass(slots=True)
class Communicators:
    """Numbers as the trace's header will have them; 0 is the world."""

    _numbers: dict[str, int] = field(default_factory=lambda: {_WORLD: 0})
    _places: dict[str, dict[int, int]] = field(default_factory=dict)  # name -> place in it -> world rank

    def number(self, call: RecorderCall, rank: int) -> int:
        """The communicator of a call, -1 when it has none or it is not known."""
        created, place = call.text("created"), call.number("place")
        if created not in _UNKNOWN and place is not None and place >= 0:
            self._places.setdefault(created, {})[place] = rank
        name = call.text("comm")
        if name in _UNKNOWN:
            return -1
        if name == _SELF:
            name = f"{_SELF} of {rank}"
            self._places.setdefault(name, {})[0] = rank
        if name not in self._numbers and len(self._numbers) >= _MOST:
            return -1
        return self._numbers.setdefault(name, len(self._numbers))

    def listed(self, ranks: int) -> tuple[TracedCommunicator, ...]:
        """In the order of their numbers; those whose members were not all told stand for all ranks."""
        found = [TracedCommunicator("world")]
        for name in list(self._numbers)[1:]:
            places = self._places.get(name, {})
            told = bool(places) and sorted(places) == list(range(len(places)))
            members = tuple(places[at] for at in range(len(places))) if told else None
            found.append(TracedCommunicator(name, None if members == tuple(range(ranks)) else members))
        return tuple(found)
