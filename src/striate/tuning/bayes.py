"""Bayesian search with Optuna (optional): candidates are drawn where good ones were found before."""

from __future__ import annotations

from typing import Any

from striate.errors import TuningError
from striate.tuning.race import WAVE, Race
from striate.tuning.space import Candidate, Space


def search_bayes(space: Space, race: Race, *, trials: int, seed: int) -> list[Candidate]:
    """Ask `trials` candidates, a wave at a time; a dropped one counts with its low end. Those that were asked."""
    study, distributions = _study(space, seed)
    asked: dict[int, Candidate] = {}
    drawn = 0
    while drawn < trials and len(asked) < space.size and not race.panel.is_over:
        wave = [study.ask(distributions) for _ in range(min(WAVE, trials - drawn))]
        drawn += len(wave)
        chosen = [
            space.candidate(space.number_of([trial.params[k.name] for k in space.knobs])) for trial in wave
        ]
        new = list({one.number: one for one in chosen if one.number not in asked}.values())
        asked |= {one.number: one for one in new}
        race.run(new)
        for trial, candidate in zip(wave, chosen, strict=True):
            _tell(study, trial, race, candidate)
    return list(asked.values())


def _study(space: Space, seed: int) -> tuple[Any, dict[str, Any]]:
    try:
        import optuna
    except ImportError:
        raise TuningError("the Bayesian search needs Optuna: pip install striate[bayes]") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    distributions = {
        knob.name: optuna.distributions.CategoricalDistribution(tuple(range(len(knob.values))))
        for knob in space.knobs
    }
    return study, distributions


def _tell(study: Any, trial: Any, race: Race, candidate: Candidate) -> None:
    import optuna

    standing = race.standings.get(candidate.number)
    if standing is None or standing.seconds is None:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
    else:
        decided = standing.rung == race.rungs[-1]
        study.tell(trial, standing.seconds.estimate if decided else standing.seconds.low)
