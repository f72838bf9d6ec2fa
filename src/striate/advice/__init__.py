"""Advice on a traced program: what to change, what that would bring, and how to see whether it did."""

from striate.advice.advise import Advice, advise
from striate.advice.item import Evidence, Item
from striate.tuning.change import Change

__all__ = ["Advice", "Change", "Evidence", "Item", "advise"]
