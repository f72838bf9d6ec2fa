"""Several applications on one machine share what they share, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from machines import SWITCH, node, server
from retold import retold
from striate.cluster.builders import star
from striate.errors import PredictionError
from striate.ladder import predict
from striate.workload import Spmd, Workload
from striate.workload import operations as op
from striate.workload.transforms.merge import first_ranks, merged

MB = 10**6


def machine(servers=1, **more):
    return star(node=node(4), switch=SWITCH, server=[server(servers)], **more)


def exchange(size):
    def program(rank, ranks):
        for _ in range(3):
            yield op.compute("1 ms")
            yield op.sendrecv(1 - rank, size)
            yield op.allgatherv(1000 * (rank + 1))

    return Workload.from_program(program, 2, name="exchange")


def dump(size=20 * MB):
    """Both ranks write to a file that lies on one server alone."""
    body = Spmd(2, name="dump")
    file = body.files("out", layout="simple:1:1MiB")
    body.write(file, offset=body.rank * size, size=size)
    body.sync_file(file)
    return body.workload()


def seconds(load, cluster):
    return [share.end for share in predict(load, cluster, rung="fine").applications]


def test_applications_on_different_nodes_run_as_if_alone():
    alone = seconds(exchange("1 MB"), machine())
    together = seconds(Workload.together(exchange("1 MB"), exchange("1 MB")), machine())

    # The switch moves 10 GB/s, far more than two links of 1 GB/s: they meet there for moments only.
    assert together == pytest.approx(alone * 2, rel=5e-3)


def test_applications_on_the_same_link_share_it():
    shared = machine(placement={"kind": "explicit", "ranks": [[0, 0], [1, 0], [0, 0], [1, 0]]})

    alone, *_ = seconds(exchange("10 MB"), shared)
    together = seconds(Workload.together(exchange("10 MB"), exchange("10 MB")), shared)

    assert min(together) > 1.8 * alone


def test_applications_that_write_to_one_disk_wait_for_each_other():
    alone, *_ = seconds(dump(), machine(servers=1))
    together = seconds(Workload.together(dump(), dump()), machine(servers=1))

    assert max(together) > 1.8 * alone


def test_applications_that_write_to_different_disks_do_not():
    """The second application's file begins on the second server."""
    apart = machine(servers=2, placement={"kind": "explicit", "ranks": [[2, 0], [2, 0], [3, 0], [3, 0]]})
    alone, *_ = seconds(dump(), apart)
    together = seconds(Workload.together(dump(), dump()), apart)

    assert together == pytest.approx([alone, alone], rel=1e-2)


def test_an_application_that_starts_later_ends_later_and_meets_nobody():
    early = exchange("1 MB")
    late = Workload((replace(early.applications[0], start_picoseconds=10**12),))
    forecast = predict(Workload.together(early, late), machine(), rung="fine", timeline=True)
    alone, *_ = seconds(early, machine())

    assert [share.start for share in forecast.applications] == [0, 1]
    assert [share.end for share in forecast.applications] == pytest.approx([alone, 1 + alone], rel=1e-9)
    assert forecast.seconds.estimate == pytest.approx(1 + alone)
    assert forecast.timeline.select(ranks=[2]).column("start").min() == 10**9


def test_the_merged_text_says_what_each_application_said():
    body = Spmd(3, name="spmd", communicators={"pairs": [0, 0, 1]})
    own = body.files("own-{}", per_rank=True)
    with body.region("dump"), body.repeat(2) as step:
        body.write(own, offset=step * 10 + body.rank, size=np.array([3, 1, 4]))
        body.bcast(100, comm="pairs", algorithm="direct")
    with body.only(body.rank > 0):
        body.write("shared", extents=([0, 100], [10, 20]))
    body.alltoallv([5, 6, 7])

    def program(rank, ranks):
        yield op.write(f"file {rank}", extents=([rank], [9]))
        yield op.allreduce(8, algorithm="ring")
        yield op.alltoallv([rank] * ranks)
        yield op.reduce_scatter(100)
        yield op.region_begin("end")
        yield op.send((rank + 1) % ranks, 8)
        yield op.recv()
        yield op.region_end("end")

    applications = (*body.workload().applications, *Workload.from_program(program, 2).applications)
    whole = merged((*applications, applications[0]))
    Workload((whole,)).check()

    for application, first in zip(
        (*applications, applications[0]), first_ranks((*applications, applications[0])), strict=True
    ):
        for rank in range(application.ranks):
            told, again = retold(application, rank), retold(whole, first + rank)
            assert [words[0] for words in told] == [words[0] for words in again]
            assert [_plain(words[2]) for words in told] == [_plain(words[2]) for words in again]


def _plain(operands):
    """Operands without the application's name before a file's."""
    return {
        name: str(value).rsplit(": ", 1)[-1] if name == "file" else value for name, value in operands.items()
    }


def test_a_deadlock_names_ranks_as_their_application_counts_them():
    def stuck(rank, ranks):
        yield op.recv(1 - rank, 10, tag=3)
        yield op.send(1 - rank, 10, tag=3)

    load = Workload.together(exchange("1 kB"), Workload.from_program(stuck, 2))
    with pytest.raises(PredictionError, match=r"rank 0 of stuck .* receives from rank 1 of stuck with tag 3"):
        predict(load, machine(), rung="fine")
