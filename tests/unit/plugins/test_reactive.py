"""Collectives that react: any source, decided by what came; broken ones are named."""

import numpy as np
import pytest

from plugin_files import EXAMPLES, WESTMERE, with_plugins, written
from striate.apps import kernels
from striate.collectives.choice import Choice
from striate.errors import PluginError, PredictionError
from striate.ladder import predict
from striate.plugins import load
from striate.plugins.trial import tried
from striate.rungs.fine import play
from striate.workload import operations
from striate.workload.workload import Workload


def played(workload, source):
    plugins = load([source])
    cluster = with_plugins(WESTMERE, source)
    return play(workload, cluster, choice=Choice.of(plugins.rules, plugins.collectives))


def test_a_fixed_order_is_the_schedule_of_that_order(tmp_path):
    """The binomial tree once as generators and once as the built-in schedule takes the same time."""
    source = written(
        tmp_path,
        """
        class Binomial:
            kind, name, call = "collective", "twin", "bcast"
            def member(self, request, rank):
                me, size = (rank - request.root) % request.size, request.size
                turned = lambda one: (one + request.root) % size
                bit = 1
                while bit < size and not me & bit:
                    bit *= 2
                if me:
                    yield [Receive(turned(me - bit))]
                while bit > 1:
                    bit //= 2
                    if me + bit < size:
                        yield [Send(turned(me + bit), request.bytes)]
        plugins = [Binomial]
        """,
    )
    for ranks, size, root in ((2, "1 B", 0), (7, "1 MiB", 3), (16, "300 KiB", 15)):
        own = played(kernels.workload("bcast", ranks=ranks, size=size, root=root, repeat=2), source)
        builtin = play(
            kernels.workload(
                "bcast", ranks=ranks, size=size, root=root, repeat=2, algorithm="binomial-in-turn"
            ),
            WESTMERE,
        )
        np.testing.assert_array_equal(own.rank_end, builtin.rank_end)


def late(rank, ranks):
    """Rank 1 comes late to the reduction."""
    yield operations.compute(0.05 if rank == 1 else 0.0)
    yield operations.reduce(8 << 20, root=0)


def test_who_comes_early_does_not_wait_behind_who_comes_late(tmp_path):
    """The same reduction with receives in order of ranks takes longer."""
    in_order = written(
        tmp_path,
        (EXAMPLES / "as_they_come.py")
        .read_text()
        .replace("for _ in range(expected):", "for _ in peers:")
        .replace("for _ in peers:", "for peer in peers:")
        .replace("Receive(ANY_RANK)", "Receive(peer)")
        .replace(
            "        if rank == root:\n",
            "        peers = [one for one in near if one != rank]\n"
            "        if rank == root:\n"
            "            others = sorted(set(nodes) - {nodes[rank]})\n"
            "            peers += [min(o for o in range(request.size) if nodes[o] == n) for n in others]\n",
        )
        .replace("from __future__ import annotations\n", ""),
    )
    workload = Workload.from_program(late, 10)
    early = played(workload, str(EXAMPLES / "as_they_come.py")).rank_end.max()

    assert early < played(workload, in_order).rank_end.max()


def test_only_fine_takes_it_and_others_refuse_by_name():
    source = str(EXAMPLES / "as_they_come.py")
    workload = kernels.workload("reduce", ranks=8)

    with pytest.raises(
        PredictionError, match=r"only the packet engine models the plug-in as-they-come \(collective\)"
    ):
        predict(workload, "westmere", rung="resource", plugins=[source])
    assert predict(workload, "westmere", plugins=[source]).rung == "fine"


BROKEN = {
    "expected rank 0 to send at least 1000 bytes, got 0": "yield []",
    "the collective never ends: ranks 0, 1, 2, 3 wait for messages": "yield [Receive(ANY_RANK)]",
    "got Send(peer=9, bytes=1000) of rank 0": "yield [Send(9, request.bytes)]",
    "expected `member` to yield steps of sends and receives, got 7": "yield 7",
    "`member` raises KeyError: 'x' (line 8)": "yield {}['x']",
    "expected `member` to be a generator that yields steps, got NoneType": "return None",
    "rank 1 never receives a message of rank 0": (
        "yield [Send(one, 1000) for one in range(4) for _ in (1, 2) if one] if rank == 0 else [Receive(0)]"
    ),
    "`member` never ends: no answer for 0.2 s": "while True: pass\n                yield []",
}


@pytest.mark.parametrize("words", sorted(BROKEN))
def test_a_broken_member_is_named(tmp_path, monkeypatch, words):
    if "no answer" in words:  # others may be slow on a loaded machine
        monkeypatch.setenv("STRIATE_PLUGIN_SECONDS", "0.2")
    source = written(
        tmp_path,
        f"""
        class Broken:
            kind, name, call = "collective", "broken", "bcast"
            def member(self, request, rank):
                {BROKEN[words]}
        plugins = [Broken]
        """,
    )
    with pytest.raises(PluginError) as refused:
        played(kernels.workload("bcast", ranks=4, size="1000 B"), source)
    assert words in str(refused.value)
    assert str(refused.value).endswith(f"- at collective broken ({source})")
    with pytest.raises(PluginError):
        tried(load([source]).loaded[0], WESTMERE)
