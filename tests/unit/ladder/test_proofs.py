"""What is called proved: cases that once broke it, random attacks, and the watchdog that looks at every claim."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import striate
from machines import SWITCH, node, server
from striate.cli.main import run
from striate.cluster.builders import star
from striate.ladder.climb import contradictions
from striate.ladder.program_subject import ProgramSubject
from striate.ladder.proofs import Proof
from striate.rungs.answer import UnfitError
from striate.workload import Workload
from striate.workload import operations as op

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "verification"))
from attack import BROKEN, attack
from attack_cases import machine_of
from attack_corpus import THROTTLED, draw, draw_anything
from attack_streams import draw_stream, flows_of

MACHINES = ("laptop", "lustre-64", "pvs-cluster", "sp2", "westmere")


def subject_of(program, machine, ranks=1):
    return ProgramSubject(Workload.from_program(program, ranks), striate.load_cluster(machine))


def expect_holds(subject):
    played = subject.ask("fine").interval.estimate

    assert subject.proved().broken_by(played) == ""


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("size", [1, 65_537, 262_145, 300_000, 400_000, 1_000_000, 4_194_305])
def test_one_write_takes_no_less_than_is_proved(machine, size):
    def program(rank, ranks):
        yield op.write("f", size=size)

    expect_holds(subject_of(program, machine))


@pytest.mark.parametrize("size", [1000, 65_536, 4_194_304])
def test_reads_on_flash_hold_both_ends(size):
    def program(rank, ranks):
        for turn in range(20):
            yield op.read("f", offset=3 * turn * size, size=size)

    expect_holds(subject_of(program, "laptop"))


@pytest.mark.parametrize(("ranks", "seconds"), [(9, "100 us"), (12, "300 ms"), (33, "4 us")])
def test_ranks_that_share_cpus_end_no_earlier_than_is_proved(ranks, seconds):
    def program(rank, ranks):
        yield op.compute(seconds)

    expect_holds(subject_of(program, "laptop", ranks))


def test_files_have_no_proved_high_end():
    def program(rank, ranks):
        yield op.read("f", size=1000)

    assert subject_of(program, "laptop").proved().high is None


@pytest.mark.parametrize("size", ["1 MiB", "8 MiB"])
def test_bursts_of_a_throttled_disk_beat_no_proof(size):
    def program(rank, ranks):
        yield op.read("data", offset=0, size=size)

    case = {
        "machine": {
            "base": "laptop",
            "disk": THROTTLED,
            "disks": 1,
            "cache": {"policy": "none", "keeps_reads": False},
        }
    }

    expect_holds(ProgramSubject(Workload.from_program(program, 1), machine_of(case)))


def test_a_receive_from_anyone_has_no_proof():
    def program(rank, ranks):
        yield op.send(0, 8) if rank else op.recv()

    assert subject_of(program, "westmere", 2).proved() is None


def test_a_high_end_that_says_nothing_is_left_out():
    def program(rank, ranks):
        yield op.compute("1 ms")

    subject = subject_of(program, "westmere", 64)

    assert subject.proved().high == pytest.approx(0.064, rel=1e-3)
    assert subject_of(program, "lustre-64", 200).proved().high is None


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_programs_on_random_machines_break_no_proof(first):
    broken = [
        seed
        for seed in range(first, first + 50)
        if attack(draw(seed, most_ranks=8)).outcome in ("below", "above")
    ]

    assert broken == []


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_machines_drawn_from_nothing_break_no_proof(first):
    broken = [
        (seed, outcome)
        for seed in range(first, first + 20)
        if (outcome := attack(draw_anything(seed, most_ranks=8), 0.02).outcome).startswith(BROKEN)
    ]

    assert broken == []


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_streams_on_random_machines_break_no_proof(first):
    broken = [
        (seed, outcome)
        for seed in range(first, first + 20)
        if (outcome := attack(draw_stream(seed), 0.02).outcome).startswith(BROKEN)
    ]

    assert broken == []


def test_a_lock_that_comes_before_the_step_of_its_call_lets_the_write_wait_for_both():
    """The data was sent before the step and the step sent it again, in a part used anew: the run never ended."""
    settings = {"free_near": True, "lock_move": "100 us", "size_update": "2 ms"}
    write = {"kind": "list", "size": 4096, "times": 1, "call": "write", "runs": 5, "async": False}
    case = {"machine": {"base": "laptop", "cache": {}, "settings": settings}, "ranks": 1, "program": [write]}

    assert attack({**case, "collectives": []}).outcome == "holds"


def test_packets_of_an_analytical_interface_pass_that_of_the_receiver_too():
    """The proved upper bound once left out 4 KiB / 60 GB/s, and a run exceeded it."""
    nic = {"bandwidth": "60 GB/s", "link": {"bandwidth": "12.5 GB/s"}, "kind": "analytical"}

    def program(rank, ranks):
        yield op.send(1, 1_000_000) if rank == 0 else op.recv(0)

    cluster = star(node=node(2, nic=nic), switch=SWITCH, server=server(1))
    subject = ProgramSubject(Workload.from_program(program, 2), cluster)
    played = subject.ask("fine").interval.estimate

    assert subject.proved().broken_by(played) == ""
    assert subject.proved().low == pytest.approx(played, rel=1e-3)


def test_steps_of_calls_are_as_slow_as_the_cpus_that_waiting_ranks_share():
    """20 ranks per CPU that take as much of it while they wait: a run of 2.574 us exceeded a proved 2.571 us."""

    def program(rank, ranks):
        if rank < 2:
            yield op.send(1, 131_072) if rank == 0 else op.recv(0)

    settings = {"free_near": True, "waiting_fourfold": 1.0, "eager": "0 B"}
    cluster = machine_of({"machine": {"base": "laptop", "settings": settings}})

    expect_holds(ProgramSubject(Workload.from_program(program, 160), cluster))


STREAM = {  # 64 reads of 1,000 B
    "volume": 64_000,
    "block": 1_000,
    "mesh": (1, 1),
    "disks_per_processor": 1,
    "queries": 1,
    "compute_per_block": "100 us",
}
SLOW_START = {"kind": "simple", "rate": "3 GB/s", "access": "3 ms"}


@pytest.mark.parametrize(
    "parts",
    [
        {"disk": THROTTLED, "disks": 1},  # bursts at more than the rate
        {"disk": SLOW_START, "disks": 1, "cache": {"keeps_reads": True}},  # one page has four blocks
        {"disk": SLOW_START, "disks": 1, "cache": {"policy": "aggregation"}},  # two reads in one access
        {"settings": {"background": 0.5}},
        {"settings": {"read_window": "64 KiB", "distribution": "hash"}},
        {"settings": {"aggregators": "stripes x 2"}},
        {"forwarders": 1},
    ],
)
def test_parts_between_servers_and_clients_break_no_proof_about_streams(parts):
    found = attack({"machine": {"base": "sp2", **parts}, "stream": STREAM})

    assert found.outcome in ("holds", "no proof")


def test_a_stream_on_throttled_disks_is_for_the_packet_engine_alone():
    cluster = machine_of({"machine": {"base": "sp2", "disk": THROTTLED, "disks": 1}})
    forecast = striate.predict(flows_of(STREAM), cluster)

    assert (forecast.rung, forecast.proved) == ("fine", None)
    with pytest.raises(UnfitError, match="only the packet engine models throttled disks"):
        striate.predict(flows_of(STREAM), cluster, rung="macro-queue")


def test_a_stream_refuses_disks_that_it_cannot_access_one_by_one():
    cluster = machine_of({"machine": {"base": "sp2", "disk": SLOW_START, "disks": 4, "raid": 5}})

    with pytest.raises(UnfitError, match=r"expected disks that a stream accesses one by one, got RAID 5"):
        striate.predict(flows_of(STREAM), cluster)


def test_ranks_that_end_within_a_nanosecond_gain_nothing_by_it():
    """Each was once noticed with the first of them, picoseconds too early, and beat its own longest chain."""

    def program(rank, ranks):
        for _ in range(5):
            yield op.compute(1e-6 * (1 + rank / ranks))

    subject = subject_of(program, "laptop", ranks=3)
    expect_holds(subject)
    assert subject.ask("fine").interval.estimate == 5 * 1666667e-12


# ---- the watchdog


def plain(rank, ranks):
    yield op.compute("1 ms")
    yield op.barrier()


@pytest.fixture
def wrong_proof(monkeypatch):
    monkeypatch.setattr(ProgramSubject, "proved", lambda self: Proof(1.0, None, "a wish"))


def test_a_planted_wrong_bound_is_found_when_fine_plays(wrong_proof):
    forecast = striate.predict(Workload.from_program(plain, 4), "westmere", self_check=True)

    assert not forecast.reached
    assert "beats the proved lower bound of 1 s" in forecast.contradictions[0]


def test_the_command_says_so_loudly_and_the_store_keeps_it(wrong_proof, tmp_path, capsys):
    file = tmp_path / "plain.py"
    file.write_text(
        "from striate.workload.operations import compute\ndef program(rank, ranks):\n    yield compute('1 ms')\n"
    )
    store = tmp_path / "results.db"
    arguments = ["predict", str(file), "westmere", "--ranks", "4", "--self-check", "--store", str(store)]

    assert run(arguments) == 3
    assert "CONTRADICTION: a run of 0.001" in capsys.readouterr().out
    assert run(["results", str(store), "--json"]) == 0
    assert "beats the proved lower bound" in json.dumps(json.loads(capsys.readouterr().out))


def test_a_true_proof_is_not_complained_of():
    forecast = striate.predict(Workload.from_program(plain, 4), "westmere", self_check=True)

    assert forecast.contradictions == ()
    assert forecast.reached


def test_a_rung_that_was_counted_and_missed_is_named():
    forecast = striate.predict(Workload.from_program(plain, 4), "westmere", self_check=True)
    fine = next(answer for answer in forecast.answers if answer.rung == "fine")
    other = replace(fine, rung="micro", counted=True, combined=striate.Interval(1.0, 2.0, 3.0))

    assert "outside the range of micro" in contradictions([other, fine], None)[0]


@pytest.mark.parametrize(("ranks", "size", "seconds"), [(2, 1, 0.001), (4, 16_384, 0.3)])
def test_ranges_of_coarse_rungs_hold_what_servers_read_ahead(ranks, size, seconds):
    """Two reads of one byte make the disk read 100 KB more, which no clock of a coarse rung has."""
    flash = {"kind": "flash", "read_rate": "1 GB/s", "write_rate": "1 GB/s"}
    disk = flash | {"read_latency": "0 s", "write_latency": "0 s"}
    machine = machine_of({"machine": {"base": "laptop", "disk": disk, "disks": 1}})

    def program(rank, ranks):
        yield op.compute(seconds)
        yield op.read("shared", offset=rank * (size + 100_000), size=size)

    workload = Workload.from_program(program, ranks)
    played = striate.predict(workload, machine, rung="fine", exact=True).seconds.estimate

    for rung in ("resource", "macro-rr", "macro-queue", "micro"):
        assert played in striate.predict(workload, machine, rung=rung, within=None).bounds


def test_a_queueing_model_is_no_answer_where_the_budget_ends_the_climb_behind_it(monkeypatch):
    """Its narrow range was once taken for the answer, with exit status 0, and did not hold the packet-level time."""
    machine = machine_of(
        {"machine": {"base": "westmere", "disk": {"kind": "simple", "rate": "4 GB/s"}, "disks": 1}}
    )

    def program(rank, ranks):
        for step in range(5):
            yield op.read("shared", offset=(step * ranks + rank) * 192, size=192)
        yield op.compute(30 * (1 + rank / ranks))
        if rank < 2:
            yield op.send(1, 262_144) if rank == 0 else op.recv(0)

    cheap = {"resource": 1e-3, "path": 1e-3, "queueing": 1e-3}
    monkeypatch.setattr(ProgramSubject, "expected_seconds", lambda _, rung: cheap.get(rung, 1e9))

    forecast = striate.predict(Workload.from_program(program, 8), machine, within=1.0, budget="10 s")

    assert [(one.rung, one.counted) for one in forecast.answers] == [("resource", True), ("queueing", False)]
    assert (forecast.rung, forecast.reached) == ("resource", False)
