"""What an access asks of each server: one request per server, its bytes as runs of that server's own file."""

from __future__ import annotations

from striate import _core
from striate._core import AccessPlan
from striate.errors import LayoutError
from striate.layout.extents import Extents
from striate.layout.layout import Layout
from striate.refusals import words


def plan_access(layout: Layout, extents: Extents) -> AccessPlan:
    """The requests for these bytes; refuses bytes that have no place within 63 bits."""
    try:
        return _core.access_plan(layout._native, extents.offsets, extents.sizes)
    except _core.RefusalError as error:
        raise LayoutError(
            f"the layout {layout} has no place for the access, expected positions up to 2^63 - 1: "
            f"{words(error.refusal)}"
        ) from None
