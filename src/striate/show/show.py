"""`show`: runs in, one page out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from striate.show.names import shown_name
from striate.show.page import page
from striate.show.run import Run, Shown, runs_of
from striate.show.views import views_of


def show(*items: Shown | Run | str | Path, to: str | Path | None = None, title: str | None = None) -> str:
    """One self-contained HTML document of traces, timelines and forecasts (or files of them).

    With `to` it is also written there, whole or not at all.
    """
    runs = runs_of(items)
    text = page(title or _title(runs), views_of(runs), shared=_shared(runs))
    if to is not None:
        _write(Path(to), text)
    return text


def _title(runs: list[Run]) -> str:
    return " and ".join(shown_name(run.name, 80) for run in runs[:3]) + (" ..." if len(runs) > 3 else "")


def _shared(runs: list[Run]) -> dict[str, Any]:
    return {"runs": [run.described() for run in runs]}


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
