"""Workloads from logs that kept sums, and from logs that did not see all calls: what is not known has a width."""

import time
from pathlib import Path

import pytest

from darshan_logs import ALL, KIB, MIB, Log, merged, mpiio, posix
from striate.cli.main import run
from striate.errors import WorkloadError
from striate.formats.read import read_trace
from striate.ladder import predict
from striate.workload import Workload
from striate.workload.kinds import Kind
from striate.workload.replay import from_counters
from striate.workload.walk import lines


def workload_of(log, tmp_path):
    return Workload.from_trace(read_trace(log.save(tmp_path / "log.darshan")))


def calls(workload, *kinds):
    (application,) = workload.applications
    return sum(line.times * len(line.ranks) for line in lines(application) if line.kind in kinds)


def test_every_call_that_was_counted_is_made(tmp_path):
    counters = posix("write", 10_007, KIB, 50.0, fsyncs=10_007, stats=12, opens=3)
    workload = workload_of(Log(ranks=2, seconds=60).add("POSIX", "/scratch/a", 0, **counters), tmp_path)

    assert calls(workload, Kind.WRITE) == 10_007
    assert calls(workload, Kind.SYNC) == 10_007
    assert calls(workload, Kind.STAT) == 12
    assert calls(workload, Kind.OPEN) == 3
    assert workload.order_guessed


def test_half_a_billion_writes_take_no_room_and_no_time(tmp_path):
    counters = merged(posix("write", 1_000_000, 4 * KIB, 900.0), ranks=470)
    begin = time.process_time()
    workload = workload_of(Log(ranks=470, seconds=1000).add("POSIX", "/scratch/a", ALL, **counters), tmp_path)
    forecast = predict(workload, "lustre-64")

    assert calls(workload, Kind.WRITE) == 470_000_000
    assert forecast.bounds.width > 0
    assert workload.nbytes < 10 * MIB
    assert time.process_time() - begin < 20


def test_a_merged_record_of_collective_calls_stays_collective(tmp_path):
    log = Log(ranks=4, seconds=60).add(
        "MPI-IO", "/scratch/a", ALL, **merged(mpiio("write", 10, MIB, 5.0), ranks=4)
    )
    workload = workload_of(log, tmp_path)

    workload.check()
    assert calls(workload, Kind.WRITE_ALL) == 40


def test_a_forecast_from_counters_has_a_width_and_exit_status_3(tmp_path, capsys):
    log = Log(ranks=4, seconds=120)
    for rank in range(4):
        log.add("POSIX", f"/scratch/{rank}", rank, **posix("write", 1000, KIB, 50.0, fsyncs=1000))
    log.save(tmp_path / "log.darshan")

    assert run(["predict", str(tmp_path / "log.darshan"), "lustre-64"]) == 3
    assert "not recorded" in capsys.readouterr().out


def test_time_that_was_not_recorded_is_bounded_both_ways(tmp_path):
    log = Log(ranks=2, seconds=100).add("POSIX", "/scratch/a", 0, **posix("write", 2, MIB, 0.2))
    log.accesses["DXT_POSIX"] = [("/scratch/a", 0, "n1", [(0, MIB, 10.0, 10.1), (MIB, MIB, 50.0, 50.1)], [])]
    trace = read_trace(log.save(tmp_path / "dxt.darshan"))
    forecast = predict(trace, "lustre-64")

    assert forecast.bounds.low < 1.0  # all of it waiting
    assert forecast.bounds.high > 99.0  # all of it computing, and the 49.9 s after the last write too
    assert not forecast.reached
    assert any("not recorded" in note for note in forecast.notes)


def test_a_log_without_calls_is_refused(tmp_path):
    with pytest.raises(WorkloadError, match="no such call"):
        workload_of(Log(ranks=2).add("H5F", "/scratch/a", 0, opens=2), tmp_path)


def test_the_records_of_a_module_are_made_lists_once_however_many_they_are(tmp_path, monkeypatch):
    made = []
    table = from_counters._Table

    def noted(columns):
        made.append(columns)
        return table(columns)

    monkeypatch.setattr(from_counters, "_Table", noted)
    log = Log(ranks=8, seconds=60)
    for rank in range(8):
        log.add("POSIX", f"/scratch/{rank}", rank, **posix("write", 2, MIB, 0.2))
    workload_of(log, tmp_path)

    assert len(made) == 1


def test_calls_that_move_nothing_move_nothing(tmp_path):
    log = Log(ranks=2, seconds=60).add("POSIX", "/scratch/a", 0, reads=500, read_time=1.0, opens=1)
    workload = workload_of(log, tmp_path)
    (read,) = [line for line in lines(workload.applications[0]) if line.kind is Kind.READ]

    assert (read.times, read.highest("bytes")) == (500, 0)


def test_a_file_keeps_the_stripes_that_the_log_tells(tmp_path):
    log = Log(ranks=8, seconds=60).add(
        "POSIX", "/scratch/a", ALL, **merged(posix("write", 100, MIB, 5.0), ranks=8)
    )
    workload = workload_of(log.stripe("/scratch/a", unit=4 * MIB, targets=(3, 9)), tmp_path)

    assert [file.layout for file in workload.applications[0].files] == ["simple:2:4MiB"]


def test_the_length_of_a_run_is_looked_up_once_for_all_ranks(tmp_path, monkeypatch):
    looked = []
    monkeypatch.setattr(from_counters.Trace, "seconds", property(lambda trace: looked.append(1) or 60.0))
    log = Log(ranks=64, seconds=60).add("POSIX", "/scratch/a", ALL, opens=64, meta_time=1.0)
    workload_of(log, tmp_path)

    assert len(looked) < 8


def test_a_budget_is_no_hint_where_the_order_is_a_guess(tmp_path):
    log = Log(ranks=4, seconds=60)
    for rank in range(4):
        log.add("POSIX", f"/scratch/{rank}", rank, **posix("write", 1000, KIB, 50.0))
    forecast = predict(read_trace(log.save(tmp_path / "log.darshan")), "lustre-64")
    (hint,) = [note for note in forecast.notes if "ask for it by name" in note]

    assert "raise the budget" not in hint


def test_a_budget_that_is_given_is_used_where_time_was_not_recorded():
    log = Path(__file__).parents[2] / "data" / "darshan" / "dxtexp_vpic_192r_dxt.darshan"

    assert predict(read_trace(log), "lustre-64", budget="20 s").rung == "fine"
