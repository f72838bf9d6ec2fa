"""Profiles, activity, file maps, load and critical paths: sums that can be done in the head."""

import base64
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cluster import load_cluster
from striate.interval import Interval
from striate.pages.run import Run, runs_of
from striate.pages.spread import spread
from striate.pages.terminal import text_of
from striate.pages.views import activity, cluster, files, load, path, profile, tuning
from striate.provenance import Provenance
from striate.trace.analysis.critical_path import COMPUTE, critical_path
from striate.trace.analysis.tables import front
from striate.trace.header import TracedFile
from striate.trace.runs import byte_runs
from striate.tuning.space import NOW, Candidate
from striate.tuning.study import Outcome, Study
from toy_traces import row, samples_of, trace_of, two_ranks, watched


def slow_spread(row, start, end, amount, edges, rows):
    """The same, span by span and bin by bin."""
    found = np.zeros((rows, len(edges) - 1))
    for r, a, b, size in zip(row, start, end, amount, strict=True):
        for at, (low, high) in enumerate(pairwise(edges)):
            inside = max(0.0, min(b, high) - max(a, low))
            found[r, at] += size * inside / (b - a)
    return found


spans = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 900), st.integers(1, 100), st.integers(0, 10**6)), max_size=12
)


@given(spans, st.integers(1, 9))
def test_amounts_are_spread_as_one_by_one(spans, bins):
    columns = np.array(spans, np.int64).reshape(-1, 4).T
    edges = np.linspace(0, 1000, bins + 1)
    found = spread(columns[0], columns[1], columns[1] + columns[2], columns[3], edges, 3)
    wanted = slow_spread(columns[0], columns[1], columns[1] + columns[2], columns[3], edges, 3)

    assert found == pytest.approx(wanted, abs=1e-3)
    assert found.sum() == pytest.approx(columns[3].sum(), rel=1e-6, abs=1e-3)


def test_activity_counts_what_the_program_asked_for():
    described, columns = activity.activity_of(two_ranks())

    assert (int(columns["write"].sum()), int(columns["read"].sum())) == (205, 50)
    assert described["histogram"]["write"] == [[2, 1, 5], [6, 2, 200]]
    assert described["rows"] == 2


def test_profiles_add_up_and_name_the_worst_rank():
    tables = {table["title"]: table["lines"] for table in profile.profile_of(two_ranks())["tables"]}
    functions = {line[0]: line[1:] for line in tables["function"]}

    assert functions["MPI_File_write_at_all (mpi-io)"][:2] == [1, 100]
    assert functions["pwrite (posix)"][1:3] == [100, pytest.approx(6e-9)]
    assert functions["MPI_File_read_at (mpi-io)"][-1] == "1"
    assert tables["region"] == [["solve", 1, pytest.approx(1e-7), pytest.approx(1e-7), "1"]]
    assert [line[0] for line in tables["rank"]] == ["rank 1", "rank 0"]  # the longer in I/O first


def test_who_really_writes_is_told():
    rows = [
        row(rank, "write", 0, 10, file=0, offset=100 * rank, bytes=100, collective=True) for rank in range(4)
    ]
    rows += [row(2, "write", 1, 9, level="posix", file=0, offset=0, bytes=400)]

    (words,) = profile.words(trace_of(rows, ranks=4))
    assert "4 of 4 ranks ask" in words
    assert "rank 2 of them" in words


def test_strides_and_lists_become_runs():
    rows = [
        row(0, "write", 0, 1, file=0, offset=10, bytes=6, blocks=3, stride=5),
        row(1, "write", 0, 1, file=0, offset=100, bytes=7, extents=0),
        row(1, "write", 2, 3, file=0, offset=-1, bytes=9),
    ]
    trace = trace_of(rows, lists=[([0, 20], [3, 4])])
    numbers, offset, length = byte_runs(trace, np.flatnonzero(front(trace)))

    assert numbers.tolist() == [0, 0, 0, 1, 1]
    assert offset.tolist() == [10, 15, 20, 100, 120]
    assert length.tolist() == [2, 2, 2, 3, 4]
    assert [column.tolist() for column in byte_runs(trace, np.array([0, 1]), most=2)] == [
        [0, 1],
        [10, 100],
        [12, 24],
    ]


