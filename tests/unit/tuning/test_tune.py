"""`tune` as a whole: knobs turn what they say, searches agree, and every executor gives the same result."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from statistics import median

import msgspec
import pytest

from striate.apps import checkpoint, jacobi
from striate.cli.settings.tune import study_text
from striate.cluster import load_cluster
from striate.cluster.build import build
from striate.errors import StriateError, TuningError
from striate.ladder import predict
from striate.tuning import Study, tune
from striate.tuning.executors import executor_called
from striate.tuning.question import realise
from striate.tuning.tune import question_of
from striate.units import about_seconds
from striate.workload import Spmd

BUILD = partial(checkpoint.workload, ranks=4, steps=4, every=2, state="1 MiB")
VARY = {"servers": [1, 2, 5, 10], "unit": ["64 KiB", "1 MiB"], "placement": ["block", "round-robin"]}


def told(study):
    return [(outcome.candidate.number, outcome.state, outcome.seconds) for outcome in study.outcomes]


@pytest.fixture(scope="module")
def alone():
    return tune(BUILD, "westmere", vary=VARY, executor="serial")


def test_the_winner_is_the_one_that_the_fine_rung_gives_the_least_time(alone):
    question = question_of(BUILD, "westmere")
    times = {}
    for outcome in alone.outcomes:
        workload, cluster = realise(question, outcome.candidate.settings)
        times[outcome.candidate.number] = predict(
            workload, cluster, rung="fine", within=None
        ).seconds.estimate

    assert alone.best.seconds.estimate == min(times.values())
    assert alone.finished


def test_a_study_survives_its_json(alone):
    again = Study.from_json(alone.to_json())

    assert told(again) == told(alone)
    assert again.saved_seconds == alone.saved_seconds
    assert json.loads(alone.to_json())["schema"] == "striate.tuning/1"
    with pytest.raises(TuningError, match="not a tuning"):
        Study.from_json(b'{"schema": 1}')


def test_what_is_saved_has_a_range_where_the_machine_has_none(alone):
    now, best, saved = alone.now.seconds, alone.best.seconds, alone.saved_seconds

    assert now.low == now.high, "westmere has no measured ranges"
    assert saved.estimate == now.estimate - best.estimate
    assert saved.low < saved.estimate < saved.high
    assert saved.high - saved.low < 2 * (now.estimate + best.estimate)
    assert (
        f"the best saves {about_seconds(saved.estimate)}, in 80 % of real runs between -" in study_text(alone)
        or saved.low >= 0
    )


def test_a_simulated_candidate_is_told_with_the_range_of_real_runs(alone):
    best = alone.range_of(alone.best)
    (line,) = (line.split("best")[1] for line in study_text(alone).splitlines() if "  best  " in line)

    assert alone.best.seconds.width == 0
    assert best.low < alone.best.seconds.estimate < best.high
    assert all(about_seconds(end) in line for end in (best.low, best.estimate, best.high))
    assert Study.from_json(alone.to_json()).range_of(alone.best) == best


def test_a_setting_does_not_win_by_the_luck_of_one_placement():
    machine = with_settings(load_cluster("westmere"), distribution="hash")
    study = tune(BUILD, machine, vary={"placement": ["block", "round-robin"]}, executor="serial")

    workload, _ = realise(question_of(BUILD, machine), study.best.candidate.settings)
    times = [
        predict(
            workload, with_settings(machine, distribution_draw=draw), rung="fine", exact=True
        ).seconds.estimate
        for draw in range(9)
    ]
    assert len(set(times)) > 1
    assert study.best.seconds.estimate == median(times)
    saved = study.saved_seconds
    assert (
        saved.high - saved.low >= max(times) / 2 - min(times) / 2
    )  # what a run saves depends on its placement


def with_settings(cluster, **changed):
    settings = msgspec.structs.replace(cluster.description.settings, **changed)
    return build(msgspec.structs.replace(cluster.description, settings=settings))


@pytest.mark.parametrize("executor", ["processes", "dask"])
def test_processes_and_dask_give_the_same_result(alone, executor):
    if executor == "dask":
        pytest.importorskip("distributed", reason="needs Dask")

    assert told(tune(BUILD, "westmere", vary=VARY, executor=executor, workers=2)) == told(alone)


@pytest.mark.parametrize("executor", ["processes", "dask"])
def test_workers_that_are_killed_change_nothing(alone, executor):
    if executor == "dask":
        pytest.importorskip("distributed", reason="needs Dask")
    killed = []

    def kill_a_worker(_done, _what):
        workers = multiprocessing.active_children()
        if not killed and workers:
            workers[0].kill()
            killed.append(workers[0].pid)

    study = tune(
        BUILD, "westmere", vary=VARY, executor=executor, workers=2, progress=kill_a_worker, budget="10 min"
    )

    assert len(killed) == 1
    assert told(study) == told(alone)


def test_work_that_kills_its_workers_is_told_so():
    with executor_called("processes", workers=1) as pool:
        worker = pool.submit(os.getpid).result()
        os.kill(worker, signal.SIGKILL)
        assert pool.submit(pow, 2, 5).result() == 32
        assert pool.submit(os.getpid).result() != worker
        with pytest.raises(BrokenProcessPool):
            pool.submit(signal.raise_signal, signal.SIGKILL).result()


def test_any_executor_of_the_standard_library_will_do(alone):
    with ThreadPoolExecutor(2) as pool:
        assert told(tune(BUILD, "westmere", vary=VARY, executor=pool)) == told(alone)


def test_ranks_of_an_mpi_job_give_the_same_result(tmp_path):
    pytest.importorskip("mpi4py", reason="needs mpi4py")
    launcher = Path(sys.executable).with_name("mpiexec")
    if not launcher.exists():
        pytest.skip("no mpiexec beside this Python")
    spec = tmp_path / "spec.toml"
    spec.write_text('app = "checkpoint"\nranks = 4\nsteps = 4\nevery = 2\n[vary]\nservers = [1, 2, 5, 10]\n')
    words = ["-m", "striate", "tune", str(spec), "westmere", "--json", "--executor"]
    told_by = [
        json.loads(subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout)
        for command in (
            [sys.executable, *words, "serial"],
            [str(launcher), "-n", "3", sys.executable, "-m", "mpi4py.futures", *words, "mpi"],
        )
    ]

    assert told_by[0]["outcomes"] == told_by[1]["outcomes"]


def test_a_random_search_over_all_candidates_is_the_grid(alone):
    study = tune(BUILD, "westmere", vary=VARY, executor="serial", search="random", trials=100)

    assert told(study) == told(alone)


def test_a_bayesian_search_repeats_itself_and_asks_only_what_the_grid_has(alone):
    pytest.importorskip("optuna", reason="needs Optuna")
    known = {
        outcome.candidate.number: outcome.seconds for outcome in alone.outcomes if outcome.rung == "fine"
    }
    first, second = (
        tune(BUILD, "westmere", vary=VARY, executor="serial", search="bayes", trials=12, seed=7)
        for _ in range(2)
    )

    assert told(first) == told(second)
    assert all(
        outcome.seconds == known[outcome.candidate.number]
        for outcome in first.outcomes
        if outcome.rung == "fine" and outcome.candidate.number in known
    )


def test_a_budget_of_nothing_decides_nothing():
    study = tune(BUILD, "westmere", vary=VARY, executor="serial", budget=0)

    assert not study.finished
    assert {outcome.state for outcome in study.outcomes} == {"undecided"}
    with pytest.raises(TuningError):
        _ = study.best


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vary": {"colour": ["red"]}}, r"expected a knob \(setting\) among .*, got 'colour'"),
        ({"search": "guess"}, "a search method among"),
        ({"executor": "cloud"}, "an executor among"),
        ({"trials": 0}, "at least 1 trial"),
    ],
)
def test_what_cannot_be_tuned_is_refused(options, words):
    with pytest.raises(TuningError, match=words):
        tune(BUILD, "westmere", **({"vary": VARY} | options))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"servers": 11}, "1 to 10 (servers of the cluster) as the setting servers"),
        ({"servers": "all"}, "a whole number"),
        ({"placement": "explicit"}, "a placement of ranks among"),
        ({"aggregators": 0}, "at least 1 aggregator"),
        ({"layout": "basic", "strips": "0:1MiB"}, "only one layout setting among layout"),
        ({"unit": "large"}, "a size"),
        ({"collectives": "allreduce=magic"}, "for allreduce"),
    ],
)
def test_settings_that_a_knob_does_not_have_are_refused_alone(settings, words):
    study = tune(
        BUILD, "westmere", vary={name: [value] for name, value in settings.items()}, executor="serial"
    )

    assert study.outcomes[0].state == "refused"
    assert words in study.outcomes[0].words


def test_each_knob_changes_what_it_names():
    question = question_of(BUILD, "westmere")

    def file_layout(**settings):
        return realise(question, settings)[0].applications[0].files[0].layout

    assert file_layout() is None
    assert file_layout(servers=2, unit="1 MiB") == "simple:2:1MiB"
    assert file_layout(strips="0:1MiB;1:2MiB") == "varstrip:0:1MiB;1:2MiB"
    assert file_layout(group_factor=4) == "grouped:10:1MiB:4"
    assert file_layout(layout="basic") == "basic"
    assert realise(question, {"unit": "1 MiB"})[1].settings.stripe_unit == 2**20
    assert realise(question, {"placement": "block"})[1].placement == "block"
    assert realise(question, {"ranks": 7})[0].ranks == 7


def test_a_collective_algorithm_changes_the_time():
    build = partial(jacobi.workload, ranks=8, rows=64, columns=64, steps=4, every=4)
    study = tune(
        build,
        "westmere",
        vary={"collectives": ["allreduce=ring", "allreduce=recursive-doubling"]},
        executor="serial",
    )

    assert len({outcome.seconds.estimate for outcome in study.outcomes}) == 2


def test_every_refusal_is_one_of_ours():
    assert issubclass(TuningError, StriateError)


def test_the_fastest_collective_is_found_whatever_the_first_rung_makes_of_the_others():
    """20 broadcasts of 4 MiB over 10 ranks, every algorithm of bcast and a few other rules."""
    body = Spmd(10)
    with body.repeat(20):
        body.bcast("4 MiB")
    workload = body.workload()
    names = ("binary-tree", "binomial", "binomial-in-turn", "direct", "pipelined", "scatter-allgather")
    rules = [f"bcast={name}" for name in names] + ["allreduce=ring", "reduce=binomial", "barrier=tree"]
    played = {
        rule: predict(workload, "westmere", rung="fine", collectives=[rule]).seconds.estimate
        for rule in rules
    }

    study = tune(workload, "westmere", vary={"collectives": rules}, executor="serial")

    best = study.outcomes[0]
    assert best.candidate.settings["collectives"] == min(played, key=played.__getitem__) == "bcast=pipelined"
    assert best.seconds.estimate == min(played.values())
