"""Forecasts against real runs on this machine: small programs, measured, each forecast without its own time."""

from striate.apps.app import Case
from striate.evaluate.validate.cases import matrix
from striate.evaluate.validate.outcome import CaseOutcome, Validation

__all__ = ["Case", "CaseOutcome", "Validation", "matrix"]
