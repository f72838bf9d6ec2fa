"""Advice: each rule fires where it should with a number, and good programs are left in peace."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from striate.advice import Advice, advise
from striate.advice.advise import RULES
from striate.advice.item import severity_of
from striate.advice.machine import as_traced, machines_of
from striate.advice.situation import Sample, io_alone
from striate.cluster.quantities import Bytes
from striate.errors import TuningError
from striate.formats.read import read_trace
from striate.interval import Interval
from striate.ladder import predict
from striate.workload import Workload
from toy_traces import row, trace_of
from toys import HARD, toy

MS = 1_000_000
LOGS = Path(__file__).resolve().parents[4] / "shared" / "darshan"


def writes(rank, places, size, each=MS, gap=0, kind="write", file=0, **more):
    """Accesses one after the other, `each` nanoseconds each, `gap` nanoseconds apart."""
    return [
        row(
            rank,
            kind,
            at * (each + gap),
            at * (each + gap) + each,
            level="posix",
            file=file,
            offset=offset,
            bytes=size,
            **more,
        )
        for at, offset in enumerate(places)
    ]


def fired(trace, rule, **options):
    items = {item.rule: item for item in advise(trace, **options).items}
    assert rule in items, sorted(items)
    item = items[rule]
    assert 0 < item.gain.low <= item.gain.estimate <= item.gain.high
    assert item.evidence.operations > 0
    assert item.change.words
    assert item.verify
    return item


def test_small_requests_in_a_row_are_worth_a_buffer():
    item = fired(trace_of(writes(0, range(0, 100 * 4096, 4096), 4096), ranks=1), "small requests")

    assert item.evidence.operations == 99
    assert item.evidence.bytes == 99 * 4096
    # a hundred requests of 1 ms become one; with one size seen, half of their time is taken to be their bytes'
    assert item.gain.estimate == pytest.approx(0.0495, rel=0.01)
    assert item.severity == "critical"


def test_random_places_are_worth_sorting():
    places = [(at * 37) % 64 * 65536 for at in range(64)]
    trace = trace_of(writes(0, places, 65536, kind="read"), ranks=1)

    assert fired(trace, "random access").gain.estimate > 0
    assert fired(trace, "random access", cluster=toy(disk=HARD)).severity in ("critical", "serious")


def test_files_opened_again_and_again_are_opened_once():
    rows = [
        row(rank, kind, at * 10 * MS + more, at * 10 * MS + more + MS, level="posix", file=0)
        for rank in range(2)
        for at in range(20)
        for kind, more in (("open", 0), ("close", 5 * MS))
    ]
    item = fired(trace_of([*rows, *writes(0, [0], 4096)]), "metadata storm")

    assert item.evidence.operations == 80
    assert item.gain.estimate == pytest.approx(0.038, rel=0.05)  # 38 of a rank's 40 calls, 1 ms each


def test_a_file_for_everything_is_worth_one_shared_file():
    rows = []
    for rank in range(2):
        for at in range(16):
            file = rank * 16 + at
            begin = at * 4 * MS
            rows += [
                row(rank, "open", begin, begin + MS, level="posix", file=file),
                row(rank, "write", begin + MS, begin + 2 * MS, level="posix", file=file, offset=0, bytes=100),
                row(rank, "close", begin + 2 * MS, begin + 3 * MS, level="posix", file=file),
            ]
    item = fired(trace_of(rows, files=[f"part-{number}" for number in range(32)]), "many files")

    assert item.gain.estimate == pytest.approx(0.030, rel=0.05)


def test_one_rank_that_writes_for_all_is_uneven():
    trace = trace_of(writes(0, range(0, 40 * 2**20, 2**20), 2**20, each=10 * MS), ranks=4)

    item = fired(trace, "imbalance")

    assert item.gain.estimate == pytest.approx(0.3, rel=0.1)  # three quarters of 400 ms


def test_a_slow_rank_among_equals_is_named():
    rows = []
    for rank in range(8):
        rows += writes(rank, [rank * 2**20], 2**20, each=(400 if rank == 5 else 50) * MS)
    trace = trace_of(rows, ranks=8, hosts=tuple("abcdefgh"), host_of_rank=tuple(range(8)))

    item = fired(trace, "stragglers")

    assert "rank" in item.evidence.words
    assert "f" in item.change.words


def test_interleaved_small_accesses_are_worth_a_collective_call():
    rows = [
        one
        for rank in range(4)
        for one in writes(rank, range(rank * 4096, 4096 * 4 * 64, 4 * 4096), 4096, each=MS)
    ]

    item = fired(trace_of(rows, ranks=4), "missing collectives")

    assert item.evidence.operations == 256
    assert item.change.hints["romio_cb_write"] == "enable"


def test_bytes_read_again_are_read_once():
    rows = [one for rank in range(2) for one in writes(rank, [0, 65536] * 10, 65536, kind="read")]

    item = fired(trace_of(rows), "redundant reads")

    assert item.evidence.operations == 38  # 40 reads of two different pieces


def test_what_was_written_in_between_is_not_redundant():
    rows = writes(0, [0] * 10, 65536, kind="read") + writes(1, [0] * 10, 65536)

    assert "redundant reads" not in {item.rule for item in advise(trace_of(rows)).items}


def test_writes_between_computations_can_hide_behind_them():
    rows = writes(0, range(0, 20 * 2**20, 2**20), 2**20, each=10 * MS, gap=40 * MS)

    item = fired(trace_of(rows, ranks=1), "no overlap")

    assert item.gain.estimate == pytest.approx(0.19, rel=0.1)  # nineteen of twenty writes of 10 ms


def test_data_that_compress_are_worth_a_codec():
    trace = trace_of(writes(0, range(0, 20 * 2**20, 2**20), 2**20, each=10 * MS), ranks=1)

    item = fired(trace, "compressible", samples={"data": Sample(0.25, 1e-9, "blosc")})

    assert item.gain.estimate == pytest.approx(
        0.15 - 0.021, rel=0.1
    )  # 200 ms x 3/4, less 21 ms of compression
    poor = advise(trace, samples={"data": Sample(0.95, 1e-9, "blosc")})
    assert "compressible" not in {one.rule for one in poor.items}


def test_a_stripe_that_uses_one_server_of_many_is_changed():
    trace = trace_of(writes(0, range(0, 40 * 2**20, 2**20), 2**20, kind="read"), ranks=1)
    machine = toy(nodes=4, servers=4)
    settings = msgspec.structs.replace(machine.settings, stripe_unit=Bytes(2**40))

    item = fired(trace, "stripe", cluster=replace(machine, settings=settings))

    assert item.change.commands[0].startswith("lfs setstripe -S ")


def test_reads_below_a_write_are_data_sieving():
    rows = []
    for at in range(20):
        begin = at * 10 * MS
        rows += [
            row(0, "write", begin, begin + 9 * MS, file=0, offset=at * 100, bytes=10),
            row(0, "read", begin + MS, begin + 5 * MS, level="posix", file=0, offset=at * 100, bytes=100),
            row(
                0, "write", begin + 5 * MS, begin + 9 * MS, level="posix", file=0, offset=at * 100, bytes=100
            ),
        ]

    item = fired(trace_of(rows, ranks=1), "data sieving")

    assert item.change.hints["romio_ds_write"] == "disable"
    assert item.gain.estimate == pytest.approx(0.08, rel=0.1)


def test_large_accesses_side_by_side_get_no_advice():
    rows = [one for rank in range(4) for one in writes(rank, [rank * 2**26], 2**26, each=100 * MS)]

    assert advise(trace_of(rows, ranks=4)).items == ()


def test_a_program_with_next_to_no_io_is_left_in_peace():
    trace = trace_of(writes(0, range(0, 10 * 64, 64), 64, each=1000), ranks=1, duration=10**12)

    advice = advise(trace)

    assert advice.items == ()
    assert "nothing to gain" in advice.notes[0]


def test_the_machines_of_a_trace_take_as_long_as_its_slowest_rank():
    trace = trace_of(writes(0, range(0, 10 * 2**20, 2**20), 2**20, each=7 * MS), ranks=1)
    workload = io_alone(Workload.from_trace(trace))

    for machine in machines_of(trace, workload):
        assert predict(
            as_traced(workload), machine, rung="fine", within=None
        ).seconds.estimate == pytest.approx(0.07, rel=1e-3)


def test_severity_goes_by_the_share_that_is_saved_at_least():
    assert severity_of(Interval(20, 25, 30), 100) == "critical"
    assert severity_of(Interval(5, 25, 30), 100) == "serious"
    assert severity_of(Interval(1, 90, 99), 100) == "minor"


def test_items_come_with_the_largest_gain_first_and_survive_json():
    rows = writes(0, range(0, 100 * 4096, 4096), 4096, gap=2 * MS)
    advice = advise(trace_of(rows, ranks=1))

    gains = [item.gain.estimate for item in advice.items]
    assert gains == sorted(gains, reverse=True)
    assert Advice.from_json(advice.to_json()) == advice
    assert json.loads(advice.to_json())["items"][0] == json.loads(json.dumps(advice.items[0].to_dict()))
    with pytest.raises(TuningError, match="not advice"):
        Advice.from_json(b"[]")


def test_there_is_a_rule_for_every_kind_of_trouble():
    assert len(RULES) == 13


@pytest.mark.skipif(not LOGS.is_dir(), reason="no shared logs beside this checkout")
@pytest.mark.parametrize(
    "name",
    [
        "own_fileview_strided_2r_dxt",
        "own_mpi4py_2r_darshan-git45bcba8_dxtv2v3_pthreadid",
        "own_mpi4py_2r_darshan3.5.0_dxt",
        "own_partial_dxt_2r",
        "pyd_dxt_1r",
        "pyd_ior_hdf5_4r_dxt_lustre",
        "pyd_sample-dxt-simple_16r",
    ],
)
def test_no_well_behaved_log_has_a_critical_item_and_every_item_has_a_number(name):
    pytest.importorskip("darshan", reason="needs pydarshan")
    advice = advise(read_trace(LOGS / f"{name}.darshan"))

    for item in advice.items:
        assert item.severity != "critical"
        assert 0 < item.gain.low <= item.gain.high <= advice.io_seconds
        assert item.evidence.operations > 0
        assert item.evidence.seconds > 0
    assert not any("not looked at" in note for note in advice.notes)