def test_a_file_map_has_every_byte_once_and_the_servers():
    rows = [
        row(0, "write", 0, 10, file=0, offset=0, bytes=480),
        row(1, "read", 20, 30, file=0, offset=240, bytes=240),
    ]
    trace = trace_of(rows, files=(TracedFile("data", layout="simple:2:240B"),))
    ((described, columns),) = files.maps_of(trace)

    assert (int(columns["write"].sum()), int(columns["read"].sum())) == (480, 240)
    assert columns["first"].tolist() == [0] * 240
    assert columns["last"].tolist() == [10] * 120 + [30] * 120
    assert columns["server"].tolist() == [0] * 120 + [1] * 120
    assert described["layout"] == "simple:2:240B"


def test_striping_hints_are_a_layout_and_nonsense_is_none():
    assert (
        str(files.layout_of(TracedFile("a", hints={"striping_unit": "1024", "striping_factor": "4"})))
        == "simple:4:1KiB"
    )
    assert files.layout_of(TracedFile("a", hints={"striping_unit": "many", "striping_factor": "4"})) is None
    assert files.layout_of(TracedFile("a", layout="no such")) is None


def test_load_of_servers_and_of_sampled_hosts():
    rows = [
        row(0, "write", 0, 100, file=0, offset=0, bytes=10),
        row(0, "write", 0, 50, level="server", resource=0, bytes=10),
        row(0, "write", 60, 80, level="disk", resource=1, bytes=10),
    ]
    trace = trace_of(
        rows, ranks=1, resources=("server 0", "disk 0"), duration=100, source="simulated by striate"
    )
    (server, shares), (disk, _) = load.resources_of(trace)

    assert (server["busy"], disk["busy"]) == (0.5, pytest.approx(0.2))
    assert shares.tolist() == [1000] * 120 + [0] * 120
    assert {described["name"]: described["busy"] for described, _ in load.hosts_of(watched())}["a: CPU"] > 0
    assert load.hosts_of(trace_of(rows[:1], hosts=("a",), samples=samples_of((0, 0, *[0] * 10)))) == []


def test_bandwidth_and_queues_of_servers_over_time():
    rows = [
        row(0, "write", 0, 100, file=0, offset=0, bytes=10),
        row(0, "write", 0, 50, level="server", resource=0, bytes=240),
        row(0, "write", 0, 100, level="server", resource=1, bytes=480),
        row(0, "write", 60, 80, level="disk", resource=2, bytes=10),
    ]
    found = load.curves_of(
        trace_of(rows, ranks=1, resources=("server 0", "server 1", "disk 0"), duration=100)
    )
    moved, in_flight = found["server"]

    # 240 bytes in the first 120 bins, 480 in all 240: 4 and then 2 a bin; two requests at once, then one
    assert moved.tolist() == [4] * 120 + [2] * 120
    assert in_flight.tolist() == [2000] * 120 + [1000] * 120
    assert found["disk"][0].sum() == 10
    assert list(found) == ["server", "disk"]


def test_the_critical_path_goes_over_to_who_is_waited_for():
    rows = [
        row(0, "write", 0, 50, file=0, offset=0, bytes=10),
        row(0, "send", 60, 65, level="mpi", peer=1, tag=1, communicator=0, bytes=8),
        row(1, "recv", 10, 70, level="mpi", peer=0, tag=1, communicator=0, bytes=8),
        row(1, "write", 80, 100, file=0, offset=10, bytes=10),
    ]
    found = critical_path(trace_of(rows))

    assert found.rank.tolist() == [0, 0, 1, 1, 1]
    assert found.start.tolist() == [0, 50, 60, 70, 80]
    assert found.end.tolist() == [50, 60, 70, 80, 100]
    assert [found.states[state] for state in found.state] == ["write", COMPUTE, "recv", COMPUTE, "write"]
    assert found.seconds_of_states() == pytest.approx({"write": 7e-8, COMPUTE: 2e-8, "recv": 1e-8})


