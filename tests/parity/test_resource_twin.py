"""The first rung equals its slow twin on small random programs and machines."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from parity.slow_ledger import SlowLedger
from property.layouts import layouts as small_layouts
from striate.cluster.storage import random_access_ticks, sequential_ticks, transfer_rate
from striate.rungs.resource import clocks_of
from striate.workload import Spmd, Workload
from striate.workload.operations import stat_file, write
from toys import HARD, toy, toys

CALLS = ("bcast", "reduce", "gather", "gatherv", "scatter", "scatterv")
EQUAL = ("allreduce", "allgather", "allgatherv", "alltoall", "scan", "reduce_scatter")
amounts = st.sampled_from([0, 1, 7, 100, 8191, 8192, 20_000])
spans = st.integers(0, 90)
steps = st.sampled_from([0, 0, 0, 1, 5, 16, 48])
alone = st.one_of(
    st.tuples(st.just("compute"), amounts, steps),
    st.tuples(st.sampled_from(["send", "recv"]), amounts, steps, st.integers(0, 5), st.booleans()),
    st.tuples(st.just("sendrecv"), amounts, steps, st.integers(0, 5)),
    st.tuples(st.sampled_from(["read", "write"]), st.lists(st.tuples(spans, spans), max_size=3)),
)
leaf = alone | st.one_of(
    st.tuples(st.sampled_from(CALLS), amounts, steps, st.integers(0, 5), st.booleans()),
    st.tuples(st.sampled_from(EQUAL), amounts, steps, st.booleans()),
    st.tuples(st.sampled_from(["barrier", "alltoallv", "sync"])),
    st.tuples(
        st.sampled_from(["read", "write", "read_all", "write_all"]),
        st.tuples(spans, steps, steps),  # offset
        st.tuples(spans, steps),  # size
        st.tuples(st.integers(0, 3), st.sampled_from([-9, 0, 5, 40]), st.booleans()),  # count, stride, moving
        st.integers(0, 5),  # file
    ),
)
plans = st.lists(
    leaf
    | st.tuples(st.just("loop"), st.integers(0, 4), st.lists(leaf, max_size=3))
    | st.tuples(st.just("only"), st.lists(alone, max_size=2)),
    max_size=5,
)


def body_of(ranks, plan, layouts=()):
    body = Spmd(ranks, communicators={"pairs": [rank // 2 for rank in range(ranks)]})
    own = dict(enumerate(layouts))
    files = [body.files(f"file {number}", layout=own.get(number)) for number in range(6)]
    write_plan(body, files, plan, [])
    return body


def write_plan(body, files, plan, passes):
    for node in plan:
        if node[0] == "loop":
            with body.repeat(node[1]) as index:
                write_plan(body, files, node[2], [*passes, index])
        elif node[0] == "only":
            with body.only(body.rank % 2 == 0):
                write_plan(body, files, node[1], passes)
        else:
            write_leaf(body, files, node, (passes or [0])[-1], (passes or [0])[0])


def write_leaf(body, files, node, inner, outer):
    verb, rest = node[0], node[1:]
    if verb == "compute":
        body.compute(rest[0] * 1e-6 * (body.rank + 1), instructions=rest[0] + inner * rest[1])
    elif verb in ("send", "recv", "sendrecv"):
        moving_peer = inner * (rest[1] == 1 and body.ranks > 4)
        anyone = verb == "recv" and rest[3]
        peer = -1 if anyone else moving_peer + min(rest[2], max(body.ranks - 5, 0))
        getattr(body, verb)(peer, rest[0] + inner * rest[1])
    elif verb in CALLS:
        comm, size = ("pairs", 1) if rest[3] else ("world", body.ranks)
        getattr(body, verb)(rest[0] + outer * rest[1], root=rest[2] % size, comm=comm)
    elif verb in EQUAL:
        getattr(body, verb)(rest[0] + inner * rest[1], comm="pairs" if rest[2] else "world")
    elif verb == "alltoallv":
        body.alltoallv([9, 0, 4, 70, 2, 1, 300][: body.ranks])
    elif verb in ("barrier", "sync"):
        body.barrier() if verb == "barrier" else body.sync_file(files[0])
    elif len(rest) == 1:
        body.write(files[1], offset=3, extents=tuple(zip(*rest[0], strict=True)) or ((), ()))
    else:
        (at, near, far), (size, growth), (count, stride, moving), file = rest
        getattr(body, verb)(
            files[file],
            offset=at + inner * near + outer * far + body.rank * 31 + 60,
            size=size + inner * growth,
            count=count + inner * moving,
            stride=stride,
        )


@given(toys, st.integers(1, 7), plans)
def test_the_sums_equal_the_twins(cluster, ranks, plan):
    workload = body_of(ranks, plan).workload()

    assert_equal(workload, cluster)


@given(toys, st.integers(1, 4), plans, st.lists(st.none() | small_layouts(20), min_size=6, max_size=6))
def test_files_with_layouts_of_their_own_load_the_servers_that_hold_their_bytes(
    cluster, ranks, plan, layouts
):
    fitting = [layout if layout and layout.servers <= len(cluster.servers) else None for layout in layouts]

    assert_equal(body_of(ranks, plan, fitting).workload(), cluster)


@given(toys, plans, plans)
def test_two_applications_add_up(cluster, one, other):
    assert_equal(Workload.together(body_of(3, one).workload(), body_of(4, other).workload()), cluster)


@given(
    st.integers(1, 4),
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(-2, 2), st.integers(-9, 9), st.integers(1, 6)), max_size=4
    ),
    st.sampled_from([{}, {"file 3": "basic", "file 5": "varstrip:0:7B"}]),
)
@example(3, [(5, -1, 0, 4)], {})
def test_loops_that_move_from_file_to_file_stay_on_the_servers(servers, loops, layouts):
    """Folded file numbers may move down as well as up: (first file, step, step of the offset, passes)."""

    def program(rank, ranks):
        for number in range(12):
            yield stat_file(f"file {number}")
        for file, file_step, step, passes in loops:
            for index in range(passes):
                yield write(
                    f"file {(file + index * file_step) % 12}", offset=60 + index * step, size=rank + 20
                )

    assert_equal(Workload.from_program(program, 3, layouts=layouts), toy(servers=servers))


def assert_equal(workload, cluster):
    clocks, twin = clocks_of(workload, cluster), SlowLedger(workload, cluster).totals

    cpus = sorted(set(cluster.place(workload.ranks).cpu.tolist()))
    near = {"rel": 1e-12, "abs": 1e-24}
    assert clocks.processor.tolist() == pytest.approx([twin.processor[cpu] for cpu in cpus], **near)
    assert clocks.processor_error.tolist() == pytest.approx(
        [twin.processor_error[cpu] for cpu in cpus], **near
    )
    assert clocks.server.tolist() == pytest.approx(server_seconds(twin, cluster), **near)
    disk, unhidden, error = zip(*disk_seconds(twin, cluster), strict=True)
    assert clocks.disk.tolist() == pytest.approx(disk, **near)
    assert clocks.disk_unhidden.tolist() == pytest.approx(unhidden, **near)
    assert clocks.disk_error.tolist() == pytest.approx(error, **near)
    assert (clocks.communicates, clocks.waits) == (twin.communicates, twin.waits)


def server_seconds(twin, cluster):
    """Each byte of an application at the mean speed of the ways its bytes came."""
    from parity.slow_ledger import route

    seconds = [0.0] * len(cluster.servers)
    nic = cluster.node_types[0].nic
    for moved, by_socket in zip(twin.moved, twin.by_socket, strict=True):
        total = sum(by_socket.values())
        for number, server in enumerate(cluster.servers):
            for socket, bytes_ in by_socket.items():
                way = route(cluster, int(cluster.socket_component[socket]), server.component)[0]
                ends = (nic.bandwidth, nic.link.bandwidth, server.nic.bandwidth, server.nic.link.bandwidth)
                if total:
                    seconds[number] += moved[number] * bytes_ / total / min(way, *ends)
    return seconds


def disk_seconds(twin, cluster):
    """Section 5.1: work of the busiest disk, transfers that no cache hides, and E_rand_io + E_io_var."""
    for number, server in enumerate(cluster.servers):
        share, rows = 1 / len(server.disks), []
        for disk in server.disks:
            time = {
                write: share
                * (
                    twin.bytes[write][number] / transfer_rate(disk, write=write)
                    + twin.requests[write][number] * sequential_ticks(disk, write=write) / 1e12
                )
                for write in (False, True)
            }
            operations = share * (twin.requests[False][number] + twin.requests[True][number])
            worst = (random_access_ticks(disk) + cluster.settings.io_variation) / 1e12 * operations
            rows.append((time[False] + time[True], worst))
        busiest, worst = (max(column) for column in zip(*rows, strict=True))
        yield busiest, unhidden(twin, server, number, int(cluster.settings.packet)), worst


def unhidden(twin, server, number, packet):
    """All disks of a server at once: reads that no cache may have, writes beyond its memory."""
    read, written = twin.bytes[False][number], twin.bytes[True][number]
    cached = server.cache.policy not in ("none", "piosimhd-none")
    if server.cache.keeps_reads or (cached and written):
        read = 0
    if cached:
        written = max(0, written - (server.cache.memory or server.memory))
    rates = [[transfer_rate(disk, write=write) for disk in server.disks] for write in (False, True)]
    lags = [sequential_ticks(disk, write=True) / 1e12 for disk in server.disks]
    if not cached:  # every packet pays the latency; the disks of a toy are equal
        written += written / packet * lags[0] * rates[1][0]
    return read / sum(rates[0]) + written / sum(rates[1])


@example(offset=2**62, size=2**40)
@given(offset=st.integers(0, 2**62), size=st.integers(0, 2**40))
def test_far_and_large_accesses_load_servers_as_near_ones_do(offset, size):
    """3 servers of 16 bytes: a round is 48 bytes, so only the offset's place in it matters."""
    cluster = toy(servers=3, disk=HARD)

    def clocks(at, length):
        body = Spmd(1)
        body.write("f", offset=at, size=length)
        return clocks_of(body.workload(), cluster)

    far, near = clocks(offset, size), clocks(offset % 48, size)

    np.testing.assert_array_equal(far.disk, near.disk)
    assert far.disk.sum() == pytest.approx(size / 80e6)
