"""One HTML file that opens offline, made of views.

A *view* has two halves of one name. `pages/views/NAME.py` turns runs into a small dict and binary columns: its function
`view(runs)` returns a `View`, or None when it has nothing to show. `pages/web/views/NAME.js` draws it: its function
`render(container, data, page)` fills an element; the columns are in `data.columns` as typed arrays, and `page` is what
all views share: the runs, the part of time looked at, the selection, the theme, the address (`web/lib/state.js`).

Names come from traces and are hostile until proved otherwise: they travel as JSON and reach the document as text nodes
only. The page's policy allows no network and no script but its own, by hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from striate.pages.bundle import bundle, read_web
from striate.pages.columns import Columns, as_text, pack


@dataclass(frozen=True, eq=False)
class View:
    """One section of a page; `name` is that of its module under `views/`."""

    name: str
    title: str
    data: dict[str, Any]
    columns: Columns = field(default_factory=dict)
    rough: frozenset[str] = frozenset()  # columns, not negative, of which 1 % is enough

    @cached_property
    def packed(self) -> tuple[list[dict[str, Any]], bytes]:
        """The columns as the page holds them: a directory, and bytes."""
        return pack(self.columns, self.rough)


def page(title: str, views: Sequence[View], *, shared: dict[str, Any], served: bool = False) -> str:
    """The document; `shared` is what all views see, `served` lets it ask the server it came from for more."""
    style, script = read_web("page.css"), _script(views)
    allows = [
        f"script-src '{_hash(script)}'",
        "img-src data: blob:",
        "connect-src 'self'" if served else "connect-src 'none'",
    ]
    payloads, described = [], []
    for number, view in enumerate(views):
        directory, content = view.packed
        described.append({"name": view.name, "title": view.title, "data": view.data, "columns": directory})
        payloads.append(f'<script id="columns-{number}" type="text/plain">{as_text(content)}</script>')
    document = {"title": title, "shared": shared, "views": described}
    body = [
        '<div id="page"></div>',
        "<noscript><p>This page needs JavaScript, which is switched off.</p></noscript>",
        f'<script id="document" type="application/json">{embedded(document)}</script>',
        *payloads,
        f'<script type="module">{script}</script>',
    ]
    return html_document(title, style, body, allows=allows)


def html_document(title: str, style: str, body: Sequence[str], *, allows: Sequence[str] | None = ()) -> str:
    """A document that opens offline; its content security policy lets in its style and what `allows` says.

    None: without a policy, for scripts that make styles of their own.
    """
    rules = [
        "default-src 'none'",
        *(allows or ()),
        f"style-src '{_hash(style)}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    policy = f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'
    head = (
        f'<meta charset="utf-8">{policy if allows is not None else ""}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{style}</style>"
    )
    joined = "\n".join(body)
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>\n{joined}\n</body>\n</html>\n'


def embedded(data: dict[str, Any]) -> str:
    """JSON in which no text can close the script element that holds it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script(views: Sequence[View]) -> str:
    names = sorted({view.name for view in views})
    renders = ", ".join(f'"{name}": modules["views/{name}.js"].render' for name in names)
    modules = bundle(["page.js", *(f"views/{name}.js" for name in names)])
    return f'"use strict";\n{modules}\nmodules["page.js"].start({{{renders}}});\n'


def _hash(text: str) -> str:
    """The source expression of a content security policy for an inline element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
