"""One HTML file that opens offline: plotly's bundled script, a drawing script of ours, and its data."""

from __future__ import annotations

from html import escape
from typing import Any

from striate.errors import OutputError
from striate.pages.bundle import read_web
from striate.pages.page import embedded, html_document


def plotly_page(title: str, *, heading: str, body: str, script: str, data: dict[str, Any]) -> str:
    """The page; `script` names a file under `web/`, which finds `data` in the element `data`.

    Title and heading are shown as text, and data cannot end its element. Raises OutputError without plotly.
    """
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="soft">{escape(heading)}</p>',
        body,
        f'<script id="data" type="application/json">{embedded(data)}</script>',
        f"<script>{_plotly_script()}</script>",
        f"<script>{read_web(script)}</script>",
    ]
    return html_document(title, read_web("plotly_page.css"), parts, allows=None)


def _plotly_script() -> str:
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise OutputError("drawing a page needs plotly: pip install 'striate[plot]'") from error
    return str(get_plotlyjs())
