"""The views of a page, in the order they stand on it; each is a module with `view(runs)`, drawn by `web/views/`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from striate.pages.page import View
from striate.pages.run import Run

VIEWS = ("report", "timeline", "compare", "activity", "profile", "files", "load", "path", "tuning", "cluster")

TIMELINE = "timeline"  # takes the room that the others leave
PAGE_BYTES = (
    2_000_000  # of columns, deflated: base64 makes a third more of it, and a page is to stay below 3 MB
)


def views_of(runs: Sequence[Run]) -> list[View]:
    """All views that have something to show of these runs."""
    found = {
        name: import_module(f"striate.pages.views.{name}").view(runs) for name in VIEWS if name != TIMELINE
    }
    spent = sum(len(view.packed[1]) for view in found.values() if view is not None)
    found[TIMELINE] = import_module(f"striate.pages.views.{TIMELINE}").view(runs, room=PAGE_BYTES - spent)
    return [view for name in VIEWS if (view := found[name]) is not None]