def test_the_critical_path_waits_for_the_last_of_a_collective_and_for_waits():
    late = row(1, "barrier", 90, 95, level="mpi", communicator=0, collective=True)
    rows = [row(0, "barrier", 10, 95, level="mpi", communicator=0, collective=True), late]
    assert critical_path(
        trace_of([*rows, row(0, "write", 95, 99, file=0, offset=0, bytes=1)])
    ).rank.tolist() == [1, 0, 0]

    rows = [
        row(0, "recv", 0, 1, level="mpi", peer=1, tag=3, communicator=0, request=7, complete=60),
        row(0, "wait", 20, 61, level="mpi", request=7, complete=61),
        row(1, "send", 50, 52, level="mpi", peer=0, tag=3, communicator=0, complete=52),
    ]
    found = critical_path(trace_of(rows))
    assert found.rank.tolist() == [1, 0]
    assert [found.states[state] for state in found.state] == [COMPUTE, "wait"]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=25)
)
def test_a_critical_path_has_no_gaps(calls):
    rows = [
        row(rank, "barrier", a, a + b, level="mpi", communicator=0, collective=True) for rank, a, b in calls
    ]
    trace = trace_of(rows, ranks=4)
    found = critical_path(trace)

    assert found.start[1:].tolist() == found.end[:-1].tolist()
    assert int((found.end - found.start).sum()) == max(a + b for _, a, b in calls) - min(
        a for _, a, _ in calls
    )


def test_views_without_anything_to_show_are_left_out():
    nothing = [
        Run("nothing", trace=trace_of([row(0, "barrier", 0, 1, level="mpi", communicator=0)], ranks=1))
    ]

    assert [module.view(nothing) for module in (activity, files, load, path)] == [None] * 4
    assert profile.view(nothing) is not None


def test_a_run_in_the_terminal_has_bars_and_a_map():
    text = text_of([Run("two", trace=two_ranks())])
    maps = [line for line in text.splitlines() if line.startswith("rank ") and line.endswith("|")]

    assert "writing" in text
    assert len(maps) == 4  # two ranks, reads and writes
    assert all(len(line) == len("rank 0 ||") + 60 for line in maps)
    assert set(maps[1]) - set("rank 0123|") <= set(" ▁▂▃▄▅▆▇█")


def test_a_notebook_shows_a_trace_as_text():
    trace = trace_of([row(0, "write", 0, 1, file=0, offset=0, bytes=1)], files=("<script>",), program="<b>")

    assert "<script>" not in trace._repr_html_()
    assert "&lt;b&gt;" in trace._repr_html_()


def study():
    """Three units by two numbers of servers; one pair was refused."""
    outcomes = [
        Outcome(Candidate(at, {"servers": servers, "unit": unit}), state, seconds, "fine")
        for at, (servers, unit, state, seconds) in enumerate(
            [
                (2, 64, "best", Interval.exactly(1.0)),
                (2, 16, "behind", Interval.exactly(2.0)),
                (1, 64, "dropped", Interval(3.0, 4.0, 5.0)),
                (1, 4, "refused", None),
            ]
        )
    ]
    now = Outcome(NOW, "behind", Interval.exactly(3.0), "fine")
    return Study("mesh", "here", "grid", 0, 60, 1, 0.01, tuple(outcomes), now, Provenance.of({}))


def test_a_tuning_surface_has_the_least_time_of_every_pair():
    described, surface = tuning.tuning_of(study())

    assert (described["across"], described["down"]) in (("servers", "unit"), ("unit", "servers"))
    table = surface.reshape(len(described["rows"]), len(described["columns"]))
    found = {
        frozenset([row, column]): value
        for row, line in zip(described["rows"], table.tolist(), strict=True)
        for column, value in zip(described["columns"], line, strict=True)
    }
    assert found == {
        frozenset(["2", "64"]): 1.0,
        frozenset(["2", "16"]): 2.0,
        frozenset(["1", "64"]): 4.0,
        frozenset(["1", "16"]): 0.0,
    }
    assert [line[1] for line in described["lines"]] == ["best", "behind", "dropped", "refused"]


def test_a_study_in_a_file_is_shown(tmp_path):
    (tmp_path / "study.json").write_text(study().to_json())
    (run,) = runs_of([tmp_path / "study.json"])

    assert run.origin == "tuned"
    assert tuning.view([run]).data["parts"][0]["now"] == 3.0


def test_a_machine_is_shown_with_its_numbers_and_its_drawing():
    (card,) = cluster.view([Run("machine", cluster=load_cluster("laptop"))]).data["clusters"]

    assert card["name"] == "laptop"
    assert "nvme" in str(card["sections"])
    assert base64.b64decode(card["picture"]).startswith(b"<svg")
    assert cluster.view([Run("run", trace=two_ranks())]) is None
