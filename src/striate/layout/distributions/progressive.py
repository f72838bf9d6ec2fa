"""Progressive layouts: components one after the other, each striped in its own way (Lustre's composite files)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from striate import _core
from striate.errors import LayoutError
from striate.layout.columns import Int64, Whole, positive, whole_numbers
from striate.layout.layout import Layout
from striate.layout.sizes import format_bytes
from striate.units import LARGEST, counted, format_size

MOST_SERVERS = 2**16  # an OST's index in Lustre has 16 bits
MOST_OBJECTS = 2000  # of one component: LOV_MAX_STRIPE_COUNT of Lustre


@dataclass(frozen=True, slots=True)
class LayoutComponent:
    """The bytes up to `end`: strips of `unit` bytes, round-robin over objects on `targets`, one server per object.

    Strips are counted from the beginning of the file. A server that occurs several times is overstriped.
    """

    end: int  # 2^63 - 1 for the last one, which has no end
    unit: int
    targets: tuple[int, ...]


@dataclass(frozen=True)
class Progressive(Layout):
    """Components that grow with the file, over `servers` servers; `lfs setstripe -E 4M -c 1 -E -1 -c -1`."""

    servers: int
    components: tuple[LayoutComponent, ...]

    def __init__(self, servers: int, components: Sequence[LayoutComponent]) -> None:
        object.__setattr__(self, "servers", positive(servers, "servers"))
        object.__setattr__(self, "components", tuple(components))
        if self.servers > MOST_SERVERS:
            raise LayoutError(f"expected at most {MOST_SERVERS} servers, got {self.servers}")
        if not self.components:
            raise LayoutError("expected a layout of at least one component, got none")
        before = 0
        for number, one in enumerate(self.components):
            _refuse_component(one, self.servers, before, at=f"component {number}")
            before = one.end
        if before != LARGEST:
            raise LayoutError(
                "expected the last component to end with -1 (the end of the file), "
                f"got a hole after {format_bytes(before)}",
                at=f"component {len(self.components) - 1}",
            )

    @cached_property
    def _native(self) -> Any:
        columns = (
            [one.end for one in self.components],
            [len(one.targets) for one in self.components],
            [one.unit for one in self.components],
            [server for one in self.components for server in one.targets],
        )
        return _core.Progressive(self.servers, *(np.array(column, np.int64) for column in columns))

    def objects(self, offsets: Whole) -> tuple[Int64, Int64, Int64]:
        """LayoutComponent, object of the component, and position in the object of each byte, as Lustre keeps them."""
        wanted = whole_numbers(offsets, "offsets")
        self.locate(wanted)  # refuses what is below zero
        ends = np.array([one.end for one in self.components[:-1]], np.int64)
        component = np.searchsorted(ends, wanted, side="right")
        unit = np.array([one.unit for one in self.components], np.int64)[component]
        count = np.array([len(one.targets) for one in self.components], np.int64)[component]
        strip = wanted // unit
        return (
            component.astype(np.int64)[()],
            (strip % count)[()],
            (strip // count * unit + wanted % unit)[()],
        )

    def describe(self) -> str:
        parts = []
        for one in self.components:
            until = "the rest" if one.end == LARGEST else f"up to {format_size(one.end)}"
            objects = counted(len(one.targets), "object")
            parts.append(f"{until}: {format_size(one.unit)} strips on {objects}")
        return f"Components on {counted(self.servers, 'server')}; " + "; ".join(parts)

    def options(self) -> str:
        """The options of `lfs setstripe` that make it; an overstriped component has -C, named servers -o."""
        words = []
        for one in self.components:
            if len(self.components) > 1:
                words.append("-E -1" if one.end == LARGEST else f"-E {_lfs_bytes(one.end)}")
            words.append(f"-S {_lfs_bytes(one.unit)} {_objects(one, self.servers)}")
        return " ".join(words)

    def __str__(self) -> str:
        return f"lustre:{self.servers}:{self.options()}"


def _objects(component: LayoutComponent, servers: int) -> str:
    targets = component.targets
    in_turn = tuple((targets[0] + step) % servers for step in range(len(targets)))
    if targets != in_turn:
        return "-o " + ",".join(map(str, targets))
    return f"{'-C' if len(targets) > servers else '-c'} {len(targets)} -i {targets[0]}"


def _lfs_bytes(size: int) -> str:
    """As `lfs` reads it: a number, or K, M, G of 1024."""
    for letter, scale in (("G", 2**30), ("M", 2**20), ("K", 2**10)):
        if size % scale == 0:
            return f"{size // scale}{letter}"
    return str(size)


def _refuse_component(one: LayoutComponent, servers: int, before: int, *, at: str) -> None:
    positive(one.unit, "a stripe size")
    if one.end <= before:
        wanted = (
            f"expected an end after that of the previous component, {format_bytes(before) if before else '0'}"
        )
        raise LayoutError(f"{wanted}, got {format_bytes(one.end)}", at=at)
    if one.end != LARGEST and one.end % one.unit:
        raise LayoutError(
            f"expected a component end that is a multiple of the stripe size {format_bytes(one.unit)}, "
            f"got {format_bytes(one.end)}",
            at=at,
        )
    if not 1 <= len(one.targets) <= MOST_OBJECTS:
        raise LayoutError(
            f"expected 1 to {MOST_OBJECTS} objects (stripes) in a component, got {len(one.targets)}", at=at
        )
    wrong = [server for server in one.targets if not 0 <= server < servers]
    if wrong:
        raise LayoutError(f"expected a server from 0 to {servers - 1}, got {wrong[0]}", at=at)
