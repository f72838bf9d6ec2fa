"""The views of a page, in the order they stand on it; each is a module with `view(runs)`, drawn by `web/views/`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from striate.show.page import View
from striate.show.run import Run

VIEWS = ("report", "timeline", "compare", "activity", "profile", "files", "load", "path", "cluster")


def views_of(runs: Sequence[Run]) -> list[View]:
    """All views that have something to show of these runs."""
    found = [import_module(f"striate.show.views.{name}").view(runs) for name in VIEWS]
    return [view for view in found if view is not None]
