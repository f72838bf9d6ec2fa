"""`show`: runs in, one page out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from striate.pages.names import shown_name
from striate.pages.page import page
from striate.pages.run import SIMULATED_NAME, Run, Shown, runs_of
from striate.pages.serve import PageServer
from striate.pages.timeline.tiles import MOST_ITEMS, Tiles
from striate.pages.views import views_of
from striate.whole_file import whole_file


def show(*items: Shown | Run | str | Path, to: str | Path | None = None, title: str | None = None) -> str:
    """One self-contained HTML document of traces, timelines, forecasts, clusters and advice (or files of them).

    With `to` it is also written there, whole or not at all.
    """
    runs = runs_of(items)
    text = page(title or _title(runs), views_of(runs), shared=_shared(runs))
    if to is not None:
        with whole_file(Path(to)) as place:
            place.write_text(text, encoding="utf-8")
    return text


def serve(*items: Shown | Run | str | Path, title: str | None = None, port: int = 0) -> PageServer:
    """A server on 127.0.0.1 for a page that fetches finer parts as it zooms; `serve_forever()` runs it."""
    runs = runs_of(items)
    shared = _shared(runs) | {"tiles": MOST_ITEMS}
    text = page(title or _title(runs), views_of(runs), shared=shared, served=True)
    return PageServer(text, Tiles(runs), port=port)


def _title(runs: list[Run]) -> str:
    names = [
        shown_name(run.name, 80)
        for run in runs
        if not run.name.endswith(SIMULATED_NAME) and run.advice is None
    ]
    return " and ".join(names[:3]) + (" ..." if len(names) > 3 else "")


def _shared(runs: list[Run]) -> dict[str, Any]:
    return {"runs": [run.described() for run in runs]}
