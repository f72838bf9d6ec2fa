"""Collective non-contiguous access moves exactly the bytes asked for: the servers' disk jobs against a model file.

Level 3 of MPI-IO, over random byte runs, ranks, servers, layouts and methods of collective access; the original
simulator of paper 001 moves wrong ranges here.
"""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from machines import SWITCH, node, run_application
from property.layouts import layouts
from striate.cluster.builders import star
from striate.collectives.columns import CollectiveBook
from striate.layout import SimpleStripe
from striate.workload import Workload
from striate.workload import operations as op

FILE_BYTES = 400
POLICIES = ("none", "write-behind", "aggregation", "aggregation-reorder", "server-directed")
runs = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 90)), max_size=5)
methods = st.one_of(
    st.just("direct"),
    st.builds(
        "{}:{}:{}".format,
        st.sampled_from(["two-phase", "pipelined"]),
        st.sampled_from(["all", "nodes", "1", "2", "3", "9"]),
        st.sampled_from(["1B", "7B", "64B", "1MiB"]),
    ),
)
machines = st.fixed_dictionaries(
    {
        "servers": st.integers(1, 5),
        "unit": st.integers(1, 40),
        "policy": st.sampled_from(POLICIES),
        "packet": st.sampled_from([16, 50, 1000]),
        "request": st.sampled_from([13, 100, 10_000]),
        "burst": st.booleans(),
        "relay": st.booleans(),
    }
)


def machine(ranks, given):
    disk = {"kind": "simple", "rate": "100 MB/s", "access": "5 us"}
    server = {"name": "storage", "count": given["servers"], "on": "apart", "like": "compute", "disk": disk}
    server["cache"] = {"policy": given["policy"]}
    if given["burst"]:
        server["burst"] = {"capacity": "4 KiB", "disk": {"kind": "simple", "rate": "1 GB/s"}}
    relay = {"name": "relay", "count": 1, "on": "apart", "like": "compute", "aggregate": 30}
    sizes = {"packet": given["packet"], "io_request": given["request"], "stripe_unit": given["unit"]}
    return star(
        node=node(-(-ranks // 2), cpus=2),
        switch=SWITCH,
        server=[server],
        forwarder=[relay] if given["relay"] else [],
        settings=sizes,
    )


def played(cluster, asked, *, layout, method, write):
    def program(rank, ranks):
        offsets, lengths = zip(*asked[rank], strict=True) if asked[rank] else ((), ())
        call = op.write_all if write else op.read_all
        yield call("data", extents=(list(offsets), list(lengths)))
        yield op.sync_file("data")

    own = {"data": layout} if layout else {}
    workload = Workload.from_program(program, len(asked), layouts=own, collective={"data": method})
    (application,) = workload.applications
    placement = cluster.place(len(asked))
    return run_application(
        application, cluster, placement, collectives=CollectiveBook.empty(), log_disks=True
    )


def touched(run, layout, servers, *, write):
    """How often each byte of the file went to or from the disks, by the log of every server's jobs."""
    seen = Counter()
    log = run.disk_log
    for server, file, offset, size, wrote in zip(
        log.server, log.file, log.offset, log.bytes, log.write, strict=True
    ):
        assert (file, bool(wrote)) == (0, write)
        for position in range(int(offset), int(offset + size)):
            seen[int(layout.logical(int(server), position))] += 1
    return seen


def fitting(layout, given):
    return layout if layout is not None and layout.servers <= given["servers"] else None


@settings(max_examples=120)
@given(st.lists(runs, min_size=1, max_size=5), machines, st.none() | layouts(40), methods)
def test_collective_writes_put_exactly_the_bytes_asked_for_on_the_disks(asked, given, layout, method):
    own = fitting(layout, given)
    found = played(machine(len(asked), given), asked, layout=own, method=method, write=True)

    model = Counter(byte for mine in asked for offset, size in mine for byte in range(offset, offset + size))
    seen = touched(found, own or SimpleStripe(given["servers"], given["unit"]), given["servers"], write=True)
    assert set(seen) == set(model)  # the content map: these bytes and no other
    assert found.disk_bytes_written.sum() == seen.total()
    if given["burst"]:
        assert all(1 <= times <= max(model[byte], 1) for byte, times in seen.items())
    elif method == "direct":
        assert seen == model  # every rank its own, overlaps as often as asked for
    else:
        assert set(seen.values()) <= {1}  # aggregators write every byte once


@settings(max_examples=60)
@given(st.lists(runs, min_size=1, max_size=5), machines, st.none() | layouts(40), methods)
def test_collective_reads_fetch_exactly_the_bytes_asked_for(asked, given, layout, method):
    given = given | {"policy": "aggregation-reorder", "burst": False}
    own = fitting(layout, given)
    found = played(machine(len(asked), given), asked, layout=own, method=method, write=False)

    seen = touched(found, own or SimpleStripe(given["servers"], given["unit"]), given["servers"], write=False)
    model = {byte for mine in asked for offset, size in mine for byte in range(offset, offset + size)}
    assert set(seen) == model
    assert found.disk_bytes_read.sum() == seen.total()
    if method != "direct":
        assert set(seen.values()) <= {1}
