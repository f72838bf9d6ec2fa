"""Layouts as text: what command lines and cluster files say, and `str(layout)` writes.

basic
simple:SERVERS:UNIT                          simple:8:64KiB
varstrip:SERVER:SIZE;SERVER:SIZE...          varstrip:0:200KB;1:4MB
twod:SERVERS:UNIT:GROUPS:FACTOR              twod:12:64KiB:4:256
grouped:SERVERS:DOMAIN:FACTOR[:ALIGNMENT]    grouped:8:5MB:4:4KiB
hash:SERVERS:UNIT[:NAME]                     hash:8:64MiB:7
lustre:SERVERS:OPTIONS of lfs setstripe      lustre:8:-E 4M -c 1 -E 64M -c 4 -E -1 -c -1
"""

from __future__ import annotations

from collections.abc import Callable

from striate.errors import LayoutError
from striate.layout.columns import positive
from striate.layout.distributions.basic import Basic
from striate.layout.distributions.grouped_blocks import GroupedBlocks
from striate.layout.distributions.hash_stripe import HashStripe
from striate.layout.distributions.simple_stripe import SimpleStripe
from striate.layout.distributions.two_d_stripe import TwoDStripe
from striate.layout.distributions.varstrip import VarStrip
from striate.layout.layout import Layout
from striate.layout.lfs import from_setstripe
from striate.layout.sizes import read_bytes, read_count, shown

FORMS = {
    "basic": "basic",
    "simple": "simple:8:64KiB",
    "varstrip": "varstrip:0:200KB;1:4MB",
    "twod": "twod:12:64KiB:4:256",
    "grouped": "grouped:8:5MB:4:4KiB",
    "hash": "hash:8:64MiB:7",
    "lustre": "lustre:8:-E 4M -c 1 -E -1 -c -1",
}


def parse(text: str) -> Layout:
    """The layout that `text` names; refuses all else with what was found and what was wanted."""
    if not isinstance(text, str):
        raise LayoutError(f"expected a layout as text, got {type(text).__name__}")
    kind, colon, rest = text.strip().partition(":")
    if kind not in _READERS:
        known = ", ".join(f'"{form}"' for form in FORMS.values())
        raise LayoutError(f"expected a layout such as {known}, got {shown(text)}")
    try:
        return _READERS[kind](rest if colon else None)
    except LayoutError as error:
        raise LayoutError(f"{error.message} in layout {shown(text)}", at=error.at) from None


def _basic(rest: str | None) -> Layout:
    if rest is not None:
        raise LayoutError(f'expected "basic" without parameters, got {shown(rest)} after it')
    return Basic()


def _simple(rest: str | None) -> Layout:
    servers, unit = _fields(rest, "simple", (2,))
    return SimpleStripe(read_count(servers, "servers"), read_bytes(unit, "a striping unit"))


def _varstrip(rest: str | None) -> Layout:
    return VarStrip(rest or "")


def _twod(rest: str | None) -> Layout:
    servers, unit, groups, factor = _fields(rest, "twod", (4,))
    counts = [read_count(groups, "groups"), read_count(factor, "a group strip factor")]
    return TwoDStripe(read_count(servers, "servers"), read_bytes(unit, "a striping unit"), *counts)


def _grouped(rest: str | None) -> Layout:
    servers, domain, factor, *alignment = _fields(rest, "grouped", (3, 4))
    aligned = read_bytes(alignment[0], "an alignment") if alignment else 1
    domain_bytes = read_bytes(domain, "bytes in a domain")
    return GroupedBlocks(
        read_count(servers, "servers"), domain_bytes, read_count(factor, "a group factor"), aligned
    )


def _hash(rest: str | None) -> Layout:
    servers, unit, *name = _fields(rest, "hash", (2, 3))
    number = int(name[0]) if name and name[0].isdecimal() else 0
    if name and not name[0].isdecimal():
        raise LayoutError(f"expected a whole number as the name of the file, got {shown(name[0])}")
    return HashStripe(read_count(servers, "servers"), read_bytes(unit, "a striping unit"), number)


def _lustre(rest: str | None) -> Layout:
    servers, colon, options = (rest or "").partition(":")
    if not colon:
        raise LayoutError(
            f'expected a number of servers and options as in "{FORMS["lustre"]}", got {shown(servers)}'
        )
    return from_setstripe(options, servers=positive(read_count(servers, "servers"), "servers"))


def _fields(rest: str | None, kind: str, wanted: tuple[int, ...]) -> list[str]:
    fields = [] if rest is None else rest.split(":")
    if len(fields) not in wanted:
        expected = " or ".join(str(count) for count in wanted)
        raise LayoutError(
            f'expected {expected} fields after the name as in "{FORMS[kind]}", got {len(fields)}'
        )
    return fields


_READERS: dict[str, Callable[[str | None], Layout]] = {
    "basic": _basic,
    "simple": _simple,
    "varstrip": _varstrip,
    "twod": _twod,
    "grouped": _grouped,
    "hash": _hash,
    "lustre": _lustre,
}
