"""`tune`: the front door of the search."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import nullcontext
from dataclasses import replace

from striate.cluster.cluster import Cluster
from striate.cluster.description.dump import cluster_to_toml
from striate.deadline import OutOfTime, ended_after
from striate.errors import TuningError
from striate.provenance import Provenance
from striate.rungs.cost import fine_seconds
from striate.tuning.bayes import search_bayes
from striate.tuning.executors import executor_called
from striate.tuning.gain import model_of, saved_seconds
from striate.tuning.panel import Panel, Progress
from striate.tuning.question import FixedWorkload, Question, realise
from striate.tuning.race import Race
from striate.tuning.space import NOW, Candidate, Space, Value
from striate.tuning.study import TOO_SHORT, Study
from striate.units import Quantity, seconds
from striate.workload.workload import Workload

LEAST_SECONDS = 0.1  # for the program as it is, however small the budget
SEARCHES = ("grid", "random", "bayes")
RUNGS = ("resource", "fine")  # bounds that are proved, then every packet: nothing is dropped by a guess
RACE = ("resource", "fine")  # rungs that see every knob: one to prune, one to decide
LONG_RACE = ("resource", "flow", "fine")  # and one to say whose packets are played first


def tune(
    program: Workload | Callable[..., Workload],
    cluster: Cluster | str,
    *,
    vary: Mapping[str, Sequence[Value]],
    search: str = "grid",
    trials: int = 200,
    seed: int = 0,
    budget: Quantity = "60 s",
    executor: Executor | str = "processes",
    workers: int | None = None,
    resolution: float = 0.05,
    rungs: Sequence[str] | None = None,
    progress: Progress = lambda done, what: None,
    inputs: Mapping[str, str] | None = None,
    spent_seconds: float = 0.0,
    plugins: Sequence[str] = (),
) -> Study:
    """Find the settings of the knobs in `vary` with which `program` takes the least time on `cluster`.

    `program` is a workload, or a function of a module that makes one from some of the knobs. `search` is "grid" (all
    candidates), "random" or "bayes" (`trials` of them). Rungs are asked from the cheapest to the most expensive, and a
    candidate is dropped only when its lower bound exceeds another's upper bound; what the budget (of wall time) does
    not reach, `spent_seconds` of it being spent already, stays undecided. `executor` is any
    `concurrent.futures.Executor`, or a name among processes, serial, mpi and dask; all give the same result. `plugins`
    are files and entry points as `predict` takes them; the knob `collectives` may name their algorithms. Raises
    TuningError for knobs, searches and executors that are not there.
    """
    if search not in SEARCHES:
        raise TuningError(f"expected a search method among {', '.join(SEARCHES)}, got {search!r:.60}")
    if trials < 1 or not resolution >= 0:
        raise TuningError(
            f"expected at least 1 trial and a resolution of at least 0, got trials={trials} and resolution={resolution}"
        )
    space = Space.of(vary)
    question = replace(question_of(program, cluster), plugins=tuple(plugins))
    question.refuse_unknown([knob.name for knob in space.knobs])
    opened = (
        executor_called(executor, workers=workers) if isinstance(executor, str) else nullcontext(executor)
    )
    began = time.monotonic() - spent_seconds
    most = seconds(budget)
    try:
        with ended_after(max(most - spent_seconds, LEAST_SECONDS)):
            workload, machine = realise(question, {})
            count = space.size if search == "grid" else min(trials, space.size)
            chosen = tuple(rungs or _race(workload, machine, count, most))
    except OutOfTime:
        raise TuningError(TOO_SHORT) from None
    with opened as pool:
        panel = Panel(
            question,
            pool,
            budget_seconds=most,
            spent_seconds=time.monotonic() - began,
            progress=progress,
        )
        today = Race(panel, chosen)
        today.run([NOW])
        race = Race(panel, chosen)
        asked = _searched(space, race, search=search, trials=trials, seed=seed)
        spent = panel.spent
    outcomes, now = race.outcomes(asked, resolution), today.outcomes([NOW], resolution)[0]
    return Study(
        program=", ".join(application.name for application in workload.applications),
        cluster=machine.name,
        search=search,
        seed=seed,
        budget_seconds=most,
        spent_seconds=spent,
        resolution=resolution,
        outcomes=outcomes,
        now=now,
        provenance=Provenance.of(inputs, seed=seed),
        saved_seconds=saved_seconds(question, now, outcomes[0]) if outcomes[0].state == "best" else None,
        model=model_of(workload, machine),
    )


def _race(workload: Workload, cluster: Cluster, candidates: int, budget_seconds: float) -> tuple[str, ...]:
    """Where the packets of all candidates take longer than the budget, `flow` ranks them before they are played."""
    too_long = candidates * fine_seconds(workload, cluster) > budget_seconds
    return LONG_RACE if too_long else RACE


def question_of(program: Workload | Callable[..., Workload], cluster: Cluster | str) -> Question:
    """The question to ask of every candidate."""
    if isinstance(cluster, str):
        from striate.cluster.load import load_cluster

        cluster = load_cluster(cluster)
    build = FixedWorkload(program) if isinstance(program, Workload) else program
    return Question(build, cluster_to_toml(cluster))


def _searched(space: Space, race: Race, *, search: str, trials: int, seed: int) -> list[Candidate]:
    """Run the race; the candidates that took part."""
    if search == "bayes":
        return search_bayes(space, race, trials=trials, seed=seed)
    candidates = list(space.grid()) if search == "grid" else space.sample(trials, seed)
    race.run(candidates)
    return candidates
