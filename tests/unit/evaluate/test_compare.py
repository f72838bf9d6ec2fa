"""A forecast beside a trace: totals, parts, and where they differ."""

import json

import pytest

from striate.cli.main import run
from striate.errors import TraceError
from striate.evaluate.compare import compare, run_seconds
from striate.interval import Interval
from striate.ladder import Forecast, predict
from striate.provenance import Provenance
from striate.workload import Spmd
from toy_traces import row, trace_of, two_ranks


def forecast(low, estimate, high, ranks=2):
    seconds = Interval(low, estimate, high)
    return Forecast("toy", "toy cluster", ranks, "fine", seconds, seconds, (), (), Provenance({}))


def traced():
    """MPI_Init to 1 ms, writes of 2 and 4 ms, a barrier, MPI_Finalize from 11 ms: 10 ms between."""
    ms = 1_000_000
    return trace_of(
        [
            row(0, "init", 0, ms, level="mpi"),
            row(1, "init", 0, ms, level="mpi"),
            row(0, "write", 2 * ms, 4 * ms, file=0, offset=0, bytes=10),
            row(0, "write", 3 * ms, 4 * ms, level="posix", file=0, offset=0, bytes=10),
            row(1, "write", 2 * ms, 6 * ms, file=0, offset=10, bytes=10),
            row(0, "barrier", 4 * ms, 6 * ms, level="mpi", communicator=0, collective=True),
            row(0, "region", ms, 7 * ms, level="program", region=0),
            row(1, "region", ms, 9 * ms, level="program", region=0),
            row(0, "finalize", 11 * ms, 13 * ms, level="mpi"),
            row(1, "finalize", 10 * ms, 13 * ms, level="mpi"),
        ],
        regions=("solve", "never"),
    )


def test_the_run_lies_between_init_and_finalize():
    assert run_seconds(traced()) == pytest.approx(0.010)
    assert run_seconds(traced(), "solve") == pytest.approx(0.008)
    assert run_seconds(traced(), "never") == 0
    assert run_seconds(two_ranks()) == pytest.approx(
        1010e-9
    )  # no such calls: the first start to the last end


def test_inside_and_outside_the_bounds():
    good = compare(forecast(0.009, 0.012, 0.013), traced())
    bad = compare(forecast(0.011, 0.012, 0.013), traced())

    assert (good.inside, bad.inside) == (True, False)
    assert good.error == pytest.approx(0.2)
    assert "timeline" in good.notes[0]
    assert all(part.predicted is None for part in good.kinds)


def test_parts_are_means_over_ranks_and_never_count_what_lies_below():
    found = compare(forecast(0.009, 0.010, 0.011), traced())
    kinds = {part.name: part.measured for part in found.kinds}
    phases = {part.name: part.measured for part in found.phases}
    ranks = {part.name: part.measured for part in found.ranks}

    assert kinds == pytest.approx({"write": 0.003, "barrier": 0.001})
    assert phases == pytest.approx({"solve": 0.007})
    assert ranks == pytest.approx({"rank 0, in calls": 0.004, "rank 1, in calls": 0.004})


def test_a_run_compared_with_itself_differs_nowhere():
    found = compare(forecast(0.009, 0.010, 0.011), traced(), timeline=traced())

    assert all(part.difference == 0 for part in (*found.kinds, *found.phases, *found.ranks))
    assert found.furthest == ()


def test_the_part_that_is_furthest_off_comes_first():
    ms = 1_000_000
    rows = [row(rank, "write", 0, 9 * ms, file=0, offset=0, bytes=10) for rank in (0, 1)]
    found = compare(forecast(0.009, 0.010, 0.011), traced(), timeline=trace_of(rows))

    assert found.furthest[0].startswith("phase solve: predicted 0 s, measured 0.007 s")
    assert any(
        words.startswith("kind write: predicted 0.009 s, measured 0.003 s") for words in found.furthest
    )


def test_a_simulated_timeline_is_laid_beside_the_real_one():
    body = Spmd(2)
    with body.region("solve"):
        body.compute("5 ms")
    body.barrier()
    simulated = predict(body.workload(), "laptop", timeline=True)
    found = compare(simulated, traced())
    phases = {part.name: part.predicted for part in found.phases}

    assert phases["solve"] == pytest.approx(0.005, rel=1e-3)


def test_other_ranks_are_remarked_and_strange_regions_refused():
    assert any("8 ranks" in note for note in compare(forecast(1, 1, 1, ranks=8), traced()).notes)
    with pytest.raises(TraceError, match="no region 'swap'"):
        compare(forecast(1, 1, 1), traced(), region="swap")


def test_the_command_says_the_verdict_first(tmp_path, capsys):
    told, seen = tmp_path / "run.json", tmp_path / "run.parquet"
    told.write_text(forecast(0.009, 0.012, 0.013).to_json())
    traced().save(seen)

    assert (
        run(["compare", str(told), str(seen), "--timeline", str(seen), "-o", str(tmp_path / "out.json")]) == 0
    )
    shown = capsys.readouterr().out
    assert "measured 10 ms, forecast 12 ms (9 ms to 13 ms): inside the range, +20.0%" in shown.splitlines()[0]
    assert run(["compare", str(told), str(seen), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["inside"]) == ("striate.comparison/1", True)
    assert json.loads((tmp_path / "out.json").read_text())["inside"] is True


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]"])
def test_a_broken_forecast_is_one_line(tmp_path, capsys, content):
    told, seen = tmp_path / "run.json", tmp_path / "run.parquet"
    told.write_bytes(content)
    traced().save(seen)

    assert run(["compare", str(told), str(seen)]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("striate: not a forecast")
    assert shown.count("\n") == 1
