"""Words for what ranks wait for when nothing can go on."""

from __future__ import annotations

from collections.abc import Sequence

from striate.simulate.coordinator.ranks import RankState
from striate.simulate.wire import ANY, ANY_TAG

MOST_TOLD = 8


def message_words(call: str, peer: int, tag: int, *, sends: bool) -> str:
    """A send or a receive that is not over: "Recv from rank 3, tag 5"."""
    whom = "any rank" if peer == ANY else f"rank {peer}"
    which = "any tag" if tag == ANY_TAG else f"tag {tag}"
    return f"{call} {'to' if sends else 'from'} {whom}, {which}"


def ranks_words(ranks: Sequence[int]) -> str:
    """Ranks as ranges: "rank 3", "ranks 0 to 4, 7"."""
    runs: list[list[int]] = []
    for rank in sorted(ranks):
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    words = [f"{low}" if low == high else f"{low} to {high}" for low, high in runs[:MOST_TOLD]]
    if len(runs) > MOST_TOLD:
        words.append(f"and {sum(high - low + 1 for low, high in runs[MOST_TOLD:])} more")
    return ("rank " if len(ranks) == 1 else "ranks ") + ", ".join(words)


def deadlock_words(states: Sequence[RankState]) -> str:
    """One line: which ranks wait for what, and where in the program; equal waits are told once."""
    waits: dict[str, list[int]] = {}
    for state in states:
        if state.waiting is None:
            if state.fruitless:
                waits.setdefault(f"a test or probe that finds nothing ({state.place})", []).append(
                    state.number
                )
            continue
        open_ = [one.what for one in state.waiting.pending if one.done_at is None]
        what = " and ".join(dict.fromkeys(open_[:2])) + (
            f" and {len(open_) - 2} more" if len(open_) > 2 else ""
        )
        waits.setdefault(f"{what} ({state.place})", []).append(state.number)
    told = [
        f"{ranks_words(ranks)} wait{'s' if len(ranks) == 1 else ''} in {what}"
        for what, ranks in list(waits.items())[:MOST_TOLD]
    ]
    if len(waits) > MOST_TOLD:
        told.append(f"and {sum(map(len, list(waits.values())[MOST_TOLD:]))} more ranks wait")
    ended = [state.number for state in states if state.over]
    if ended:
        told.append(f"{ranks_words(ended)} {'has' if len(ended) == 1 else 'have'} ended")
    return "the program does not end: " + "; ".join(told)
