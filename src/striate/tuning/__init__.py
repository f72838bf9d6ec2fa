"""Tuning: knobs and their values, a search that drops only what is proved slower, advice, and what to write down."""

from striate.tuning.space import Candidate, Knob, Space
from striate.tuning.study import Outcome, Study
from striate.tuning.tune import tune

__all__ = ["Candidate", "Knob", "Outcome", "Space", "Study", "tune"]
