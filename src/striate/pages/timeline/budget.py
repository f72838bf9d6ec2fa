"""One budget for many: how many items, or bytes, each level of every run may have in a page.

Levels are bundled apart. Ranks are what people look for, so two thirds of the room are theirs if they want them; what
a level does not want is shared out among the others, in equal parts.
"""

from __future__ import annotations

from collections.abc import Sequence

RANKS_SHARE = 2 / 3  # of the room, that the ranks of all runs may claim
Levels = list[int]  # one number for the ranks and one for each level of resources


def fair(wanted: Sequence[int], room: int) -> list[int]:
    """Max-min fair shares of `room`: nobody gets more than wanted, nor less than an equal part where it is wanted."""
    found = [0] * len(wanted)
    left = max(room, 0)
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    for done, at in enumerate(order):
        found[at] = min(wanted[at], left // (len(wanted) - done))
        left -= found[at]
    return found


def shared_out(wanted: Sequence[Levels], room: int) -> list[Levels]:
    """Shares of `room` for the levels of every run, whose first level is its ranks."""
    ranks = [levels[0] for levels in wanted]
    others = [want for levels in wanted for want in levels[1:]]
    claim = max(int(room * RANKS_SHARE), room - sum(others))
    of_ranks = fair(ranks, min(claim, room))
    of_others = iter(fair(others, room - sum(of_ranks)))
    return [
        [own, *(next(of_others) for _ in levels[1:])] for own, levels in zip(of_ranks, wanted, strict=True)
    ]
