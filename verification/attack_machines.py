"""Random machines from nothing: every table and nearly every key of a cluster's description, with odd numbers.

The bundled machines have equal nodes, equal servers and round rates; here nodes and servers differ within one machine,
networks have every topology, and rates divide nothing evenly. A machine is the tables of its file, as plain data.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

Table = dict[str, Any]

RATES = ("7 MB/s", "96 MiB/s", "333333333 B/s", "1.2 GB/s", "3 GB/s", "12.5 GB/s", "60 GB/s")
LATENCIES = ("0 s", "50 ns", "600 ns", "20 us")
ACCESSES = ("0 s", "200 us", "3 ms")
SIZES = ("1000 B", "4096 B", "65537 B", "1 MiB", "7 MB")
POLICIES = (
    *("none", "piosimhd-none", "write-behind", "aggregation", "aggregation-reorder", "server-directed"),
)
HOLDING = ("write-behind", "aggregation", "aggregation-reorder")  # they keep what is written

SETTINGS: dict[str, tuple[object, ...]] = {
    "packet": ("1000 B", "4 KiB", "32 KiB", "100 KiB", "1 MiB"),
    "eager": ("0 B", "4 KiB", "100 KiB", "1 MiB"),
    "io_request": SIZES,
    "stripe_unit": SIZES,
    "write_window": ("0 B", "64 KiB", "1 MiB"),
    "read_window": ("0 B", "64 KiB", "1 MiB"),
    "lock_move": ("0 s", "100 us", "5 ms"),
    "size_update": ("0 s", "100 us", "2 ms"),
    "inode_lock": (False, True),
    "write_copy": ("96 MiB/s", "3 GB/s"),
    "read_copy": ("96 MiB/s", "12.5 GB/s"),
    "io_thread": ("0 s", "1500 us"),
    "piece_cpu": ("0 s", "30 ns", "10 us"),
    "exchange_copy": ("96 MiB/s", "10 GB/s"),
    "open_by": ("first", "all"),
    "distribution": ("round-robin", "hash"),
    "distribution_draw": (0, 3),
    "collective_algorithms": (["allreduce=smp-rabenseifner"], ["bcast=smp-pipelined"]),
    "collective_buffer": ("64 KiB", "1 MiB", "16 MiB"),
    "collective": ("direct", "two-phase", "pipelined", "automatic"),
    "aggregators": ("all", "nodes", "stripes", "stripes x 2", 1, 3),
    "file_domains": ("contiguous", "cyclic"),
    "data_sieving": (False, True),
    "routing": ("shortest", "round-robin"),
    "protocol": ("interface", "processor"),
    "io_overlap": (True, False),
    "io_cpu": ("0 s", "20 us"),
    "io_variation": ("0 s", "1 ms"),
    "sync_alone": (False, True),
    "flush_on_close": (False, True),
    "free_near": (False, True),
    "turn": ("0 s", "5 us"),
    "time_slice": ("0 s", "3 ms"),
    "waiting_double": (0.0, 0.5),
    "waiting_fourfold": (0.0, 1.0),
    "lag_double": (0.0, 0.2),
    "lag_fourfold": (0.0, 0.4),
    "flushed_lag_double": (0.0, 0.3),
    "longest_lag": ("0 s", "2 ms"),
    "background": (0.0, 0.5),
}


def draw_tables(dice: random.Random) -> Table:
    """The tables of one machine."""
    nodes = [_node(dice, number) for number in range(dice.choice((1, 1, 1, 2)))]
    count = sum(node["count"] for node in nodes)
    servers = [_server(dice, number, count) for number in range(dice.choice((1, 1, 2)))]
    tables: Table = {"name": "drawn", "node": nodes, "server": servers, "settings": _settings(dice)}
    hosts = count + sum(
        -(-server["count"] // server["per_node"]) for server in servers if server["on"] == "apart"
    )
    if hosts > 1:
        tables["network"] = _network(dice, hosts)
        if tables["network"]["topology"] == "graph":
            _attach(dice, tables)
    if dice.random() < 0.15:
        times = {"create": "200 us", "open": "50 us", "stat": "20 us"}
        times |= {"close": "10 us"} if dice.random() < 0.5 else {}
        tables["metadata"] = [{"name": "mds", "count": 1, "on": "nodes", **times}]
    if dice.random() < 0.12:
        gathered = dice.choice(("0 B", "1 MiB"))
        tables["forwarder"] = [{"name": "ion", "count": 1, "on": "nodes", "aggregate": gathered}]
    tables["placement"] = {"kind": dice.choice(("round-robin", "block"))}
    return tables


def _settings(dice: random.Random) -> Table:
    likely = dice.choice((0.05, 0.15, 0.3))
    return {name: dice.choice(values) for name, values in SETTINGS.items() if dice.random() < likely}


def _link(dice: random.Random) -> Table:
    return {"bandwidth": dice.choice(RATES), "latency": dice.choice(LATENCIES)}


def _nic(dice: random.Random) -> Table:
    kind = {"kind": "analytical"} if dice.random() < 0.1 else {}
    return {"bandwidth": dice.choice(RATES[3:]), "link": _link(dice), **kind}


def _node(dice: random.Random, number: int) -> Table:
    sockets = dice.choice((1, 1, 2))
    node: Table = {
        "name": f"kind{number}",
        "count": dice.choice((1, 2, 3, 8, 16)),
        "sockets": sockets,
        "cpus_per_socket": dice.choice((1, 2, 6)),
        "instructions_per_second": dice.choice(("70 M", "1 G", "2.66 G")),
        "memory": "8 GiB",
        "nic": _nic(dice),
        "socket": {"bandwidth": dice.choice(RATES[1:])},
        "uplink": _link(dice),
    }
    if dice.random() < 0.4:
        node["socket"]["local_bandwidth"] = dice.choice(RATES[3:])
    if sockets > 1 or dice.random() < 0.2:
        node["hub"] = {"bandwidth": dice.choice(RATES[2:]), "link": _link(dice)}
    return node


def _switch(dice: random.Random) -> Table:
    return {"bandwidth": dice.choice(RATES[2:]), "kind": dice.choice(("store-forward", "cut-through"))}


def _network(dice: random.Random, hosts: int) -> Table:
    topology = dice.choice(("star", "two-level", "fat-tree", "torus", "dragonfly", "graph"))
    if topology == "star":
        parts: Table = {"switch": _switch(dice)}
    elif topology == "two-level":
        parts = {"nodes_per_leaf": dice.choice((1, 2, 5)), "spines": dice.choice((1, 2, 3))}
        parts |= {"leaf": _switch(dice), "spine": _switch(dice), "link": _link(dice)}
    elif topology == "fat-tree":
        parts = {"switch": _switch(dice), "link": _link(dice)}
    elif topology == "torus":
        side = next(one for one in (4, 3, 2, 1) if hosts % one == 0)
        parts = {"dimensions": dice.choice(([hosts], [side, hosts // side])), "wrap": dice.random() < 0.7}
        parts |= {"router": _switch(dice), "link": _link(dice)}
    elif topology == "dragonfly":
        parts = {"groups": hosts, "routers_per_group": 1, "nodes_per_router": 1}
        parts |= {"global_links_per_router": hosts - 1}
        parts |= {"router": _switch(dice), "local_link": _link(dice), "global_link": _link(dice)}
    else:
        parts = _graph(dice)
    return {"topology": topology, **parts}


def _graph(dice: random.Random) -> Table:
    """A ring of components with a chord or two: routes of equal length and different speed."""
    count = dice.choice((2, 3, 4, 6))
    kinds = ("store-forward", "cut-through", "memory")
    components = [
        {"name": f"c{number}", "bandwidth": dice.choice(RATES[2:]), "kind": dice.choice(kinds)}
        for number in range(count)
    ]
    pairs = {(number, (number + 1) % count) for number in range(count if count > 2 else 1)}
    if count > 3:
        pairs.add((0, count // 2))
    edges = [{"source": f"c{one}", "target": f"c{other}", **_link(dice)} for one, other in sorted(pairs)]
    return {"component": components, "edge": edges}


def _attach(dice: random.Random, tables: Table) -> None:
    """Tell where in the graph nodes and servers hang."""
    names = [component["name"] for component in tables["network"]["component"]]
    for table in tables["node"]:
        table["at"] = [dice.choice(names) for _ in range(table["count"])]
    for table in tables["server"]:
        if table["on"] == "apart":
            table["at"] = [dice.choice(names) for _ in range(-(-table["count"] // table["per_node"]))]


def disk(dice: random.Random) -> Table:
    """A disk of any kind."""
    kind = dice.choice(("simple", "simple", "hard", "flash", "throttled"))
    if kind == "throttled":
        peak = {"peak": "180 MB/s"} if dice.random() < 0.5 else {}
        throttle = {"slice": "100 ms", "access": dice.choice(ACCESSES), **peak}
        return {"kind": "simple", "rate": "40 MB/s", **throttle}
    if kind == "simple":
        return {"kind": "simple", "rate": dice.choice(RATES), "access": dice.choice(ACCESSES)}
    if kind == "hard":
        near = dice.choice(("0 B", "1 MB"))
        seeks = {"average_seek": "8 ms", "track_seek": "1 ms", "revolutions_per_minute": 7200, "near": near}
        return {"kind": "hard", "rate": dice.choice(RATES[:4]), **seeks}
    rates = {"read_rate": dice.choice(RATES[1:]), "write_rate": dice.choice(RATES[1:])}
    latencies = {name: dice.choice(("0 s", "25 us", "80 us")) for name in ("read_latency", "write_latency")}
    depth = {"queue_depth": dice.choice((1, 4, 64))} if dice.random() < 0.3 else {}
    return {"kind": "flash", **rates, **latencies, "channels": dice.choice((1, 3, 16)), **depth}


def _server(dice: random.Random, number: int, nodes: int) -> Table:
    apart = dice.random() < 0.5
    count = dice.choice((1, 2, 3, 7)) if apart else dice.choice((1, min(nodes, 2), nodes))
    table: Table = {"name": f"store{number}", "count": count, "on": "apart" if apart else "nodes"}
    table["per_node"] = dice.choice((1, 1, 2)) if apart else 1
    if apart:
        table["node"] = {
            "memory": "4 GiB",
            "nic": _nic(dice),
            "socket": {"bandwidth": dice.choice(RATES[1:])},
            "uplink": _link(dice),
        }
    table["cache"] = _cache(dice)
    table["disk"] = [disk(dice) for _ in range(dice.choice((1, 1, 1, 2)))]
    table["disks"] = dice.choice((1, 1, 2, 3))
    if len(table["disk"]) * table["disks"] >= 3 and dice.random() < 0.4:
        table["raid"] = 5
    if dice.random() < 0.4:
        table["chunk"] = dice.choice(("1000 B", "64 KiB", "1 MiB"))
    if dice.random() < 0.1:
        capacity = dice.choice(("300 KB", "100 MB"))
        table["burst"] = {"capacity": capacity, "disk": disk(dice)}
    return table


def _cache(dice: random.Random) -> Table:
    cache: Table = {"policy": dice.choice(POLICIES)}
    if dice.random() < 0.3:
        cache["memory"] = dice.choice(("100 KiB", "1 MiB", "64 MiB"))
    if dice.random() < 0.4:
        cache |= {"keeps_reads": True, "read_ahead": dice.choice(("0 B", "128 KiB", "1 MiB"))}
    if dice.random() < 0.3:
        cache["concurrent_operations"] = dice.choice((1, 2, 8))
    if dice.random() < 0.1 and cache["policy"] in HOLDING:
        cache |= {"dirty": dice.choice(("1 MiB", "1 GiB")), "sync": dice.choice(("0 s", "2 ms"))}
    if dice.random() < 0.08:
        cache |= {"ready": dice.choice(("0 B", "4 MiB")), "fresh_rate": "300 MB/s"}
    return cache


def simpler_tables(tables: Table) -> Iterator[Table]:
    """The machine with one thing less."""
    for key in ("metadata", "forwarder", "placement"):
        if key in tables:
            yield {name: value for name, value in tables.items() if name != key}
    for name in tables["settings"]:
        left = {other: value for other, value in tables["settings"].items() if other != name}
        yield tables | {"settings": left}
    for key in ("server", "node"):
        if len(tables[key]) > 1:
            for at in range(len(tables[key])):
                yield tables | {key: [one for number, one in enumerate(tables[key]) if number != at]}
    for at, server in enumerate(tables["server"]):
        for less in _simpler_server(server):
            yield tables | {"server": [*tables["server"][:at], less, *tables["server"][at + 1 :]]}
    for at, node in enumerate(tables["node"]):
        if node["count"] > 1 and "at" not in node:
            less = node | {"count": node["count"] // 2}
            yield tables | {"node": [*tables["node"][:at], less, *tables["node"][at + 1 :]]}


def _simpler_server(server: Table) -> Iterator[Table]:
    for key in ("raid", "burst", "chunk"):
        if key in server:
            yield {name: value for name, value in server.items() if name != key}
    if server["disks"] > 1 and "raid" not in server:
        yield server | {"disks": 1}
    if len(server["disk"]) > 1 and "raid" not in server:
        yield server | {"disk": server["disk"][:1]}
    if server["count"] > 1 and "at" not in server:
        yield server | {"count": 1}
    for name in server["cache"]:
        if name not in ("policy", "ready", "fresh_rate"):
            yield server | {"cache": {key: value for key, value in server["cache"].items() if key != name}}
    if "ready" in server["cache"]:
        kept = {key: value for key, value in server["cache"].items() if key not in ("ready", "fresh_rate")}
        yield server | {"cache": kept}
