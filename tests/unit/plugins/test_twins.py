"""A plug-in that does what a built-in part does takes the same time, to the picosecond: nothing passes it by."""

import numpy as np
import pytest

from plugin_files import COLLECTIVE, MIXED, TEMPLATES, machine, with_plugins, written
from striate.rungs.fine import play


def same(workload, builtin, own) -> None:
    first, second = play(workload, builtin), play(workload, own)
    for column in ("rank_end", "disk_operations", "disk_bytes_read", "disk_bytes_written", "server_busy"):
        np.testing.assert_array_equal(getattr(first, column), getattr(second, column), err_msg=column)
    assert first.end == second.end


def test_first_come_first_served_is_write_behind():
    own = with_plugins(machine(policy="server-directed"), str(TEMPLATES / "scheduler.py"))
    same(MIXED, machine(policy="write-behind"), own)


def test_reads_first_by_offset_is_the_policy_of_that_name(tmp_path):
    source = written(
        tmp_path,
        """
        class Sorted:
            kind, name = "scheduler", "sorted"
            def __init__(self, server):
                self.waiting, self.largest = [], int(server.machine.settings.io_request)
            def arrive(self, request):
                self.waiting.append(request)
            def next(self, now):
                key = lambda one: (one.write, one.file, one.offset, one.number)
                chosen = [min(self.waiting, key=key)]
                while True:
                    last = chosen[-1]
                    follow = [one for one in self.waiting if one not in chosen
                              and (one.write, one.file, one.offset) == (last.write, last.file, last.end)
                              and one.end - chosen[0].offset <= self.largest]
                    if not follow:
                        break
                    chosen.append(min(follow, key=key))
                self.waiting = [one for one in self.waiting if one not in chosen]
                return chosen
        plugins = [Sorted]
        """,
    )
    same(MIXED, machine(policy="aggregation-reorder"), with_plugins(machine(policy="write-behind"), source))


def test_a_hard_disk_by_its_formula_is_a_hard_disk(tmp_path):
    source = written(
        tmp_path,
        """
        class Hard:
            kind, name = "disk", "hard"
            def __init__(self, server, disk):
                self.file, self.end = -1, -1
            def seconds(self, access):
                near = access.file == self.file and abs(access.offset - self.end) < 1_000_000
                seek = 0 if (access.file, access.offset) == (self.file, self.end) else 1e-3 if near else 8e-3
                self.file, self.end = access.file, access.end
                turn = round(30 / 7200 * 1e12) / 1e12 if seek else 0
                return seek + turn + access.bytes / 100e6
        plugins = [Hard]
        """,
    )
    plain = '{ kind = "simple", rate = "1 GB/s" }'
    same(MIXED, machine(), with_plugins(machine(disk=plain), source))


def test_least_recently_used_is_the_built_in_cache(tmp_path):
    source = written(
        tmp_path,
        """
        class Lru:
            kind, name = "cache", "lru"
            def __init__(self, server, pages):
                self.pages = {}
            def added(self, page):
                self.pages[page] = None
            def used(self, page):
                self.pages[page] = self.pages.pop(page)
            def victim(self):
                page = next(iter(self.pages))
                del self.pages[page]
                return page
        plugins = [Lru]
        """,
    )
    same(MIXED, machine(), with_plugins(machine(), source))


@pytest.mark.parametrize("workload", [MIXED, COLLECTIVE], ids=["mixed", "collective"])
def test_shortest_routes_are_those_of_the_engine(workload):
    same(workload, machine(), with_plugins(machine(), str(TEMPLATES / "routing.py")))


@pytest.mark.parametrize("method", ["two-phase", "pipelined"])
def test_equal_domains_are_two_phase_io(tmp_path, method):
    source = written(
        tmp_path,
        """
        class Domains:
            kind, name = "collective-io", "domains"
            def plan(self, access):
                unit, buffer = int(access.machine.settings.stripe_unit), 128 * 1024
                runs = np.concatenate(access.runs)
                low, high = int(runs[:, 0].min()), int(runs.sum(axis=1).max())
                base, members = low - low % unit, len(access.runs)
                width = -(-(-(-(high - base) // unit)) // members) * unit
                pieces = []
                for member in range(members):
                    begin = max(low, base + member * width)
                    end = min(high, base + (member + 1) * width)
                    for turn, start in enumerate(range(begin, end, buffer)):
                        pieces.append(Piece(turn, member, start, min(buffer, end - start)))
                return pieces
        plugins = [Domains]
        """,
    )
    settings = f'[settings]\ncollective = "{method}"\ncollective_buffer = "128 KiB"'
    plain = settings if method == "pipelined" else '[settings]\ncollective_buffer = "128 KiB"'
    same(COLLECTIVE, machine(settings), with_plugins(machine(plain), source))
