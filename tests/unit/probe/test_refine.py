"""A description refined by traces whose start-ups and rates are known."""

import json

import numpy as np
import pytest

from striate.cli.main import run
from striate.cluster import load_cluster
from striate.cluster.description.measured import value_at
from striate.cluster.load import cluster_from_toml
from striate.errors import ClusterError
from striate.probe.observed import accesses, flushes, messages
from striate.probe.refine import refine
from toy_traces import row, trace_of
from toys import toy

SIZES = (1000, 10_000, 1_000_000)
STARTUP, RATE = 4e-6, 2e9


def took(size, *, startup=STARTUP, rate=RATE):
    return round((startup + size / rate) * 1e9)


def exchanging(waits=()):
    """Ranks 0 and 1 exchange messages of three sizes; some of them wait for long."""
    rows, now = [], 0
    for turn in range(8):
        for size in SIZES:
            wait = 10**8 if turn in waits else 0
            for rank in (0, 1):
                more = {
                    "peer": 1 - rank,
                    "source": 1 - rank,
                    "received": size,
                    "bytes": size,
                    "communicator": 0,
                }
                rows.append(
                    row(
                        rank,
                        "sendrecv",
                        now,
                        now + took(size) + wait,
                        level="mpi",
                        tag=0,
                        source_tag=0,
                        **more,
                    )
                )
            now += 10**9
    return trace_of(rows)


def storing():
    """Writes of three sizes, and a flush after each round: 1 ms and 1 GB/s."""
    rows, now, place = [], 0, 0
    for turn in range(8):
        total = 0
        for size in SIZES[: 1 + turn % 3]:
            rows.append(row(0, "write", now, now + took(size), file=0, offset=place, bytes=size))
            now, place, total = now + 10**9, place + size, total + size
        rows.append(row(0, "sync", now, now + took(total, startup=1e-3, rate=1e9), file=0))
        now += 10**9
    return trace_of(rows)


def machine(settings="", cache=""):
    text = f"""
    name = "toy"
    {settings}
    [[node]]
    name = "node"
    count = 1
    cpus_per_socket = 2
    instructions_per_second = "1 G"
    memory = "1 GB"
    nic = {{ bandwidth = "100 GB/s", link = {{ bandwidth = "1 GB/s", latency = "1 us" }} }}
    socket = {{ bandwidth = "10 GB/s" }}
    [[server]]
    name = "files"
    count = 1
    on = "nodes"
    nic = {{ bandwidth = "100 GB/s", link = {{ bandwidth = "1 GB/s", latency = "1 us" }} }}
    cache = {{ policy = "write-behind"{cache} }}
    [server.disk]
    kind = "flash"
    read_rate = "1 GB/s"
    write_rate = "5 GB/s"
    read_latency = "1 us"
    write_latency = "1 us"
    """
    return cluster_from_toml(text)


def value(refined, key):
    found = value_at(refined.cluster.description, key)
    return found / 1e12 if key.endswith("latency") else float(found)


def test_messages_give_the_link_and_waiting_ones_do_not_count():
    for waits in ((), (1, 3, 5)):
        refined = refine(machine(), [exchanging(waits)])

        assert value(refined, "node[0].nic.link.latency") == pytest.approx(STARTUP / 2, rel=0.01)
        assert value(refined, "node[0].nic.link.bandwidth") == pytest.approx(RATE, rel=0.01)
        assert any(
            words.startswith("writes: expected at least") and words.endswith("got 0")
            for words in refined.undetermined
        )


def test_writes_give_the_servers_link_and_flushes_its_disk():
    refined = refine(machine(), [storing(), storing()])

    assert value(refined, "server[0].nic.link.bandwidth") == pytest.approx(RATE, rel=0.01)
    assert value(refined, "server[0].nic.link.latency") == pytest.approx(STARTUP / 3, rel=0.01)
    assert value(refined, "server[0].disk.write_rate") == pytest.approx(1e9, rel=0.01)
    assert value(refined, "server[0].disk.write_latency") == pytest.approx(1e-3, rel=0.01)
    tables = {table.key: table for table in refined.cluster.description.measured}
    assert tables["server[0].disk.write_rate"].how == "flushes of traces"
    assert {one.key for one in refined.refinements} == set(tables)


def test_where_ranks_copy_what_they_write_and_read_the_copies_are_fitted():
    copies = '[settings]\ninode_lock = true\nwrite_copy = "1 GB/s"\nread_copy = "1 GB/s"'
    reading = [
        row(0, "read", turn * 10**9, turn * 10**9 + took(size), file=0, offset=0, bytes=size)
        for turn, size in enumerate(SIZES * 4)
    ]
    refined = refine(machine(copies, ", keeps_reads = true"), [storing(), storing(), trace_of(reading)])

    assert value(refined, "settings.write_copy") == pytest.approx(RATE, rel=0.01)
    assert value(refined, "settings.read_copy") == pytest.approx(RATE, rel=0.01)
    assert value(refined, "server[0].nic.link.latency") == pytest.approx(STARTUP / 3, rel=0.01)
    assert value(refined, "server[0].nic.link.bandwidth") == 1e9  # nothing is known of all ranks together


def test_without_a_cache_writes_give_the_disk():
    refined = refine(toy(disk={"kind": "simple", "rate": "50 MB/s"}), [storing()])

    assert value(refined, "server[0].disk.rate") == pytest.approx(RATE, rel=0.01)


def test_one_size_tells_nothing_and_says_so():
    alike = trace_of(
        [row(0, "write", t * 1000, t * 1000 + 10, file=0, offset=0, bytes=64) for t in range(20)]
    )
    refined = refine(machine(), [alike])

    assert refined.refinements == ()
    assert any("at least two sizes" in words for words in refined.undetermined)
    assert refined.cluster.description.node == machine().description.node


def test_distances_follow_the_placement():
    cluster = toy(nodes=2, cpus=1, servers=0)
    found = messages(exchanging(), cluster)

    assert len(found["two nodes"].bytes) == 48
    assert len(found["same socket"].bytes) == 0


def test_a_flush_counts_the_bytes_since_the_last_one():
    found = flushes(storing())

    assert found.bytes.tolist()[:3] == [1000, 11_000, 1_011_000]
    assert np.all(found.seconds >= 1e-3)
    assert len(accesses(storing(), "write").bytes) == 15


def test_a_machine_without_a_description_is_refused():
    from dataclasses import replace

    with pytest.raises(ClusterError, match="cannot refine its numbers"):
        refine(replace(load_cluster("laptop"), description=None), [storing()])


def test_the_command_writes_a_description_that_can_be_read(tmp_path, capsys):
    from striate.cluster import cluster_to_toml

    cluster, trace, better = (tmp_path / name for name in ("toy.toml", "run.parquet", "better.toml"))
    cluster.write_text(cluster_to_toml(machine()))
    storing().save(trace)
    picture = tmp_path / "left.svg"

    assert run(["fit", str(cluster), str(trace), "-o", str(better), "--residuals", str(picture)]) == 0
    assert "server[0].disk.write_rate" in capsys.readouterr().out
    assert value_at(load_cluster(better).description, "server[0].disk.write_rate") == pytest.approx(
        1e9, rel=0.01
    )
    assert "<svg" in picture.read_text()
    assert run(["fit", str(better), str(trace), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "striate.fit/1"
    assert any(words.startswith("messages") for words in document["undetermined"])
    assert run(["fit", str(cluster), str(cluster)]) == 1
    assert capsys.readouterr().err.count("\n") == 1
