"""Predictions: rungs from a sum per resource up to packets, each with a low and a high end."""

from striate.predict.forecast import Answer, Forecast, Use
from striate.predict.predict import RUNGS, predict
from striate.trace.timeline import Timeline

__all__ = ["RUNGS", "Answer", "Forecast", "Timeline", "Use", "predict"]
