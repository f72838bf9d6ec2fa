"""What the cases of the attack describe: a cluster and a workload from plain data."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

import attack_calls
import attack_steps

from striate.cluster import Cluster
from striate.cluster.load import cluster_from_tables
from striate.workload import Workload
from striate.workload import operations as op

Case = dict[str, Any]


def machine_of(case: Case) -> Cluster:
    """The cluster that a case describes; raises ClusterError where its parts do not go together."""
    wanted = case["machine"]
    if "tables" in wanted:
        return cluster_from_tables(wanted["tables"])
    tables = tomllib.loads(_text_of(wanted["base"]))
    tables["settings"] = tables.get("settings", {}) | wanted.get("settings", {})
    for server in tables.get("server", []):
        if "cache" in wanted:
            server["cache"] = {**server.get("cache", {}), **wanted["cache"]}
        if "disk" in wanted:
            server["disk"], server["disks"] = wanted["disk"], wanted["disks"]
            server["raid"] = wanted.get("raid", 0)
        if "burst" in wanted:
            server["burst"] = wanted["burst"]
    if "metadata" in wanted:
        tables["metadata"] = [{"name": "mds", "count": 1, "on": "nodes", **wanted["metadata"]}]
    if "forwarders" in wanted:
        tables["forwarder"] = [{"name": "ion", "count": wanted["forwarders"], "on": "nodes"}]
    return cluster_from_tables(tables)


@cache
def _text_of(machine: str) -> str:
    return (resources.files("striate.cluster") / "data" / f"{machine}.toml").read_text()


def workload_of(case: Case, servers: int) -> Workload:
    alone = _application(case, servers)
    return (
        Workload.together(alone, _application(case | case["beside"], servers)) if "beside" in case else alone
    )


def _application(case: Case, servers: int) -> Workload:
    ranks = case["ranks"]

    def program(rank: int, _: int) -> Iterator[Any]:
        for number, step in enumerate(case["program"]):
            yield from _operations(step, number, rank, ranks)

    in_groups = any(step["kind"] == "group" for step in case["program"])
    groups = attack_steps.groups_of(ranks) if in_groups else {}
    workload = Workload.from_program(program, ranks, name="case", communicators=groups)
    files = {file.name for file in workload.applications[0].files}
    if case.get("layout") and files:
        text = case["layout"].replace("{servers}", _strips(servers))
        if not text.startswith("simple") or int(text.split(":")[1]) <= servers:
            workload = workload.with_layouts(dict.fromkeys(files, text))
    if case.get("collective_io") and files:
        workload = workload.with_collective(dict.fromkeys(files, case["collective_io"]))
    return workload


def _strips(servers: int) -> str:
    return ";".join(f"{server}:{4096 * (server + 1)}" for server in range(min(servers, 3)))


def _operations(step: Case, number: int, rank: int, ranks: int) -> Iterator[Any]:
    kind, size, times = step["kind"], step["size"], step["times"]
    if kind in attack_steps.KINDS:
        yield from attack_steps.operations(step, rank, ranks)
        return
    if kind in attack_calls.KINDS:
        yield from attack_calls.operations(step, number, rank, ranks)
        return
    pending = []
    for turn in range(times):
        if kind == "compute":
            yield op.compute(step["seconds"] * (1 + step["skew"] * rank / ranks))
        elif kind in ("write", "read", "write_all", "read_all"):
            if step["who"] == "first" and rank:
                continue
            for one in _accesses(step, turn, rank, ranks):
                yield one
                if step["async"]:
                    pending.append(one)
        elif kind == "sync":
            yield op.sync_file("shared")
        elif kind == "open":
            yield op.open_file("shared", create=turn == 0)
            yield op.stat_file("shared")
            yield op.close_file("shared")
        elif kind == "collective":
            yield _collective(step)
        elif kind == "ring" and ranks > 1:
            yield op.sendrecv((rank + 1) % ranks, size, source=(rank - 1) % ranks, tag=number)
        elif kind == "pair" and ranks > 1 and rank < 2:
            yield op.send(1, size, tag=number) if rank == 0 else op.recv(0, size, tag=number)
    if pending:
        yield op.waitall(pending)


def _accesses(step: Case, turn: int, rank: int, ranks: int) -> Iterator[Any]:
    size, count, gap = step["size"], step["count"], step["gap"]
    name = "shared" if step["file"] == "shared" else f"own.{rank}"
    place = rank if step["file"] == "shared" else 0
    span = count * (size + gap)
    per_turn = span * (ranks if step["file"] == "shared" else 1)
    start = place * span + (0 if step["again"] else turn * per_turn)
    call = getattr(op, step["kind"])
    yield call(name, offset=start, size=size, count=count, stride=size + gap, blocking=not step["async"])


def _collective(step: Case) -> Any:
    call = getattr(op, step["call"])
    if step["call"] == "barrier":
        return call()
    if step["call"] in ("bcast", "reduce", "gather", "scatter"):
        return call(step["size"], root=step["root"])
    return call(step["size"])
