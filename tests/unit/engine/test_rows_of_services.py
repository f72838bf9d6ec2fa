"""Timelines and tables have rows for servers, forwarders, burst buffers and metadata servers, by their names."""

import re

import numpy as np
import pytest

from machines import SWITCH, node
from striate.cli.tables import forecast_text
from striate.cluster.builders import star
from striate.cluster.part_names import service_name, station_name
from striate.ladder import predict
from striate.workload import Workload
from striate.workload import operations as op

KIB, MIB = 1 << 10, 1 << 20
RAM = {"kind": "simple", "rate": "1 GB/s"}
FLASH = {
    "kind": "flash",
    "read_rate": "16 GB/s",
    "write_rate": "16 GB/s",
    "read_latency": "0 s",
    "write_latency": "0 s",
    "channels": 16,
}


def machine(disk=RAM, burst=None, **more):
    server = {"count": 2, "on": "apart", "like": "compute", "disk": disk, "name": "storage"}
    return star(node=node(2), switch=SWITCH, server=[server | ({"burst": burst} if burst else {})], **more)


def everything():
    relay = {"name": "relay", "count": 1, "on": "apart", "like": "compute"}
    names = {"name": "names", "count": 1, "on": "apart", "like": "compute", "open": "1 us", "close": "2 us"}
    burst = {"capacity": "64 MiB", "disk": RAM}
    return machine(burst=burst, forwarder=[relay], metadata=[names])


def writes(rank, ranks):
    yield op.open_file("data", create=True)
    yield op.write("data", offset=rank * MIB, size=MIB)
    yield op.close_file("data")


def forecast(where, program=writes, ranks=2):
    return predict(Workload.from_program(program, ranks), where, rung="fine", timeline=True)


def rows_of(trace, resource):
    number = trace.header.resources.index(resource)
    return trace.where(trace.column("resource") == number)


def seconds(rows):
    return (rows.column("end") - rows.column("start")).sum() / 1e9


def test_every_part_that_files_pass_has_rows():
    trace = forecast(everything()).timeline

    relay, names = rows_of(trace, "forwarder 0"), rows_of(trace, "metadata server 0")
    data = [rows_of(trace, f"burst buffer {number}") for number in range(2)]

    assert relay.column("bytes").sum() > 2 * MIB  # the data, and what is said about it
    assert set(names.to_pandas()["kind"]) == {"open", "close"}
    assert sum(rows.column("bytes").sum() for rows in data) == 2 * MIB
    assert {"server 0", "server 1", "forwarder 0", "metadata server 0"} <= set(trace.header.resources)


def test_interfaces_are_those_of_their_owners():
    """Ranks, then I/O servers, metadata servers and forwarders."""
    where = everything()
    first = where.network.components + where.network.edges

    found = [station_name(where, 2, first + number) for number in range(6)]

    assert found == [
        "interface of rank 0",
        "interface of rank 1",
        "interface of server 0",
        "interface of server 1",
        "interface of metadata server 0",
        "interface of forwarder 0",
    ]
    assert service_name(where, 3) == "forwarder 0"
    assert "interface of forwarder 0" in forecast(where).timeline.header.resources


def test_flash_without_latency_does_not_seek():
    """64 KiB on one of 16 channels take 16 times as long as at the whole rate, and all of it is transfer."""

    def small(rank, ranks):
        for number in range(8):
            yield op.write("data", offset=(number * ranks + rank) * 4 * KIB, size=4 * KIB)

    trace = forecast(machine(FLASH), small).timeline
    disks = trace.where(trace.at_level("disk"))

    assert len(disks)
    assert not disks.of_kind("seek").any()
    assert seconds(disks) == pytest.approx(16 * 4 * KIB / 1e9, rel=1e-2)


def test_the_latency_of_flash_is_what_it_seeks():
    slow = FLASH | {"write_latency": "1 ms"}
    trace = forecast(machine(slow)).timeline
    seeks = trace.where(trace.at_level("disk") & trace.of_kind("seek"))

    assert len(seeks)
    np.testing.assert_array_equal(seeks.column("end") - seeks.column("start"), 1_000_000)


def test_the_table_of_servers_tells_what_burst_buffers_took():
    found = forecast(everything())
    text = forecast_text(found)
    head = next(line for line in text.splitlines() if line.startswith("server"))
    row = next(line for line in text.splitlines() if line.startswith("storage.0"))

    assert "burst written" in head
    assert "disk written" in head
    assert "1 MiB" in row
    assert sum(server.burst_bytes_written for server in found.servers) == 2 * MIB
    assert all(server.burst_utilisation > 0 for server in found.servers)
    assert "forwarder" in text
    assert found.forwarders[0].bytes > 2 * MIB
    assert any(use.kind == "burst buffer" and use.busiest_seconds > 0 for use in found.uses)


def test_links_and_components_have_their_names():
    uses = {use.kind: use.busiest for use in forecast(machine()).uses}

    assert " > " in uses["link"]
    assert not uses["component"].startswith("component")


def test_events_that_were_skipped_were_not_played():
    def long(rank, ranks):
        yield op.send(1, 64 * MIB) if rank == 0 else op.recv(0, 64 * MIB)

    found = predict(Workload.from_program(long, 2), machine(), rung="fine")
    counts = re.search(r"([\d,]+) events simulated, ([\d,]+) skipped exactly", " ".join(found.notes))
    played, skipped = (int(word.replace(",", "")) for word in counts.groups())

    assert 0 < played < skipped / 10
