"""Traces in place of tables: times at (p, d) to fit, and counts to set parameters from."""

import json

import pytest

from striate.cli.main import run
from striate.cluster import load_cluster
from striate.errors import QueueingError
from striate.queueing import Model, SpmdParameters, fit, from_runs, from_trace, observe
from striate.queueing.derive.from_workload import speeds_of
from striate.trace.header import TracedFile
from toy_traces import row, trace_of

SECOND, MIB = 10**9, 2**20
TRUE = SpmdParameters(
    parallel_seconds=4,
    serial_seconds=0.05,
    transfer_seconds=0.3,
    io_transfer_seconds=2,
    contention=0.3,
    scale="inverse",
)
POINTS = [(p, d) for p in (1, 2, 4, 8, 16, 32) for d in (1, 2, 4)]


def traced(ranks, disks, *, hint=True):
    """A run that took as long as the model says, its file spread over `disks` servers."""
    seconds = Model(TRUE, "bus-aio").time(ranks, disks)
    hints = {"striping_factor": str(disks)} if hint else {}
    rows = [row(0, "write", 0, 10, file=0, offset=0, bytes=100)]
    return trace_of(
        rows, ranks=ranks, files=(TracedFile("out", hints=hints),), duration=round(seconds * SECOND)
    )


def ring(ranks):
    """20 cycles of 5 bursts: 64 ms shared and 1 ms not, 1 MiB / p to the next rank; then each writes 1 MiB / p."""
    rows, size = [], MIB // ranks
    for rank in range(ranks):
        now = 0
        for cycle in range(20):
            for _ in range(5):
                now += 64_000_000 // ranks + 1_000_000
                ways = {"peer": (rank + 1) % ranks, "source": (rank - 1) % ranks, "tag": 0, "source_tag": 0}
                rows.append(
                    row(
                        rank,
                        "sendrecv",
                        now,
                        now + 100,
                        level="mpi",
                        communicator=0,
                        bytes=size,
                        received=size,
                    )
                    | ways
                )
                now += 100
            offset = (cycle * ranks + rank) * size
            rows.append(row(rank, "write", now, now + 100, file=0, offset=offset, bytes=size))
            now += 100
    return trace_of(rows, ranks=ranks, duration=max(one["end"] for one in rows))


def test_each_trace_is_an_observation():
    runs = observe({f"{p}-{d}": traced(p, d) for p, d in POINTS})

    assert [(one.processors, one.disks) for one in runs] == POINTS
    assert {one.disks_from for one in runs} == {"striping_factor of out"}
    assert runs[0].seconds == pytest.approx(TRUE.one_processor_seconds)


def test_a_fit_of_traces_finds_the_program():
    found = fit(from_runs(observe({f"{p}-{d}": traced(p, d) for p, d in POINTS})), scale="inverse")

    assert found.error < 1e-6
    assert found.model.time(64, 8) == pytest.approx(Model(TRUE, "bus-aio").time(64, 8), rel=1e-4)


def test_the_number_of_disks_can_be_given():
    bare = {"a": traced(2, 1, hint=False), "b": traced(4, 2, hint=False)}

    assert [one.disks for one in observe(bare, [3])] == [3, 3]
    assert [one.disks for one in observe(bare, [1, 2])] == [1, 2]
    assert observe(bare, [3])[0].disks_from == "as given"
    with pytest.raises(QueueingError, match=r"says the number of disks.*\(a\)"):
        observe(bare)
    with pytest.raises(QueueingError, match="one for each of 2"):
        observe(bare, [1, 2, 3])
    with pytest.raises(QueueingError, match="at least 1"):
        observe(bare, [0])
    with pytest.raises(QueueingError, match="longer than 0 s"):
        observe({"empty": trace_of([], files=())}, [1])


def test_parameters_are_counted_from_traces():
    cluster = load_cluster("westmere")
    derived = from_trace([ring(2), ring(4), ring(8)], cluster, contention=0.5)
    spmd = derived.model.spmd

    assert (derived.model.kind, spmd.bursts_per_io, spmd.cycles) == ("bus-aio", 5, 20)
    assert spmd.parallel_seconds == pytest.approx(0.064, rel=1e-3)
    assert spmd.serial_seconds == pytest.approx(0.001, rel=1e-3)
    assert spmd.messages.factor == pytest.approx(1)
    assert spmd.scale.exponent == pytest.approx(-1)
    assert spmd.transfer_seconds == pytest.approx(MIB / speeds_of(cluster, 8).bytes_per_second)
    assert from_trace([ring(2), ring(4), ring(8)], cluster, contention=0.5).spmd == spmd


def test_one_trace_gives_no_slope_over_p():
    spmd = from_trace(ring(4), load_cluster("westmere")).spmd

    assert spmd.serial_seconds == 0
    assert spmd.parallel_seconds == pytest.approx(4 * 0.017, rel=1e-3)
    with pytest.raises(QueueingError, match="4 twice"):
        from_trace([ring(4), ring(4)], load_cluster("westmere"))


def test_the_command_says_what_it_made_of_each_trace(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = []
    for p, d in POINTS:
        names.append(f"{p}-{d}.parquet")
        traced(p, d).save(names[-1])
    assert run(["model", "fit", *names, "--scale", "inverse", "--json"]) == 0

    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert (document["observations"], document["quantity"]) == (len(POINTS), "seconds")
    assert "2-4.parquet: p = 2, d = 4 (striping_factor of out)" in captured.err
    assert run(["model", "fit", *names, "--disks", "1,2"]) == 1
    assert "one for each of 18" in capsys.readouterr().err
    assert run(["model", "fit", names[0], "--disks", "2"]) == 1
    assert "as given" in capsys.readouterr().err


def test_a_table_has_its_own_disks(tmp_path, capsys):
    (tmp_path / "times.csv").write_text("p,d,seconds\n1,1,2\n")

    assert run(["model", "fit", str(tmp_path / "times.csv"), "--disks", "2"]) == 1
    assert "in its column d" in capsys.readouterr().err
