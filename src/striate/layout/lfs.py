"""Lustre's own words for layouts: the options of `lfs setstripe` and what `lfs getstripe` prints, text or YAML."""

from __future__ import annotations

import re
import shlex

from striate.errors import LayoutError
from striate.layout.distributions.progressive import MOST_OBJECTS, LayoutComponent, Progressive
from striate.layout.sizes import read_bytes, read_count, shown
from striate.shell import path_word
from striate.units import LARGEST

DEFAULT_UNIT = 2**20  # Lustre's, where neither the command nor the directory says
LONG = {
    "--component-end": "-E",
    "--stripe-count": "-c",
    "--overstripe-count": "-C",
    "--stripe-size": "-S",
    "--stripe-index": "-i",
    "--stripe-offset": "-i",
    "--ost": "-o",
    "--ost-list": "-o",
}
REFUSED = {
    "-L": "a layout type such as Data-on-MDT",
    "--layout": "a layout type such as Data-on-MDT",
    "-N": "mirrors",
    "--mirror-count": "mirrors",
    "-z": "self-extending layouts",
    "--extension-size": "self-extending layouts",
    "-p": "pools",
    "--pool": "pools",
    "-y": "a YAML template; give the file to `striate layout lustre`",
    "--yaml": "a YAML template; give the file to `striate layout lustre`",
}


def from_setstripe(text: str, *, servers: int) -> Progressive:
    """The layout that `lfs setstripe OPTIONS [FILE]` makes on a file system of `servers` targets.

    A component takes the size and count that it does not say from the one before; the first one has Lustre's defaults,
    one stripe of 1 MiB. Without -i the targets follow those of the component before, as the round-robin allocator
    deals them. Raises LayoutError by the option's name.
    """
    groups = _grouped(_pairs(text))
    components: list[LayoutComponent] = []
    said: dict[str, str] = {}
    following = 0
    for number, group in enumerate(groups):
        at = f"component {number}"
        own = dict(group)
        if {"-c", "-C", "-o"} & own.keys():
            said = {key: value for key, value in said.items() if key not in ("-c", "-C", "-o")}
        said = {**{key: value for key, value in said.items() if key not in ("-i", "-o")}, **own}
        targets = _targets(said, servers, following, at)
        following = (targets[-1] + 1) % servers
        components.append(LayoutComponent(_end(own, at), _unit(said, at), targets))
    return Progressive(servers, components)


def from_getstripe(text: str, *, servers: int) -> Progressive:
    """The layout of the file that `lfs getstripe FILE` (or `-y`) describes; one line per key, composite or plain."""
    parts: list[dict[str, str]] = []
    targets: list[list[int]] = []
    for line in text.splitlines():
        found = re.fullmatch(r"\s*([a-z_]+(?:\.[a-z_]+)?):\s+(\S+)\s*", line)
        key, value = (found[1], found[2]) if found else ("", "")
        if key == "lcme_id" or (key == "lmm_stripe_count" and (not parts or key in parts[-1])):
            parts.append({})
            targets.append([])
        if key and parts:
            parts[-1].setdefault(key, value)
        target = re.search(r"l_ost_idx:\s*(\d+)", line) or re.fullmatch(
            r"\s+(\d+)\s+\d+\s+0x[0-9a-f]+\s+(?:0x[0-9a-f]+|\d+)\s*", line
        )
        if target and targets:
            targets[-1].append(int(target[1]))
    if not any("lmm_stripe_count" in part for part in parts):
        raise LayoutError("expected the output of `lfs getstripe`, found text without lmm_stripe_count")
    following, components, begin = 0, [], 0
    for number, (part, known) in enumerate(zip(parts, targets, strict=True)):
        at = f"component {number}"
        _refuse_part(part, begin, at)
        objects = tuple(known) or _targets({"-c": part["lmm_stripe_count"]}, servers, following, at)
        following = (objects[-1] + 1) % servers
        begin = _bytes_or_end(part.get("lcme_extent.e_end", "EOF"), at)
        components.append(
            LayoutComponent(begin, read_bytes(part["lmm_stripe_size"], "a stripe size"), objects)
        )
    return Progressive(servers, components)


def setstripe_command(layout: Progressive, place: str) -> str:
    """The command that makes `layout` the one of new files in `place`; which targets are taken is left to Lustre."""
    options = re.sub(r" -i \d+", "", layout.options())
    return f"lfs setstripe {options} {path_word(place, otherwise='.')}"


