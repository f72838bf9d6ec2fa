"""The runs of a validation: every application that has sizes, or those asked for."""

from __future__ import annotations

from collections.abc import Sequence

from striate.apps.app import Case
from striate.apps.registry import BUNDLED, find
from striate.errors import WorkloadError


def matrix(apps: Sequence[str] = (), *, quick: bool = False) -> tuple[Case, ...]:
    """The cases of `apps`, names or Python files (default: all bundled ones that have sizes); quick: a few."""
    found: list[Case] = []
    for source in apps or BUNDLED:
        app = find(source)
        if apps and not app.sizes:
            raise WorkloadError(
                f"the application {app.name} defines no `sizes`, the parameters of its runs", source=source
            )
        found += app.cases(source, quick=quick)
    return tuple(found)
