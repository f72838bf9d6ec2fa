"""What an access asks of each server: one request per server, its bytes as runs of that server's own file."""

from __future__ import annotations

from dataclasses import dataclass

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Int64
from striate.layout.extents import Extents
from striate.layout.layout import Layout
from striate.refusals import words


@dataclass(frozen=True, eq=False)
class AccessPlan:
    """Request i goes to `server[i]`, in order of the servers; its runs are `first_run[i]` to `first_run[i + 1]`.

    Runs keep the order of the access; those that are neighbours on their server are one. `offset` is where the
    first byte of a run lies in the file accessed.
    """

    server: Int64
    request_bytes: Int64
    first_run: Int64
    physical: Int64
    size: Int64
    offset: Int64


def plan_access(layout: Layout, extents: Extents) -> AccessPlan:
    """The requests for these bytes; refuses bytes that have no place within 63 bits."""
    try:
        return AccessPlan(**_core.access_plan(layout._native, extents.offsets, extents.sizes))
    except _core.RefusalError as error:
        raise LayoutError(
            f"expected places up to 2^63 - 1, got {words(error.refusal)}, with layout {layout}"
        ) from None
