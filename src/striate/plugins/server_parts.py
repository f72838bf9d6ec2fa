"""Parts of I/O servers by plug-ins: what the core asks of them in a run, and whether they answer by the rules."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from striate.cluster.cluster import Cluster
from striate.errors import PluginError
from striate.plugins.guard import LoadedPlugin
from striate.plugins.protocols import DiskAccess, Page, Server, ServerRequest

PAGE_BYTES = 64 * 1024  # core/include/striate/storage/read_cache.hpp
MOST_SECONDS = 1e7  # of one disk access
_TICKS = 1e12  # picoseconds of a second


def server_of(cluster: Cluster, number: int) -> Server:
    """A server as plug-ins see it."""
    server = cluster.servers[number]
    return Server(number, server.name, server.memory, cluster)


class SchedulerHook:
    """Hands requests to the schedulers of all servers, and takes back each of them once."""

    def __init__(self, plugin: LoadedPlugin, cluster: Cluster) -> None:
        self._plugin = plugin
        self._names = [server.name for server in cluster.servers]
        self._largest = int(cluster.settings.io_request)
        self._schedulers = [plugin.made(server_of(cluster, n)) for n in range(len(cluster.servers))]
        self._waiting: list[dict[int, tuple[ServerRequest, int]]] = [{} for _ in cluster.servers]
        self._arrived = 0

    def arrive(
        self, server: int, slot: int, rank: int, file: int, offset: int, size: int, write: bool, now: int
    ) -> None:
        """A request waits in `slot` of the core's queue."""
        request = ServerRequest(self._arrived, rank, file, offset, size, write, now / _TICKS)
        self._arrived += 1
        self._waiting[server][request.number] = request, slot
        self._plugin.call("arrive", self._schedulers[server].arrive, request)

    def next(self, server: int, now: int) -> list[int]:
        """The slots of the requests that are served together next."""
        answer = self._plugin.call("next", self._schedulers[server].next, now / _TICKS)
        chosen = [answer] if isinstance(answer, ServerRequest) else answer
        waiting = self._waiting[server]
        if not isinstance(chosen, Sequence) or not chosen:
            raise self._error(
                server,
                f"disks stay idle while {len(waiting)} requests wait: `next` returned {answer!r:.60}",
            )
        slots = []
        for request in chosen:
            known = waiting.pop(getattr(request, "number", -1), None)
            if known is None or known[0] is not request:
                raise self._error(server, f"`next` returned {request!r:.120}, which is not a waiting request")
            slots.append(known[1])
        for before, after in pairwise(chosen):
            if (after.file, after.write, after.offset) != (before.file, before.write, before.end):
                raise self._error(
                    server,
                    "expected requests served together to be contiguous in one file and all reads or all "
                    f"writes, got {after!r:.120}, which does not continue the request before it",
                )
        if len(chosen) > 1 and (total := sum(one.bytes for one in chosen)) > self._largest:
            raise self._error(
                server,
                f"expected at most {self._largest} bytes served together (the size of one I/O request), "
                f"got {total}",
            )
        return slots

    def _error(self, server: int, why: str) -> PluginError:
        return self._plugin.error(f"server {self._names[server]}: {why}")


class DiskHook:
    """Asks the models of all disks how long accesses take."""

    def __init__(self, plugin: LoadedPlugin, cluster: Cluster) -> None:
        self._plugin = plugin
        self._names = [server.name for server in cluster.servers]
        self._models = [
            [plugin.made(server_of(cluster, number), disk) for disk in range(len(server.disks))]
            for number, server in enumerate(cluster.servers)
        ]

    def ticks(self, server: int, disk: int, file: int, offset: int, size: int, write: bool, now: int) -> int:
        """Picoseconds of an access."""
        access = DiskAccess(file, offset, size, write, now / _TICKS)
        found = self._plugin.call("seconds", self._models[server][disk].seconds, access)
        sound = isinstance(found, int | float) and math.isfinite(found) and 0 <= found <= MOST_SECONDS
        if not sound:
            where = f"disk {disk} of server {self._names[server]}"
            raise self._plugin.error(
                f"{where}: expected `seconds` to return 0 to {MOST_SECONDS:g} s, "
                f"got {found!r:.60} for {access}"
            )
        ticks: int = round(found * _TICKS)
        return ticks


class CacheHook:
    """Tells the replacement policies of all servers what is in memory, and lets them choose what leaves."""

    def __init__(self, plugin: LoadedPlugin, cluster: Cluster) -> None:
        self._plugin = plugin
        self._names = [server.name for server in cluster.servers]
        self._policies = [
            plugin.made(server_of(cluster, number), server.memory // PAGE_BYTES)
            for number, server in enumerate(cluster.servers)
        ]
        self._present: list[set[Page]] = [set() for _ in cluster.servers]

    def added(self, server: int, file: int, number: int) -> None:
        page = Page(file, number)
        self._present[server].add(page)
        self._plugin.call("added", self._policies[server].added, page)

    def used(self, server: int, file: int, number: int) -> None:
        self._plugin.call("used", self._policies[server].used, Page(file, number))

    def victim(self, server: int) -> tuple[int, int]:
        """The page that leaves."""
        page = self._plugin.call("victim", self._policies[server].victim)
        try:
            self._present[server].remove(page)
        except (KeyError, TypeError):
            raise self._plugin.error(
                f"server {self._names[server]}: `victim` returned {page!r:.80}, which is not in memory"
            ) from None
        return int(page.file), int(page.number)
