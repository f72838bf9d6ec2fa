"""Plug-in files for tests: written, loaded, and put onto a machine."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from striate.cluster.cluster import Cluster
from striate.cluster.load import cluster_from_toml, load_cluster
from striate.plugins import load
from striate.workload.operations import (
    Operation,
    barrier,
    close_file,
    open_file,
    read,
    read_all,
    sync_file,
    write,
    write_all,
)
from striate.workload.workload import Workload

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "plugins"
TEMPLATES = Path(__file__).resolve().parents[1] / "src" / "striate" / "plugins" / "templates"


HARD = (
    '{ kind = "hard", rate = "100 MB/s", average_seek = "8 ms", track_seek = "1 ms", '
    'revolutions_per_minute = 7200, near = "1 MB" }'
)


def written(folder: Path, code: str, name: str = "mine.py") -> str:
    """A plug-in file; `code` may use the names of striate.plugins and striate.collectives."""
    head = "import numpy as np\nfrom striate.collectives import *\nfrom striate.plugins import *\n"
    path = folder / name
    path.write_text(head + dedent(code))
    return str(path)


def with_plugins(cluster: Cluster, *sources: str) -> Cluster:
    return replace(cluster, plugins=load(sources))


def machine(text: str = "", *, policy: str = "write-behind", disk: str = "") -> Cluster:
    """Four nodes and two I/O servers apart with hard disks; `text` goes before the tables."""
    return cluster_from_toml(
        f"""
name = "small"
{text}
[[node]]
name = "compute"
count = 4
cpus_per_socket = 4
instructions_per_second = "1 G"
memory = "1 GiB"
nic = {{ bandwidth = "10 GB/s", link = {{ bandwidth = "5 GB/s", latency = "100 ns" }} }}
socket = {{ bandwidth = "5 GB/s" }}
uplink = {{ bandwidth = "1 GB/s", latency = "2 us" }}

[network]
topology = "two-level"
nodes_per_leaf = 3
spines = 2
leaf = {{ bandwidth = "50 GB/s" }}
spine = {{ bandwidth = "50 GB/s" }}
link = {{ bandwidth = "1 GB/s", latency = "1 us" }}

[[server]]
name = "store"
count = 2
on = "apart"
like = "compute"
cache = {{ policy = "{policy}", memory = "2 MiB", keeps_reads = true }}
disk = {disk or HARD}
"""
    )


WESTMERE = load_cluster("westmere")
KIB = 1024


def mixed(rank: int, ranks: int) -> Iterator[Operation]:
    """Interleaved and scattered writes and reads of two files."""
    yield open_file("a", create=True)
    for turn in range(6):
        yield write("a", offset=(turn * ranks + rank) * 96 * KIB, size=96 * KIB)
    yield write("b", offset=rank * 700 * KIB, size=350 * KIB, count=2, stride=2100 * KIB)
    yield sync_file("a")
    yield barrier()
    for turn in (3, 0, 5, 0, 3):
        yield read("a", offset=(turn * ranks + (rank + 1) % ranks) * 96 * KIB, size=80 * KIB)
    yield close_file("a")


def collective(rank: int, ranks: int) -> Iterator[Operation]:
    yield open_file("a", create=True)
    yield write_all("a", offset=rank * 64 * KIB, size=64 * KIB, count=9, stride=ranks * 64 * KIB)
    yield read_all("a", offset=(rank + 1) % ranks * 300 * KIB, size=300 * KIB)
    yield close_file("a")


MIXED = Workload.from_program(mixed, 6)
COLLECTIVE = Workload.from_program(collective, 6)
