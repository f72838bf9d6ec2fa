"""A page for runs too large for one: served to this machine alone, to whoever has the address with its token."""

from __future__ import annotations

import hmac
import math
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from striate.pages.timeline.tiles import Tiles

_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the address holds the token
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class PageServer(ThreadingHTTPServer):
    """Answers on 127.0.0.1: `/TOKEN/` with the page, `/TOKEN/tile?run=0&from=1.5&to=2` with a finer part."""

    daemon_threads = True
    request_queue_size = 128  # a browser opens several connections, and comes again when one is refused

    def __init__(self, page: str, tiles: Tiles, *, port: int = 0) -> None:
        self.page = page.encode()
        self.tiles = tiles
        self.token = secrets.token_urlsafe(24)
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that left is not worth a word."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    timeout = 30
    server_version = "striate"
    sys_version = ""

    def do_GET(self) -> None:
        try:
            self._get()
        except ValueError:  # an address that is none, or a query of too many fields
            self._refuse(HTTPStatus.BAD_REQUEST)

    def _get(self) -> None:
        if not self._is_ours():
            self._refuse(HTTPStatus.FORBIDDEN)
            return
        parts = urlsplit(self.path)
        token, _, name = parts.path.lstrip("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._refuse(HTTPStatus.FORBIDDEN)
        elif name == "":
            self._answer(self.server.page, "text/html; charset=utf-8")
        elif name == "tile" and (tile := self._tile(parts.query)) is not None:
            self._answer(tile, "application/octet-stream")
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _is_ours(self) -> bool:
        """Whether the request names this server: another name that leads here (DNS rebinding) is refused."""
        port = self.server.server_port
        hosts = self.headers.get_all("Host") or []
        origin = self.headers.get("Origin")
        own = (f"127.0.0.1:{port}", f"localhost:{port}")
        return len(hosts) == 1 and hosts[0] in own and origin in (None, *(f"http://{host}" for host in own))

    def _tile(self, query: str) -> bytes | None:
        asked = parse_qs(query, max_num_fields=8)
        try:
            number = int(asked["run"][0])
            first, last = float(asked["from"][0]), float(asked["to"][0])
        except (KeyError, ValueError):
            return None
        sound = all(math.isfinite(value) and abs(value) < 1e9 for value in (first, last)) and first <= last
        return (
            self.server.tiles.tile(number, first, last)
            if sound and 0 <= number < len(self.server.tiles)
            else None
        )

    def _answer(self, content: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, status: HTTPStatus) -> None:
        self._answer(f"{status.value} {status.phrase}\n".encode(), "text/plain; charset=utf-8", status)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet: the address holds the token, and logs are kept."""
