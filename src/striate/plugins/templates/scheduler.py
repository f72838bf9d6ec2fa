"""A request scheduler of one's own: requests are served in the order in which they came.

Try it: striate predict checkpoint westmere --plugin THIS_FILE
"""

from __future__ import annotations

from collections import deque

from striate.plugins import Server, ServerRequest


class MyScheduler:
    kind = "scheduler"
    name = "my-scheduler"

    def __init__(self, server: Server) -> None:
        self.waiting: deque[ServerRequest] = deque()

    def arrive(self, request: ServerRequest) -> None:
        self.waiting.append(request)

    def next(self, now: float) -> ServerRequest:
        return self.waiting.popleft()


plugins = [MyScheduler]
