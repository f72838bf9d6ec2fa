"""The text of variable strips, "SERVER:SIZE;SERVER:SIZE...": PVFS2's syntax, read more strictly.

OrangeFS's own reader takes "0:10;;1:20" for two strips of server 0, "0:10x" for 10 bytes, "0:1.5K" for 1024,
"-1:5" for server 4294967295, and a size of twenty nines for 2^63 - 1. All of these are refused here.
"""

from __future__ import annotations

from typing import NamedTuple

from striate.errors import LayoutError
from striate.layout.sizes import read_bytes, read_count, shown


class Strip(NamedTuple):
    """`size` bytes of every round, on `server`."""

    server: int
    size: int


def parse_strips(text: str) -> list[Strip]:
    """The strips in order. A bare K, M or G is 1024, 1024^2, 1024^3; spaces and one last ";" do no harm."""
    pieces = text.split(";")
    if len(pieces) > 1 and not pieces[-1].strip():
        pieces.pop()
    return [_parse_strip(number, piece) for number, piece in enumerate(pieces)]


def _parse_strip(number: int, text: str) -> Strip:
    server, colon, size = text.partition(":")
    where = f"strip {number}"
    if not colon:
        raise LayoutError(f'expected a strip (server:bytes) such as "0:200KB", got {shown(text)}', at=where)
    try:
        return Strip(read_count(server, "a server number"), read_bytes(size, "a strip size"))
    except LayoutError as error:
        raise LayoutError(error.message, at=where) from None
