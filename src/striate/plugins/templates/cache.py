"""A read cache of one's own: the page that came first leaves first.

Try it: striate predict checkpoint westmere --plugin THIS_FILE
"""

from __future__ import annotations

from collections import deque

from striate.plugins import Page, Server


class MyCache:
    kind = "cache"
    name = "my-cache"

    def __init__(self, server: Server, pages: int) -> None:
        self.pages: deque[Page] = deque()

    def added(self, page: Page) -> None:
        self.pages.append(page)

    def used(self, page: Page) -> None:
        """First in, first out does not care."""

    def victim(self) -> Page:
        return self.pages.popleft()


plugins = [MyCache]
