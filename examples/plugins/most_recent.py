"""A read cache for loops: the page used most recently leaves.

H.-T. Chou and D. DeWitt, "An evaluation of buffer management strategies for relational database systems" (VLDB 1985):
where data larger than the memory is read again and again, the least recently used page is the one that is needed next.
"""

from __future__ import annotations

from striate.plugins import Page, Server


class MostRecent:
    kind = "cache"
    name = "most-recent"

    def __init__(self, server: Server, pages: int) -> None:
        self.pages: dict[Page, None] = {}  # in order of use

    def added(self, page: Page) -> None:
        self.pages[page] = None

    def used(self, page: Page) -> None:
        del self.pages[page]
        self.pages[page] = None

    def victim(self) -> Page:
        return self.pages.popitem()[0]


plugins = [MostRecent]
