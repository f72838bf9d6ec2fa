"""A server that sorts across its clients: the arm moves upwards through all that waits, then starts again (C-SCAN).

P. Denning, "Effects of scheduling on file memory operations" (AFIPS 1967). Requests that continue each other are served
as one access.
"""

from __future__ import annotations

from bisect import bisect_left, insort

from striate.plugins import Server, ServerRequest

Place = tuple[int, int, int]  # file, offset, number


class Elevator:
    kind = "scheduler"
    name = "elevator"

    def __init__(self, server: Server) -> None:
        self.largest = int(server.machine.settings.io_request)
        self.places: list[Place] = []
        self.requests: dict[int, ServerRequest] = {}
        self.arm: Place = (0, 0, 0)

    def arrive(self, request: ServerRequest) -> None:
        insort(self.places, (request.file, request.offset, request.number))
        self.requests[request.number] = request

    def next(self, now: float) -> list[ServerRequest]:
        at = bisect_left(self.places, self.arm) % len(self.places)
        chosen = [self._taken(at)]
        while at < len(self.places) and self._continues(chosen, self.requests[self.places[at][2]]):
            chosen.append(self._taken(at))
        self.arm = chosen[-1].file, chosen[-1].end, 0
        return chosen

    def _taken(self, at: int) -> ServerRequest:
        return self.requests.pop(self.places.pop(at)[2])

    def _continues(self, chosen: list[ServerRequest], one: ServerRequest) -> bool:
        last = chosen[-1]
        follows = (one.file, one.write, one.offset) == (last.file, last.write, last.end)
        return follows and one.end - chosen[0].offset <= self.largest


plugins = [Elevator]
