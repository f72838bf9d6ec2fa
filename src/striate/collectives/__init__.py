"""Collective operations as schedules made in Python: who sends what to whom, in which steps.

>>> from striate.collectives import plan
>>> schedule = plan("bcast", 16, 10240)  # the default for this size and group
>>> schedule = plan("bcast", 16, 10240, name="pipelined", root=3)
"""

from striate.collectives.deliver import deliver
from striate.collectives.draft import ScheduleDraft, join, recv, send
from striate.collectives.registry import ALGORITHMS, VIRTUAL, choose, plan, tally
from striate.collectives.schedule import RECV, SEND, CollectiveSchedule, ScheduleError

__all__ = [
    "ALGORITHMS",
    "RECV",
    "SEND",
    "VIRTUAL",
    "CollectiveSchedule",
    "ScheduleDraft",
    "ScheduleError",
    "choose",
    "deliver",
    "join",
    "plan",
    "recv",
    "send",
    "tally",
]
