"""Sizes inside layout texts: K, M and G are PVFS2's (1024), KB and KiB everybody's."""

from __future__ import annotations

import re

from striate.errors import LayoutError
from striate.units import LARGEST, format_size

_PVFS2 = {"k": 1024, "m": 1024**2, "g": 1024**3}
_DECIMAL = {"kB": 1000, "KB": 1000, "MB": 1000**2, "GB": 1000**3, "TB": 1000**4, "PB": 1000**5, "EB": 1000**6}
_BINARY = {"KiB": 1024, "MiB": 1024**2, "GiB": 1024**3, "TiB": 1024**4, "PiB": 1024**5, "EiB": 1024**6}
_SCALES = (
    {"": 1, "B": 1} | _PVFS2 | {name.upper(): scale for name, scale in _PVFS2.items()} | _DECIMAL | _BINARY
)
_TEXT = re.compile(r"([0-9]{1,40})\s*([A-Za-z]{0,3})", re.ASCII)


def read_bytes(text: str, what: str) -> int:
    """A whole number of bytes such as "64KiB", "200 KB" or "4M"; refuses fractions, signs and zero."""
    match = _TEXT.fullmatch(text.strip())
    if match is None or match[2] not in _SCALES:
        raise LayoutError(f'expected {what} such as "64KiB" or "200KB", got {shown(text)}')
    size = int(match[1]) * _SCALES[match[2]]
    if not 1 <= size <= LARGEST:
        raise LayoutError(f"expected {what} from 1 to 2^63 - 1 bytes, got {shown(text)}")
    return size


def read_count(text: str, what: str) -> int:
    """A whole number in digits, such as "8"; refuses all else."""
    if re.fullmatch(r"[0-9]{1,19}", text.strip(), re.ASCII) is None:
        raise LayoutError(f"expected {what}, a whole number, got {shown(text)}")
    return int(text)


def format_bytes(size: int) -> str:
    """The shortest exact form without spaces: `read_bytes(format_bytes(n), ...) == n` for every n from 1."""
    return format_size(size).replace(" ", "")


def shown(text: str) -> str:
    """The text as an error quotes it: escaped, and cut when long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")
