"""All kernels by name, and how a line of text asks for one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from striate import units
from striate.apps import jacobi
from striate.apps.kernels import access, collectives, messages
from striate.errors import UnitError, WorkloadError
from striate.workload import Workload
from striate.workload.operations import Operation

Kernel = Callable[..., Iterator[Operation]]

KERNELS: dict[str, Kernel] = {
    "pingpong": messages.ping_pong,
    "sendrecv": messages.exchange,
    "ring": messages.ring,
    "paired": messages.paired,
    "sendtoroot": messages.send_to_root,
    "sendrecvroot": messages.sendrecv_root,
    "incast": messages.incast,
    **{kind.label: collectives.collective(kind) for kind in collectives.KINDS},
    **{f"io-level-{level}": access.access(level) for level in range(4)},
}
WORKLOADS: dict[str, Callable[..., Workload]] = {"jacobi": jacobi.workload}
_RANKS = 8
_TWO = frozenset(("pingpong", "sendrecv"))
_WORDS = {"mode": ("read", "write")}


def workload(name: str, *, ranks: int | None = None, **options: Any) -> Workload:
    """The kernel `name` on `ranks` ranks (2 for what two ranks do, else 8); refuses options it does not have."""
    size = ranks or (2 if name in _TWO else _RANKS)
    if name in WORKLOADS:
        return WORKLOADS[name](size, **_values(name, WORKLOADS[name], options))
    if name not in KERNELS:
        known = ", ".join(sorted((*KERNELS, *WORKLOADS)))
        raise WorkloadError(f"expected a benchmark kernel among {known}, got {name!r:.60}")
    kernel, values = chosen(name, options)
    for option in ("first", "second", "root"):
        if not 0 <= values.get(option, 0) < size:
            raise WorkloadError(
                f"expected the option {option} to be a rank from 0 to {size - 1}, got {values[option]}",
                at=name,
            )
    if name in _TWO and (size < 2 or values.get("first", 0) == values.get("second", 1)):
        pair = (
            f"ranks {values.get('first', 0)} and {values.get('second', 1)}" if size > 1 else "1 rank in all"
        )
        raise WorkloadError(f"expected two different ranks for the benchmark kernel, got {pair}", at=name)
    return Workload.from_program(lambda rank, all_ranks: kernel(rank, all_ranks, **values), size, name=name)


def chosen(name: str, options: Mapping[str, Any]) -> tuple[Kernel, dict[str, Any]]:
    """The kernel's generator of operations, and its options as numbers."""
    return KERNELS[name], _values(name, KERNELS[name], options)


def _values(name: str, make: Callable[..., Any], options: Mapping[str, Any]) -> dict[str, Any]:
    return {option: _value(name, make, option, value) for option, value in options.items()}


def _value(name: str, make: Callable[..., Any], option: str, value: Any) -> Any:
    known = {
        key: parameter.default
        for key, parameter in inspect.signature(make).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    }
    if option not in known:
        raise WorkloadError(f"expected an option among {', '.join(known)}, got {option!r:.60}", at=name)
    if option in _WORDS and value not in _WORDS[option]:
        raise WorkloadError(
            f"expected the option {option} to be {' or '.join(_WORDS[option])}, got {value!r:.60}", at=name
        )
    try:
        if option == "size":
            return units.size(value)
        return int(value) if isinstance(known[option], int) else value
    except (UnitError, ValueError, TypeError):
        raise WorkloadError(
            f"expected the option {option} to have the type of its default {known[option]!r}, "
            f"got {value!r:.60}",
            at=name,
        ) from None


def parse(text: str) -> tuple[str, dict[str, Any]]:
    """Name and options of `pingpong,size=1MiB,repeat=100`."""
    name, *pairs = [part.strip() for part in text.split(",")]
    options: dict[str, Any] = {}
    for pair in pairs:
        option, equals, value = (part.strip() for part in pair.partition("="))
        if not equals:
            raise WorkloadError(
                f"expected options of the benchmark kernel such as size=1MiB, got {pair!r:.60}", at=name
            )
        options[option] = value
    return name, options