def _refuse_part(part: dict[str, str], begin: int, at: str) -> None:
    missing = {"lmm_stripe_count", "lmm_stripe_size"} - part.keys()
    if missing:
        raise LayoutError(
            f"expected the field {min(missing)} in the output of `lfs getstripe`, found none", at=at
        )
    if part.get("lmm_pattern", "raid0") not in ("raid0", "raid0,overstriped", "1", "201"):
        raise LayoutError(
            f"expected lmm_pattern raid0 or raid0,overstriped, got {shown(part['lmm_pattern'])}", at=at
        )
    start = part.get("lcme_extent.e_start", "0")
    if start != str(begin):
        what = "a hole or an overlap" if start.isdigit() else "no number"
        raise LayoutError(f"expected lcme_extent.e_start {begin}, got {shown(start)}: {what}", at=at)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Options and their values; the command's name and the file are dropped."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise LayoutError(
            f"expected options of `lfs setstripe`, found a mistake in the text: {error}"
        ) from None
    words = words[2:] if words[:2] == ["lfs", "setstripe"] else words
    pairs = []
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
        if not word.startswith("-"):
            if words:
                raise LayoutError(f"expected an option of `lfs setstripe`, got {shown(word)}")
            break
        if name in REFUSED:
            raise LayoutError(f"{name} is not supported: {REFUSED[name]}")
        name = LONG.get(name, name)
        if name not in LONG.values():
            raise LayoutError(
                f"unknown option {shown(word)} of `lfs setstripe`; known options are {' '.join(_KNOWN)}"
            )
        if not value:
            if equals or not words:
                raise LayoutError(f"expected a value after {name}")
            value = words.pop(0)
        pairs.append((name, value))
    return pairs


_KNOWN = tuple(dict.fromkeys(LONG.values()))


def _grouped(pairs: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The options of each component; -E begins one."""
    groups: list[list[tuple[str, str]]] = []
    for name, value in pairs:
        if not groups or name == "-E":
            if groups and groups[0][0][0] != "-E":
                raise LayoutError(
                    "expected -E before all other options of a component, got another option first",
                    at="component 0",
                )
            groups.append([])
        groups[-1].append((name, value))
    return groups or [[]]


def _end(own: dict[str, str], at: str) -> int:
    return _bytes_or_end(own["-E"], at) if "-E" in own else LARGEST


def _bytes_or_end(text: str, at: str) -> int:
    if text.lower() in ("-1", "eof"):
        return LARGEST
    try:
        return read_bytes(text, "the end of a component")
    except LayoutError as error:
        raise LayoutError(error.message, at=at) from None


def _unit(said: dict[str, str], at: str) -> int:
    if said.get("-S", "0") == "0":
        return DEFAULT_UNIT
    try:
        unit = read_bytes(said["-S"], "a stripe size")
    except LayoutError as error:
        raise LayoutError(error.message, at=at) from None
    if unit % 65536:
        raise LayoutError(
            f"expected a stripe size that is a multiple of 64 KiB, got {shown(said['-S'])}", at=at
        )
    return unit


def _targets(said: dict[str, str], servers: int, following: int, at: str) -> tuple[int, ...]:
    """The server of every object."""
    if "-o" in said:
        return tuple(target for part in said["-o"].split(",") for target in _target_range(part, at))
    count = _count(said, servers, at)
    index = said.get("-i", "-1")
    first = following if index == "-1" else read_count(index, "a target's index")
    if first >= servers:
        raise LayoutError(
            f"expected the index of a storage target from 0 to {servers - 1}, got {first}", at=at
        )
    return tuple((first + step) % servers for step in range(count))


def _target_range(text: str, at: str) -> range:
    found = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", text, re.ASCII)
    if found is None or int(found[2] or found[1]) < int(found[1]):
        raise LayoutError(f"expected indices of storage targets such as 0-3,7, got {shown(text)}", at=at)
    return range(int(found[1]), int(found[2] or found[1]) + 1)


def _count(said: dict[str, str], servers: int, at: str) -> int:
    """How many objects: -c up to one per server (0: the default, -1: all), -C as many as wanted (-N: N per server)."""
    over = "-C" in said
    text = said.get("-C", said.get("-c", "1"))
    if re.fullmatch(r"-?\d{1,5}", text) is None:
        raise LayoutError(f"expected a number of stripes, got {shown(text)}", at=at)
    count = int(text)
    if count < 0:
        if count < -1 and not over:
            raise LayoutError(
                f"expected a number of stripes, or -1 for all targets, got {shown(text)}", at=at
            )
        return min(-count * servers, MOST_OBJECTS)
    if count > (MOST_OBJECTS if over else servers):
        most = f"{MOST_OBJECTS}" if over else f"{servers}, one per target (-C allows more)"
        raise LayoutError(f"expected a number of stripes of at most {most}, got {count}", at=at)
    return count or 1
