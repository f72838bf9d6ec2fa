"""Does tuning find what measuring finds, on a practice cluster? Three programs, 20 settings each, all of them run.

    python verification/lab_tune.py [REPEATS [PROGRAM...]]

`striate.tune` chooses by forecasts on the cluster as built; then every setting runs REPEATS times, in an order drawn
by lot. Each run has its own placement of shards, and the smallest of 20 medians is a lucky one: so the chosen setting,
the one that measured best, and the program as it is run again, 21 times each, and these runs judge. Aims: the chosen
setting is at most 10 % slower than the best, and the seconds that it saves lie in the range that tuning gave. About
four minutes per program with 5 repeats. Needs root, and two CPUs that nobody else uses.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from lab import USUAL, striate
from striate.apps import kernels
from striate.cluster import load_cluster
from striate.evaluate.launched.programs import LaunchedProgram
from striate.evaluate.launched.ranks import RankPlan, RankRun
from striate.tuning import Candidate, Study, tune
from striate.units import size
from striate.workload.workload import Workload

RANKS = 4
SLOWER = 0.10
AGAIN = 21  # runs of each that judge
TOTAL = 8 << 20  # bytes of each rank
WRITE = {"size": "256KiB", "blocks": 32, "sync": 1}
READ = {"size": "64KiB", "blocks": 64, "mode": "read", "shift": 1}
TWO_PHASE: dict[str, Sequence[Any]] = {
    "aggregators": [4, 3, 2, 1],
    "buffer": ["16 MiB", "8 MiB", "4 MiB", "2 MiB", "1 MiB"],
}
Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A program as a function of its knobs, the values to try, and what is run for some of them."""

    build: Callable[..., Workload]
    vary: Mapping[str, Sequence[Any]]
    program: Callable[[Settings], LaunchedProgram]


def interleaved_write() -> Workload:
    return kernels.workload("io-level-3", ranks=RANKS, **WRITE)


def interleaved_read() -> Workload:
    return kernels.workload("io-level-3", ranks=RANKS, **READ)


def one_of_four_levels(level: int = 0, blocks: int = 128) -> Workload:
    """The same bytes by each level of MPI-IO, in so many blocks of each rank."""
    return kernels.workload(f"io-level-{level}", ranks=RANKS, **_blocks(blocks))


def _blocks(blocks: int) -> dict[str, Any]:
    return {"size": f"{TOTAL // blocks}B", "blocks": blocks, "sync": 1}


def _hints(given: Settings) -> dict[str, str]:
    names = {"aggregators": "cb_nodes", "buffer": "cb_buffer_size"}
    return {names[key]: str(size(value)) for key, value in given.items()}


def _by_level(given: Settings) -> LaunchedProgram:
    return LaunchedProgram(f"io-level-{given.get('level', 0)}", _blocks(given.get("blocks", 128)))


QUESTIONS = {
    "interleaved write": Question(
        interleaved_write, TWO_PHASE, lambda given: LaunchedProgram("io-level-3", WRITE, _hints(given))
    ),
    "four levels": Question(
        one_of_four_levels, {"level": [3, 1, 2, 0], "blocks": [1, 4, 16, 64, 128]}, _by_level
    ),
    "interleaved read": Question(
        interleaved_read, TWO_PHASE, lambda given: LaunchedProgram("io-level-3", READ, _hints(given))
    ),
}


def measure(lab: str, programs: list[LaunchedProgram], repeats: int, place: Path) -> list[float]:
    """The median time of every program, run in an order drawn by lot."""
    plan, answer = place / "plan.json", place / "answer.jsonl"
    answer.unlink(missing_ok=True)
    order = [index for index in range(len(programs)) for _ in range(repeats)]
    random.Random(1).shuffle(order)
    plan.write_bytes(
        msgspec.json.encode(RankPlan("/run/pfs", programs, [0, *order]))
    )  # the first one warms up
    ranks = (sys.executable, "-m", "striate.evaluate.launched.ranks", str(plan), str(answer))
    striate("lab", "run", "--name", lab, "--ranks", str(RANKS), "--", *ranks)
    runs = [msgspec.json.decode(line, type=RankRun) for line in answer.read_bytes().splitlines()[1:]]
    return [median(run.seconds for run in runs if run.program == index) for index in range(len(programs))]


def list_all(study: Study, times: Sequence[float]) -> None:
    """Print all settings by measured time, forecasts beside them."""
    for measured, outcome in sorted(zip(times, study.outcomes, strict=True), key=lambda pair: pair[0]):
        said = outcome.seconds
        words = (
            "no forecast" if said is None else f"{said.estimate:.3f} s ({said.low:.3f} to {said.high:.3f})"
        )
        print(f"  {measured:.3f} s, forecast {words}, {outcome.state}: {outcome.candidate}")


def judge(name: str, study: Study, best: Candidate, seconds: Sequence[float]) -> bool:
    """Whether both aims are met by new runs: of the chosen setting, of the one that measured best, and of none."""
    chosen, measured, now = seconds
    saved = study.saved_seconds
    assert saved is not None
    slower, gained = chosen / measured - 1, now - chosen
    print(
        f"{name}: chosen {study.best.candidate}: {chosen:.3f} s, measured best {best}: {measured:.3f} s, so it is "
        f"{slower:+.1%} slower; now {now:.3f} s, so it saves {gained:.3f} s, forecast {saved.estimate:.3f} "
        f"({saved.low:.3f} to {saved.high:.3f})",
        flush=True,
    )
    return slower <= SLOWER and gained in saved


def main() -> int:
    repeats, names = int((*sys.argv[1:2], "5")[0]), sys.argv[2:] or list(QUESTIONS)
    lab, passed = f"tune-{os.getpid()}", True
    with tempfile.TemporaryDirectory() as place:
        description = Path(place) / "cluster.toml"
        striate("lab", "up", "--name", lab, f"--hosts={RANKS}", *USUAL)
        try:
            striate("lab", "describe", "--name", lab, "-o", str(description))
            for name in names:
                question = QUESTIONS[name]
                study = tune(question.build, load_cluster(description), vary=question.vary, budget="120 s")
                settings: list[Settings] = [dict(one.candidate.settings) for one in study.outcomes]
                programs = [question.program(given) for given in settings]
                times = measure(lab, programs, repeats, Path(place))
                list_all(study, times)
                best = times.index(min(times))
                three = [programs[0], programs[best], question.program({})]
                again = measure(lab, three, AGAIN, Path(place))
                passed &= judge(name, study, study.outcomes[best].candidate, again)
        finally:
            striate("lab", "down", "--name", lab)
    return 0 if passed else 3


if __name__ == "__main__":
    sys.exit(main())
