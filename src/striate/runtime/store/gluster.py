"""GlusterFS keeps a file on the brick that a hash of its name gives: which brick, and names that go where they shall.

The elastic hash of GlusterFS (`gf_dm_hashfn`, Davies-Meyer with rounds of TEA) maps a name to 32 bits; each directory
divides them into one range per brick. Left to chance, four sub-files on four bricks leave one of them idle and give
another two; chosen, each server's sub-file lies on a brick of its own host.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_WORD = 2**32 - 1
_DELTA = 0x9E3779B9
_PARTIAL, _FULL = 6, 10  # rounds
_LAYOUT = re.compile(r"\((\S+) (\d+) (\d+)\)")
_MOST_ATTEMPTS = 16_384


@dataclass(frozen=True)
class Brick:
    """A brick takes new files of a directory whose names have hashes from `first` to `last`."""

    first: int
    last: int
    host: str


def name_hash(name: str) -> int:
    """The hash by which GlusterFS chooses the brick of a name."""
    content = name.encode()
    size, tail = len(content), len(content) % 4
    words = list(struct.unpack(f"<{size // 4}I", content[: size - tail]))
    pad = (size | size << 8) & 0xFFFF
    pad |= pad << 16
    last = pad
    for byte in content[size - tail :]:
        last = (last << 8 | byte) & _WORD
    state = (0x9464A485, 0x542E1A94)
    whole = size // 16 * 4
    for first in range(0, whole, 4):
        state = _mixed(state, words[first : first + 4], _PARTIAL)
    state = _mixed(state, [*words[whole:], last, pad, pad, pad][:4], _FULL)
    return state[0] ^ state[1]


def _mixed(state: tuple[int, int], key: Sequence[int], rounds: int) -> tuple[int, int]:
    left, right, total = *state, 0
    for _ in range(rounds):
        total = (total + _DELTA) & _WORD
        left += ((right << 4) + key[0] & _WORD) ^ (right + total & _WORD) ^ ((right >> 5) + key[1] & _WORD)
        left &= _WORD
        right += ((left << 4) + key[2] & _WORD) ^ (left + total & _WORD) ^ ((left >> 5) + key[3] & _WORD)
        right &= _WORD
    return (state[0] + left) & _WORD, (state[1] + right) & _WORD


def bricks_of(folder: Path) -> list[Brick]:
    """The bricks that take new files of a directory; none where that is not GlusterFS, or it does not tell."""
    try:
        told = os.getxattr(folder, "glusterfs.pathinfo").decode()
        root = _mount_point(folder)
        ranges = _LAYOUT.findall(told.partition("-layout ")[2])
        return [Brick(int(first), int(last), _host(root, name)) for name, first, last in ranges]
    except (OSError, UnicodeDecodeError):
        return []


@lru_cache
def _host(root: Path, translator: str) -> str:
    """The host of a brick, or of the first of its copies, without its domain: as the client's own graph has it."""
    here = root / ".meta" / "graphs" / "active" / translator
    option = here / "options" / "remote-host"
    if not option.exists():
        inner = sorted((here / "subvolumes").iterdir())
        return _host(root, os.path.basename(inner[0].readlink()))  # noqa: PTH119 - a name, not a path of ours
    return option.read_text().strip().partition(".")[0]


def _mount_point(folder: Path) -> Path:
    """The root of the file system that holds a directory."""
    here = folder.absolute()
    return next(path for path in (here, *here.parents) if path.is_mount())


def homes(bricks: Sequence[Brick], hosts: Sequence[str]) -> list[Brick]:
    """The brick of each server, of which `hosts` are given: of its own host where there is one, else the least used."""
    used = dict.fromkeys(range(len(bricks)), 0)
    chosen: dict[int, int] = {}
    near = {
        server: [at for at, one in enumerate(bricks) if one.host == host] for server, host in enumerate(hosts)
    }
    for server in sorted(
        near, key=lambda server: not near[server]
    ):  # those with a brick of their own come first
        chosen[server] = min(near[server] or used, key=lambda at: used[at])
        used[chosen[server]] += 1
    return [bricks[chosen[server]] for server in range(len(hosts))]


def attempt_at(brick: Brick, name_of: Callable[[int], str]) -> int:
    """The first attempt whose name goes to a brick; 0 when that takes too many."""
    found = (at for at in range(_MOST_ATTEMPTS) if brick.first <= name_hash(name_of(at)) <= brick.last)
    return next(found, 0)
