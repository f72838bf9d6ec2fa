"""Predictions: rungs from a sum per resource up to packets, each with a lower and an upper bound."""

from striate.ladder.forecast import Answer, Forecast
from striate.ladder.predict import predict
from striate.rungs.answer import RUNGS, Use

__all__ = ["RUNGS", "Answer", "Forecast", "Use", "predict"]
