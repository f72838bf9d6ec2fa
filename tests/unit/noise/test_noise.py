"""Noise: ranges that hold their share of unseen runs, tables of runs, what was learnt, and the commands."""

import gzip
import json

import numpy as np
import pytest

from striate.cli.main import run
from striate.errors import NoiseError
from striate.evaluate.compare import noise_verdict
from striate.interval import Interval
from striate.noise.drift import LEVEL, OF_WIDTH, drift_of, range_of
from striate.noise.learn import learn
from striate.noise.model import PROBABILITIES, LearntSeries, Noise, load_noise
from striate.noise.runs import Series, read_runs


def share_held(runs):
    """The share of the second halves inside the ranges of the first."""
    hits = []
    for one in runs:
        low, high = range_of(one[: len(one) // 2], share=0.9)
        later = one[len(one) // 2 :]
        hits.append((later >= low) & (later <= high))
    return np.concatenate(hits).mean()


def test_a_range_is_widened_by_the_drift_of_a_level_and_a_share_of_its_width():
    """Of 99 runs the 5th and the 95th leave a twentieth of further ones out on either side: 5 = 0.05 (99 + 1)."""
    past = np.linspace(0, 0.98, 99)  # 0.04 and 0.94

    drift = LEVEL + OF_WIDTH * 0.891  # of the width between Hazen's quantiles, 0.0445 and 0.9355
    assert range_of(past, share=0.9) == pytest.approx((0.04 - drift, 0.94 + drift))
    assert drift_of(past, share=0.9) == pytest.approx(drift + 0.0045)


@pytest.mark.parametrize("runs", [20, 30, 60])
def test_few_runs_hold_as_many_further_ones_as_many_do(runs, monkeypatch):
    """Runs of a machine that does not drift: without what few runs do not show, 20 would hold 86 %."""
    monkeypatch.setattr("striate.noise.drift.LEVEL", 0.0)
    monkeypatch.setattr("striate.noise.drift.OF_WIDTH", 0.0)
    random = np.random.default_rng(5)

    assert share_held([random.normal(0, 0.2, 2 * runs) for _ in range(800)]) == pytest.approx(0.9, abs=0.012)


@pytest.mark.parametrize("spread", [0.05, 0.2, 0.5])
def test_nine_in_ten_later_runs_of_a_machine_whose_level_moves_once_are_held(spread):
    random = np.random.default_rng(2)
    level = np.where(np.arange(300) < 150, 0.0, 1.0)
    runs = [random.normal(0, 0.12) * level + random.normal(0, spread, 300) for _ in range(60)]
    quantiles_alone = np.mean(
        [
            np.mean((o[150:] >= np.quantile(o[:150], 0.05)) & (o[150:] <= np.quantile(o[:150], 0.95)))
            for o in runs
        ]
    )

    assert 0.85 <= share_held(runs) <= 0.96
    assert quantiles_alone < 0.89  # what the drift is for


@pytest.mark.parametrize(("drift", "least"), [(0.3, 0.85), (-0.3, 0.85), (0.15, 0.9)])
@pytest.mark.parametrize("spread", [0.05, 0.2, 0.5])
def test_a_steady_drift_of_a_third_in_a_year_is_held_and_a_doubling_is_not(spread, drift, least):
    random = np.random.default_rng(3)
    noise = [random.normal(0, spread, 300) for _ in range(40)]
    steady = np.linspace(0, drift, 300)
    doubling = np.linspace(0, np.log(2), 300)

    assert least <= share_held([one + steady for one in noise])
    assert share_held([one + doubling for one in noise]) < (0.5 if spread < 0.1 else 0.9)


def table_of(tmp_path, text, name="runs.csv"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def test_runs_are_grouped_and_put_in_order_of_their_start(tmp_path):
    rows = ["machine,program,ranks,rate,start,bytes", "a,ior,8,2,2,100", "a,ior,8,4,1,100", "b,ior,8,1,1,100"]
    rows += ["a,ior,8,0,3,100", "a,ior,8,4,4,1", "b,ior,8,1,9,"]

    table = read_runs(table_of(tmp_path, "\n".join(rows), "runs.csv.gz"))

    assert [one.name for one in table.series] == ["a, ior, 8 ranks", "b, ior, 8 ranks"]
    assert np.exp(table.series[0].log_seconds).tolist() == pytest.approx([0.25, 0.5])
    assert (table.without_time, table.other_jobs) == (1, 1)


def test_summaries_of_tokio_are_told_apart_by_file_system_direction_and_files(tmp_path):
    header = (
        "_datetime_start,_file_system,darshan_agg_perf_by_slowest_posix,darshan_app,darshan_biggest_read_api_bytes,"
        "darshan_biggest_read_api_files,darshan_biggest_write_api_bytes,darshan_biggest_write_api_files,"
        "darshan_nprocs,darshan_total_gibs_posix"
    )
    rows = ["0,5.0,fs1,100,/bin/ior,0,0,9,1,64,1", "1,6.0,fs1,100,/bin/ior,9,64,0,1,64,1"]  # with row numbers

    table = read_runs(table_of(tmp_path, "\n".join([header, *rows]), "edison-summaries.csv"))

    assert [(one.machine, one.program) for one in table.series] == [
        ("edison/fs1", "ior read a file per rank"),
        ("edison/fs1", "ior write one file"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a table of runs"),
        ("machine,program,ranks\na,b,1\n", "expected a column seconds or rate"),
        ("machine,ranks,seconds\na,1,1\n", "expected a column program"),
        ("machine,program,ranks,seconds\na,b,1,soon\n", "expected numbers, found string - at seconds"),
        ("machine,program,ranks,seconds\na,b\n", "not a table of runs"),
    ],
)
def test_a_table_that_cannot_be_understood_is_refused_in_one_line(tmp_path, text, message):
    with pytest.raises(NoiseError, match=message):
        read_runs(table_of(tmp_path, text))


def few_runs(tmp_path, count):
    random = np.random.default_rng(3)
    rows = [f"m,job,64,{10 * np.exp(random.normal(0, 0.2)):.4f},{day}" for day in range(count)]
    return table_of(tmp_path, "\n".join(["machine,program,ranks,seconds,start", *rows]))


def test_too_few_runs_are_refused(tmp_path, capsys):
    assert run(["noise", "learn", str(few_runs(tmp_path, 15))]) == 1
    assert "expected a job with at least 16 runs, found at most 15" in capsys.readouterr().err


def test_what_was_learnt_is_kept_in_a_file_and_used_by_predict(tmp_path, capsys):
    file = tmp_path / "noise.json"

    assert run(["noise", "learn", str(few_runs(tmp_path, 60)), "-o", str(file)]) == 0
    assert (
        run(["predict", "kernel:pingpong,repeat=1", "laptop", "--ranks", "2", "--noise", str(file), "--json"])
        == 0
    )

    learnt = load_noise(str(file))
    printed = capsys.readouterr().out
    days = json.loads(printed[printed.index("{") :])["days"]
    assert [day["name"] for day in days] == ["alone", "usual day", "bad day"]
    assert days[1]["slowdown"] == learnt.pooled.slowdowns[PROBABILITIES.index(0.5)] > 1
    assert Noise.from_json(learnt.to_json()) == learnt


def test_the_bundled_prior_spans_two_machines_and_a_year():
    noise = load_noise("tokio")

    assert len(noise.series) == 32
    assert noise.pooled.runs == 9988
    assert (
        load_noise("tokio:mira vpicio").pooled.name == "mira/mira-fs1, vpicio_uni write one file, 16384 ranks"
    )
    with pytest.raises(NoiseError, match="match 3 names"):
        load_noise("tokio:edison vpicio")
    with pytest.raises(NoiseError, match="no such file, and no bundled table of slowdowns"):
        load_noise("nowhere")


@pytest.mark.parametrize("broken", ["{}", "[", '{"source":1}', "\xff"])
def test_a_file_that_is_not_learnt_noise_is_refused(broken):
    with pytest.raises(NoiseError, match="not learnt noise"):
        Noise.from_json(broken.encode("latin-1"))


def test_a_difference_is_noise_when_repeated_runs_differ_as_much():
    slowdowns = tuple(1 + 0.1 * step for step in range(-1, len(PROBABILITIES) - 1))  # 1.0 at 5 %, 2.8 at 95 %
    noise = Noise("", LearntSeries("", "job", 0, 99, slowdowns, 1.5), ())
    forecast = Interval(9, 10, 11)

    slow = noise_verdict(forecast, 11 * 2.8 * 1.5 + 0.01, noise)

    assert not slow.is_noise
    assert noise_verdict(forecast, 40, noise).is_noise
    assert noise_verdict(forecast, 9 / 1.5 - 0.1, noise).is_noise is False
    assert (slow.seconds.low, slow.seconds.estimate, slow.seconds.high) == pytest.approx((6, 19, 46.2))


def test_learning_leaves_out_short_series_and_weighs_the_others_alike():
    steady = Series("m", "steady", 1, np.zeros(1000))
    slow = Series("m", "half slow", 1, np.tile([0.0, np.log(3)], 50))
    short = Series("m", "short", 1, np.zeros(3))

    noise = learn([steady, slow, short], source="here")

    assert [one.program for one in noise.series] == ["steady", "half slow"]
    slower = 1 - np.interp(2.0, noise.pooled.slowdowns, PROBABILITIES)
    assert slower == pytest.approx(0.25, abs=0.05)  # half of one of two jobs
