"""Advice on a traced program: what to change, what that would bring, and how to see whether it did."""

from striate.tune.advice.advise import Advice, advise
from striate.tune.advice.item import Change, Evidence, Item

__all__ = ["Advice", "Change", "Evidence", "Item", "advise"]
