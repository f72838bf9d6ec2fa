"""Finer parts of a timeline, on demand: what a served page asks for when it has zoomed in."""

from __future__ import annotations

import json
from collections.abc import Sequence

from striate.pages.columns import pack
from striate.pages.run import Run
from striate.pages.timeline.bars import TICK_SECONDS, bars_of
from striate.pages.timeline.bundles import bundled
from striate.pages.timeline.items import ROUGH, columns_of

MOST_ITEMS = 30_000


class Tiles:
    """The bars of all runs, kept ready."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._drawn = [bars for run in runs if (bars := bars_of(run)) is not None]

    def __len__(self) -> int:
        return len(self._drawn)

    def tile(self, number: int, first_seconds: float, last_seconds: float) -> bytes:
        """The items of a run between two moments: four bytes of length, a directory as JSON, deflated columns."""
        bars = self._drawn[number]
        first, last = (round(seconds / TICK_SECONDS) for seconds in (first_seconds, last_seconds))
        inside = bars.between(first, last)
        items = bundled(inside, most=MOST_ITEMS)
        directory, content = pack(columns_of(inside, items), (ROUGH,))
        head = json.dumps({"columns": directory, "whole": not (items.state < 0).any()}).encode()
        return len(head).to_bytes(4, "little") + head + content
