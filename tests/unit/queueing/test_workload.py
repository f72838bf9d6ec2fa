"""Models counted from workloads: bursts, phases, messages and bytes by hand."""

import pytest

from striate.apps.jacobi import workload as jacobi
from striate.cluster.load import load_cluster
from striate.errors import QueueingError
from striate.queueing import Model, Program, from_workload
from striate.queueing.derive.contention import contention_of
from striate.queueing.derive.demand_counts import count_phases
from striate.queueing.derive.from_workload import speeds_of
from striate.workload import Spmd as Body
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.rhythm import Rhythm, phases_of

KIB = 1024


def ring(ranks: int) -> Workload:
    """20 cycles of 5 bursts: 64 ms shared and 1 ms not, a message of 1 MiB / p to each side; then I/O of 1 MiB / p."""
    body = Body(ranks=ranks)
    with body.repeat(20) as cycle:
        with body.repeat(5):
            body.compute(0.064 / ranks + 0.001)
            for step in (1, -1):
                peer, source = (body.rank + step) % ranks, (body.rank - step) % ranks
                body.sendrecv(peer, KIB * KIB // ranks, source=source)
        body.write("log", offset=(cycle * ranks + body.rank) * KIB, size=KIB * KIB // ranks)
    return body.workload()


def rhythm(*kinds: Kind) -> Rhythm:
    found = Rhythm()
    for kind in kinds:
        found = found.then(Rhythm.of(kind))
    return found


def test_runs_of_the_same_activity_are_one_burst():
    found = rhythm(Kind.COMPUTE, Kind.COMPUTE, Kind.SEND, Kind.RECV, Kind.COMPUTE, Kind.WRITE, Kind.WRITE)

    assert (found.computation_bursts, found.io_bursts) == (2, 1)


@pytest.mark.parametrize("times", [0, 1, 2, 7])
def test_a_repeated_rhythm_is_the_rhythm_written_out(times):
    for kinds in (
        [Kind.COMPUTE, Kind.SEND, Kind.COMPUTE],
        [Kind.WRITE],
        [Kind.COMPUTE, Kind.WRITE],
        [Kind.OPEN],
    ):
        assert rhythm(*kinds).repeated(times) == rhythm(*kinds * times)


def test_a_ring_is_counted_by_hand():
    (phase,) = count_phases(ring(8))

    assert (phase.ranks, phase.cycles, phase.bursts) == (8, 20, 100)
    assert phase.compute_seconds == pytest.approx(100 * (0.064 / 8 + 0.001))
    assert phase.messages == 200
    assert phase.sent_bytes == 200 * KIB * KIB // 8
    assert phase.requests == 20
    assert phase.written_bytes == 20 * KIB * KIB
    assert not phase.together


def test_parameters_follow_from_the_counts():
    cluster = load_cluster("westmere")
    derived = from_workload(ring, cluster, processors=(2, 4, 8, 16), contention=0.5)
    spmd, speeds = derived.model.spmd, speeds_of(cluster, 16)

    assert derived.model.kind == "bus-aio"
    assert derived.deviation < 1e-6
    assert spmd.parallel_seconds == pytest.approx(0.064, rel=1e-6)
    assert spmd.serial_seconds == pytest.approx(0.001, rel=1e-6)
    assert spmd.scale.exponent == pytest.approx(-1)  # each sends 2 MiB / p
    assert spmd.transfer_seconds == pytest.approx(2 * KIB * KIB / speeds.bytes_per_second)
    assert (spmd.messages.exponent, spmd.messages.factor) == (pytest.approx(0, abs=1e-12), pytest.approx(2))
    assert (spmd.bursts_per_io, spmd.cycles, spmd.contention) == (5, 20, 0.5)
    assert spmd.io_transfer_seconds == pytest.approx(KIB * KIB / speeds.write_bytes_per_second)


def test_collective_io_makes_sio_and_messages_of_collectives_are_counted():
    derived = from_workload(jacobi, load_cluster("westmere"))
    (phase,) = derived.counts[4]

    assert isinstance(derived.model, Model)
    assert derived.model.kind == "sio"
    assert (phase.cycles, phase.bursts) == (4, 100)
    assert phase.messages == 100 * (2 * 3 / 4 + 2)  # neighbours of a line, and two rounds of allreduce
    assert derived.deviation > 0.05  # 1 - 1/p is no power of p, and that is said


def test_every_outer_loop_with_io_is_a_phase():
    def two(ranks: int) -> Workload:
        body = Body(ranks=ranks)
        body.compute("1 ms")
        with body.repeat(3):
            body.compute("10 ms")
            body.read("in", offset=0, size=KIB)
        with body.repeat(4):
            body.compute("20 ms")
            body.allreduce(8)
            body.write_all("out", offset=0, size=KIB)
        body.compute("5 ms")
        return body.workload()

    derived = from_workload(two, load_cluster("westmere"), processors=(2, 4))
    first, second = derived.counts[2]

    assert isinstance(derived.model, Program)
    assert [phase.kind for phase in derived.model.phases] == ["bus-aio", "sio"]
    assert (first.cycles, first.compute_seconds) == (3, pytest.approx(0.031))
    assert (second.cycles, second.compute_seconds) == (4, pytest.approx(0.085))
    assert len(phases_of(two(2).applications[0].programs, 0)) == 2


def test_what_cannot_be_counted_is_refused():
    cluster = load_cluster("westmere")

    with pytest.raises(QueueingError, match="at least 2"):
        from_workload(ring, cluster, processors=(1, 2))
    with pytest.raises(QueueingError, match="one application"):
        from_workload(lambda p: Workload.together(ring(p), ring(p)), cluster)


def test_contention_comes_from_the_cluster_with_a_range_and_the_band_holds_both_ends():
    derived = from_workload(ring, load_cluster("westmere"), processors=(2, 4, 8))
    near, far = derived.contention
    band = derived.band(8, 2)

    assert 0 <= near <= far <= 1
    assert band.low < derived.model.time(8, 2) == band.estimate < band.high
    for contention in (near, far):
        fixed = from_workload(ring, load_cluster("westmere"), processors=(2, 4, 8), contention=contention)
        assert fixed.contention == (contention, contention)
        assert fixed.model.time(8, 2) in band


def test_the_contention_of_the_sp2_is_that_of_paper_000():
    sp2 = load_cluster(
        "sp2"
    )  # 27 MB/s between two processors, 120 MB/s through the switch: paper 000 has w = 0.23

    assert contention_of(sp2, 1, 27e6) == (0.0, 0.0)
    assert contention_of(sp2, 9, 27e6) == pytest.approx((27 / 120, 27 / 120))
    assert contention_of(sp2, 9, 400e6) == (1.0, 1.0)
