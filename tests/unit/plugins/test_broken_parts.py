"""A plug-in that breaks a rule in a run is named in one line: file, kind, name, and what it did."""

import pytest

from plugin_files import COLLECTIVE, MIXED, machine, with_plugins, written
from striate.errors import PluginError
from striate.plugins import load
from striate.plugins.layout import laid_out
from striate.plugins.trial import tried
from striate.rungs.fine import play

FIFO = """
            def __init__(self, server): self.all = []
            def arrive(self, request): self.all.append(request)
"""
HEAD = {
    "scheduler": FIFO,
    "disk": "            def __init__(self, server, disk): pass",
    "cache": "            def __init__(self, server, pages): self.all = []",
    "routing": "            def __init__(self, network): self.network = network",
    "layout": "",
    "collective-io": "",
}
BROKEN = [
    ("scheduler", "requests wait: `next` returned None", "def next(self, now): pass"),
    ("scheduler", "is not a waiting request", "def next(self, now): return self.all[0]"),
    ("scheduler", "`next` raises IndexError: pop from empty list", "def next(self, now): return [].pop()"),
    (
        "scheduler",
        "which does not continue the request before it",
        "def next(self, now): both, self.all = self.all[::-1], []; return both",
    ),
    (
        "scheduler",
        "`next` never ends: no answer for 0.2 s",
        "def next(self, now):\n                while True: pass",
    ),
    ("disk", "expected `seconds` to return 0 to 1e+07 s, got -1", "def seconds(self, access): return -1"),
    (
        "disk",
        "expected `seconds` to return 0 to 1e+07 s, got nan",
        "def seconds(self, access): return float('nan')",
    ),
    ("disk", "expected `seconds` to return 0 to 1e+07 s, got None", "def seconds(self, access): pass"),
    (
        "cache",
        "`victim` returned Page(file=0, number=99), which is not in memory",
        "added = used = lambda self, page: None\n            def victim(self): return Page(0, 99)",
    ),
    (
        "cache",
        "which is not in memory",
        "def added(self, page): self.all.append(page)\n            def used(self, page): pass\n"
        "            def victim(self): return self.all[0]",
    ),
    ("routing", "ends at", "def route(self, source, target): return []"),
    ("routing", "begins at", "def route(self, source, target): return [0, 0]"),
    ("routing", "expected edge numbers from 0 to", "def route(self, source, target): return [10**6]"),
    ("routing", "expected a list of edges from", "def route(self, source, target): return 'left'"),
    ("layout", "expected a server from 0 to 1, got 2", "def strips(self, file): return [(0, 1), (2, 5)]"),
    ("layout", "expected at least 1 byte in each strip, got 0", "def strips(self, file): return [(0, 0)]"),
    ("layout", "expected 1 to 65536 strips", "def strips(self, file): return []"),
    ("collective-io", "is in no piece", "def plan(self, access): return [Piece(0, 0, 0, 1000)]"),
    ("collective-io", "is in no piece", "def plan(self, access): return []"),
    (
        "collective-io",
        "byte 5000 of the file is in two pieces",
        "def plan(self, access): return [Piece(0, 0, 0, 10**7), Piece(0, 0, 5000, 1)]",
    ),
    (
        "collective-io",
        "expected a piece with a rank below 6, bytes above 0",
        "def plan(self, access): return [Piece(0, 99, 0, 10**10)]",
    ),
    (
        "collective-io",
        "expected `plan` to return a list of at most 1048576 pieces (parts of the file), got None",
        "def plan(self, access): pass",
    ),
]


def played(workload, cluster):
    return play(laid_out(workload, cluster), cluster)


@pytest.mark.parametrize(("kind", "words", "method"), BROKEN)
def test_a_broken_part_is_named_in_the_run_and_by_the_check(tmp_path, monkeypatch, kind, words, method):
    if "never ends" in words:  # others may be slow on a loaded machine
        monkeypatch.setenv("STRIATE_PLUGIN_SECONDS", "0.2")
    source = written(
        tmp_path,
        f"""
        class Broken:
            kind, name = "{kind}", "broken"
{HEAD[kind]}
            {method}
        plugins = [Broken]
        """,
    )
    small = machine()
    with pytest.raises(PluginError) as checked:
        tried(load([source]).loaded[0], small)
    assert str(checked.value).endswith(f"- at {kind} broken ({source})")

    workload = COLLECTIVE if kind == "collective-io" else MIXED
    with pytest.raises(PluginError) as refused:
        played(workload, with_plugins(small, source))
    assert words in str(refused.value)
    assert str(refused.value).endswith(f"- at {kind} broken ({source})")
    assert "\n" not in str(refused.value)
