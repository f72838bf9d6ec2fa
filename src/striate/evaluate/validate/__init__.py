"""Forecasts against real runs on this machine: small programs, measured, each forecast without its own time."""

from striate.evaluate.validate.cases import Case, matrix
from striate.evaluate.validate.outcome import Outcome, Study

__all__ = ["Case", "Outcome", "Study", "matrix"]
