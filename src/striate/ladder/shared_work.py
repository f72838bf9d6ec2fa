"""Work that several rungs and tests need is done once; each rung's cost tells it as if the rung had done it alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import reduce
from operator import add

from striate.provenance import Cost, metered

PREPARED = "prepared"  # the piece that every rung needs: the program checked, the machine's costs read off


class SharedWork:
    """What each piece of shared work has cost, pieces that were made inside another one counted once."""

    def __init__(self) -> None:
        self._costs: dict[str, Cost] = {}

    @property
    def made(self) -> frozenset[str]:
        """The names of all pieces there are by now."""
        return frozenset(self._costs)

    @contextmanager
    def making(self, name: str) -> Iterator[None]:
        """Meter the block as the piece of this name."""
        before = self.made
        with metered() as meter:
            yield
        self._costs[name] = meter.cost.without(self.cost(self.made - before))

    def cost(self, names: Collection[str]) -> Cost:
        """Of the pieces of these names that have been made, together."""
        return reduce(add, (self._costs[name] for name in names if name in self._costs), Cost())
