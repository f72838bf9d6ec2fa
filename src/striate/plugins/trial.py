"""Tries a plug-in out on a machine, without a program: the checks that are made in a run, over many small cases."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from striate.cluster.cluster import Cluster
from striate.collectives.book import ENGINE_RECV, ENGINE_SEND
from striate.errors import PluginError
from striate.plugins.collective import CheckedCollective, ReactiveAlgorithm
from striate.plugins.collective_io import CollectiveIOHook
from striate.plugins.compiled import faults_named, part_of
from striate.plugins.guard import LoadedPlugin
from striate.plugins.layout import strips_of
from striate.plugins.loading import reacts
from striate.plugins.protocols import ANY_RANK, FileRequest
from striate.plugins.reactive import ReactingCall, ReactingHook
from striate.plugins.routing import RoutingHook
from striate.plugins.server_parts import CacheHook, DiskHook, SchedulerHook

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33)  # ranks of a group
BYTES = (0, 1, 1000, 65536, (1 << 20) + 1)
MOST_ROUTES = 4096
REQUESTS = 300
_KIB = 1024


def tried(plugin: LoadedPlugin, cluster: Cluster) -> int:
    """How many cases the plug-in was tried on; raises PluginError at the first that it does not pass."""
    if plugin.kind not in ("collective", "routing") and not cluster.servers:
        raise PluginError(
            f"the cluster {cluster.name} has no I/O server to try the plug-in on",
            at=plugin.kind,
            source=plugin.source,
        )
    with faults_named((plugin,)):
        return sum(1 for _ in _TRIALS[plugin.kind](plugin, cluster))


def _collective(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    made, acting = CheckedCollective(plugin), ReactiveAlgorithm(plugin)
    for size in SIZES:
        for nodes in (np.arange(size) // 4, np.arange(size) % 3):
            for size_bytes in BYTES:
                for root in sorted({0, 1 % size, size - 1}):
                    if reacts(plugin):
                        _act(acting.reacting(size, size_bytes, root, nodes=nodes, machine=cluster))
                    else:
                        made(size, size_bytes, root, nodes=nodes, machine=cluster)
                    yield


def _act(call: ReactingCall) -> None:
    """Let the members of a call react to each other, first come first served, the last rank first."""
    hook, size = ReactingHook({0: call}), call.request.size
    mail: list[list[int]] = [[] for _ in range(size)]  # senders, as their messages came
    wanted: list[list[int]] = [[] for _ in range(size)]
    heard: list[list[int]] = [[] for _ in range(size)]
    ready = deque(reversed(range(size)))
    while ready:
        rank = ready.popleft()
        step = hook.next(0, 0, 0, 0, rank, heard[rank], 0)
        heard[rank] = []
        for action, peer, _ in step or ():
            if action == ENGINE_SEND:
                mail[peer].append(rank)
                if wanted[peer] and _matched(wanted[peer], mail[peer], heard[peer]):
                    ready.append(peer)
            elif action == ENGINE_RECV:
                wanted[rank].append(peer)
        if step is not None and (not wanted[rank] or _matched(wanted[rank], mail[rank], heard[rank])):
            ready.append(rank)
    hook.expect_all_over()


def _matched(wanted: list[int], mail: list[int], heard: list[int]) -> bool:
    """Give messages to receives in the order in which these were posted; whether all are served."""
    for peer in list(wanted):
        sender = next((one for one in mail if peer in (one, ANY_RANK)), None)
        if sender is not None:
            wanted.remove(peer)
            mail.remove(sender)
            heard.append(sender)
    return not wanted


def _layout(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    for number in range(8):
        strips_of(plugin, plugin.made(), FileRequest(f"file{number}", number, 1, cluster))
        yield


def _routing(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    hook = RoutingHook(plugin, cluster)
    ends = np.unique([*cluster.socket_component, *(server.component for server in cluster.servers)]).tolist()
    for number, (source, target) in enumerate(permutations(ends, 2)):
        if number == MOST_ROUTES:
            return
        hook.route(source, target)
        yield


def _collective_io(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    for members in (1, 2, 5, 8):
        hook = CollectiveIOHook(plugin, cluster, np.arange(members, dtype=np.int64) // 2)
        for runs in _patterns(members):
            first_run = np.cumsum([0, *(len(one) for one in runs)])
            every = np.concatenate(runs)
            columns = (np.ascontiguousarray(every[:, 0]), np.ascontiguousarray(every[:, 1]))
            for write in (False, True):
                hook.plan(0, write, first_run, *columns, np.arange(members))
                yield


def _patterns(members: int) -> Iterator[list[NDArray[np.int64]]]:
    """What each member asks for: parts in a row, interleaved blocks, the same bytes, odd sizes, nothing."""
    ranks = range(members)
    yield [np.array([[rank << 20, 1 << 20]]) for rank in ranks]
    yield [np.array([[(turn * members + rank) * 4 * _KIB, 4 * _KIB] for turn in range(9)]) for rank in ranks]
    yield [np.array([[100, 1000]]) for _ in ranks]
    yield [np.array([[7 + rank * 1234, 1 + 77 * rank], [10**9 + rank, 1]]) for rank in ranks]
    yield [np.array([[5, 3]] if rank == members - 1 else np.empty((0, 2))).astype(np.int64) for rank in ranks]
    yield [np.empty((0, 2), np.int64) for _ in ranks]


def _scheduler(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    """Requests of several ranks come while others are served; all of them are served once."""
    hook, draw = part_of(plugin, SchedulerHook, cluster), np.random.default_rng(1)
    waiting: set[int] = set()
    for slot in range(REQUESTS):
        rank, block = (int(value) for value in draw.integers(0, 8, 2))
        size = int(draw.integers(1, 3)) * 64 * _KIB
        hook.arrive(
            0, slot, rank, rank % 3, (rank * 8 + block) * 128 * _KIB, size, bool(block % 2), slot * 10**9
        )
        waiting.add(slot)
        while len(waiting) > (slot % 20):
            waiting -= set(hook.next(0, slot * 10**9))
        yield
    while waiting:
        waiting -= set(hook.next(0, REQUESTS * 10**9))


def _disk(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    hook, draw = part_of(plugin, DiskHook, cluster), np.random.default_rng(1)
    now = 0
    for _ in range(REQUESTS):
        file, size, write = int(draw.integers(3)), int(draw.integers(1, 1 << 22)), bool(draw.integers(2))
        now += hook.ticks(0, 0, file, int(draw.integers(1 << 30)), size, write, now)
        yield


def _cache(plugin: LoadedPlugin, cluster: Cluster) -> Iterator[None]:
    """Pages come and go through a memory of a few of them."""
    hook, draw = part_of(plugin, CacheHook, cluster), np.random.default_rng(1)
    present: set[tuple[int, int]] = set()
    for _ in range(REQUESTS):
        page = int(draw.integers(3)), int(draw.integers(20))
        if page in present:
            hook.used(0, *page)
        else:
            if len(present) == 16:
                present.remove(hook.victim(0))
            present.add(page)
            hook.added(0, *page)
        yield


_TRIALS: dict[str, Callable[[LoadedPlugin, Cluster], Iterator[None]]] = {
    "collective": _collective,
    "layout": _layout,
    "routing": _routing,
    "collective-io": _collective_io,
    "scheduler": _scheduler,
    "disk": _disk,
    "cache": _cache,
}
