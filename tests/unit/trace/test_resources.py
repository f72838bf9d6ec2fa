"""What the hosts were doing: sums by hand, there and back on disk, as curves in viewers."""

import json

import pyarrow as pa
import pytest

from striate.errors import TraceError
from striate.formats.convert import files_of
from striate.formats.read import read_trace
from striate.trace.analysis.counters import counters_of
from toy_traces import row, samples_of, trace_of, two_ranks, watched
from unit.formats.test_writers import ask_perfetto


def test_a_stretch_is_what_two_samples_differ_by():
    first, second, other = watched().resources().to_pylist()

    assert (first["host"], first["start"], first["end"]) == ("a", 0, 10**9)
    assert (first["cpu_user"], first["cpu_system"], first["cpu_wait"], first["cpu_idle"]) == (
        0.5,
        0.25,
        0,
        0.25,
    )
    assert (second["cpu_user"], second["cpu_wait"], second["cpu_idle"]) == (0, 0.5, 0.5)
    assert (first["memory_used"], second["memory_used"], first["memory_total"]) == (500, 400, 1000)
    assert (first["network_received"], second["network_sent"]) == (100, 50)
    assert (first["disk_read"], second["disk_written"]) == (4096, 512)
    assert (other["host"], other["memory_used"], other["cpu_user"], other["disk_read"]) == (
        "b",
        450,
        None,
        None,
    )


def test_counters_that_were_set_back_are_not_known():
    samples = samples_of((0, 0, *[100] * 10), (0, 5, *[90] * 10))
    (only,) = trace_of([], hosts=("a",), samples=samples).resources().to_pylist()

    assert only["cpu_user"] is None
    assert only["disk_read"] is None
    assert only["memory_used"] == 90


def test_they_come_back_from_disk(tmp_path):
    watched().save(tmp_path / "run.parquet")
    again = read_trace(tmp_path / "run.parquet")

    assert again.samples == watched().samples
    assert again.resources() == watched().resources()


def test_a_trace_without_samples_says_nothing(tmp_path):
    two_ranks().save(tmp_path / "run.parquet")
    again = read_trace(tmp_path / "run.parquet")

    assert again.resources().num_rows == 0
    assert again.info().resources == ()
    assert counters_of(again) == []


def test_the_screen_and_its_json_show_the_hosts():
    info = watched().info()
    a, b = info.resources

    assert (a.cpu_busy, a.cpu_wait, a.memory_used, a.network_received) == (0.375, 0.25, 500, 200)
    assert (a.disk_read, a.disk_written, a.samples) == (4096, 512, 3)
    assert (b.cpu_busy, b.memory_used, b.disk_read) == (None, 450, None)
    lines = str(info).splitlines()
    (shown,) = [line.split() for line in lines if line.startswith("a ")]
    assert shown[:3] == ["a", "37.5%", "25.0%"]
    assert json.loads(info.to_json())["resources"][1]["cpu_busy"] is None


def test_curves_are_rates_and_shares():
    curves = {(curve.host, curve.name): curve for curve in counters_of(watched())}

    assert curves["a", "CPU: program"].value.tolist() == [50, 0]
    assert curves["a", "network: received"].value.tolist() == [100, 100]
    assert curves["b", "memory used"].value.tolist() == [450]
    assert ("b", "disks: read") not in curves


def test_perfetto_draws_them(tmp_path):
    (content,) = files_of(watched(), tmp_path / "run.pftrace", "perfetto").values()
    (tmp_path / "run.pftrace").write_bytes(content)
    answers = ask_perfetto(
        tmp_path / "run.pftrace",
        "select count(*), cast(sum(value) as int) from counter",
        "select count(*) from slice",
        "select count(*) from stats where severity = 'error' and value > 0",
        "select count(distinct name) from counter_track",
    )

    assert answers == [[2 * 8 + 1, 50 + 25 + 50 + 900 + 200 + 50 + 4096 + 512 + 450], [2], [0], [8]]


def test_chrome_draws_them(tmp_path):
    (content,) = files_of(watched(), tmp_path / "run.json", "chrome").values()
    events = json.loads(content)["traceEvents"]
    curves = [event for event in events if event["ph"] == "C"]

    assert len(curves) == 17
    assert {event["pid"] for event in curves} == {2, 3}  # the ranks are process 1
    assert sum(event["args"].get("%", 0) for event in curves) == 125


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.drop(["disk_read"]), "expected columns"),
        (lambda table: table.set_column(0, "host", pa.array([7] * 5)), "host numbers below 2"),
        (lambda table: table.set_column(0, "host", pa.array(["x"] * 5)), "whole numbers"),
        (lambda table: table.set_column(1, "time", pa.array([None, 1, 2, 3, 4])), "every row"),
        (lambda table: table.set_column(1, "time", pa.array([2**63 - 1] * 5)), "146 years"),
    ],
)
def test_samples_that_do_not_hold_together_are_refused(change, words):
    with pytest.raises(TraceError, match=words):
        trace_of(
            [row(0, "write", 0, 1)],
            hosts=("a", "b"),
            host_of_rank=(0, 1),
            samples=change(watched().samples),
        )
