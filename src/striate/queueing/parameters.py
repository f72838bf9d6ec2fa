"""What a single-program-multiple-data program asks of a machine: the parameters of paper 000, Table 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from striate import units
from striate.errors import QueueingError, StriateError
from striate.queueing.curves import Curve, Described, Floats, Integers, read_curve
from striate.queueing.imbalance import exponential, read_imbalance

TIMES = (
    "parallel_seconds",
    "serial_seconds",
    "message_startup_seconds",
    "transfer_seconds",
    "io_startup_seconds",
    "io_transfer_seconds",
)


@dataclass(frozen=True, init=False)
class SpmdParameters:
    """One phase: cycles of `bursts_per_io` bursts of computation and communication, then one burst of I/O.

    Times are seconds, as numbers or text ("150 us"), for one burst:

    - `parallel_seconds`, `serial_seconds`: computing that p processors share, and that they do not;
    - `message_startup_seconds`: start-up of one message; `messages` a processor sends per burst, a number or
      anything `read_curve` understands as a function of p;
    - `transfer_seconds`: moving all data of a burst at full rate; `scale`, g(p), is the share one processor
      moves. g(1) = 0 whatever is given: one processor has nobody to send to. For the same reason the start-up
      is left out at p = 1, unless `startup_on_one_processor`;
    - `io_startup_seconds`, `io_transfer_seconds`: the part of an I/O burst that more disks do not shorten,
      and the part they do.

    `contention` (w) is the share of a transfer that occupies the shared network, 0 a crossbar, 1 a bus.
    `group` (c) processors communicate synchronously, and `imbalance` (h) is what waiting in a group costs.
    `reference_seconds` replaces T1, the time of one cycle on one processor and one disk, in speedups.
    """

    parallel_seconds: float
    serial_seconds: float
    message_startup_seconds: float
    transfer_seconds: float
    io_startup_seconds: float
    io_transfer_seconds: float
    bursts_per_io: float
    contention: float
    group: int
    scale: Curve
    messages: Curve
    imbalance: Callable[[int], float]
    cycles: int
    startup_on_one_processor: bool
    reference_seconds: float | None

    def __init__(
        self,
        *,
        parallel_seconds: units.Quantity,
        serial_seconds: units.Quantity = 0.0,
        message_startup_seconds: units.Quantity = 0.0,
        transfer_seconds: units.Quantity = 0.0,
        io_startup_seconds: units.Quantity = 0.0,
        io_transfer_seconds: units.Quantity = 0.0,
        bursts_per_io: float = 1.0,
        contention: float = 0.0,
        group: int = 1,
        scale: Described = "hyperperimeter:2",
        messages: Described = 1.0,
        imbalance: str | Callable[[int], float] = exponential,
        cycles: int = 1,
        startup_on_one_processor: bool = False,
        reference_seconds: units.Quantity | None = None,
    ) -> None:
        given: dict[str, Any] = {**locals()}
        values: dict[str, Any] = {name: _seconds(given[name], at=name) for name in TIMES}
        values["reference_seconds"] = None if reference_seconds is None else _reference(reference_seconds)
        values["bursts_per_io"] = _between(bursts_per_io, 1, math.inf, at="bursts_per_io")
        values["contention"] = _between(contention, 0, 1, at="contention")
        values["group"] = _whole(group, at="group")
        values["cycles"] = _whole(cycles, at="cycles")
        values["scale"] = read_curve(scale, at="scale")
        values["messages"] = read_curve(messages, at="messages")
        values["imbalance"] = read_imbalance(imbalance, at="imbalance")
        values["startup_on_one_processor"] = _truth(startup_on_one_processor, at="startup_on_one_processor")
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if self.one_processor_seconds <= 0:
            raise QueueingError(
                "expected a program whose cycle (computing, then one I/O) takes longer than 0 s on one processor, "
                "got 0 s"
            )

    def replace(self, **changes: Any) -> SpmdParameters:
        """The same program with some parameters changed."""
        return SpmdParameters(**{field.name: getattr(self, field.name) for field in fields(self)} | changes)

    @property
    def one_processor_seconds(self) -> float:
        """T1, one cycle on one processor and one disk (paper 000, eq. 1), or `reference_seconds`."""
        if self.reference_seconds is not None:
            return self.reference_seconds
        computing = self.bursts_per_io * (self.parallel_seconds + self.serial_seconds)
        return computing + self.io_startup_seconds + self.io_transfer_seconds

    def computing_seconds(self, processors: Integers) -> Floats:
        """One burst on the slowest processor of a group, h(c) (S_par / p + S_ser) (paper 000, eq. 5)."""
        waiting = float(self.imbalance(self.group))
        if not 1 <= waiting < math.inf:
            raise QueueingError(
                "expected an imbalance h(c) (the slowest processor's time over the mean) of at least 1, "
                f"got {waiting} for groups of c = {self.group} processors",
                at="imbalance",
            )
        return waiting * (self.parallel_seconds / processors + self.serial_seconds)

    def shares(self, processors: Integers) -> Floats:
        """g(p), with g(1) = 0 "by definition" (paper 000, section 3.6), though eq. 7 gives 1."""
        shares = np.zeros(processors.shape)
        parallel = processors > 1
        shares[parallel] = _positive_curve(self.scale, processors[parallel], at="scale")
        return shares

    def startup_seconds(self, processors: Integers) -> Floats:
        """S0_com(p): start-up times messages; none at p = 1, where eqs. 1 and 3 need T_com(1, 1) = 0."""
        startup = np.zeros(processors.shape)
        sending = (processors > 1) | self.startup_on_one_processor
        startup[sending] = _positive_curve(self.messages, processors[sending], at="messages")
        return startup * self.message_startup_seconds

    def delay_seconds(self, processors: Integers) -> Floats:
        """z, all delays of one burst (paper 000, eq. 15 with S_ser where it prints S_seq)."""
        apart = (1 - self.contention) * self.shares(processors) * self.transfer_seconds
        return self.computing_seconds(processors) + self.startup_seconds(processors) + apart

    def bus_seconds(self, processors: Integers) -> Floats:
        """x, the shared network's time for one burst (paper 000, eq. 9)."""
        return self.contention * self.shares(processors) * self.transfer_seconds


def _seconds(value: units.Quantity, *, at: str) -> float:
    try:
        return units.seconds(value)
    except (StriateError, OverflowError) as error:
        message = error.message if isinstance(error, StriateError) else f"expected a time, got {value!r}"
        raise QueueingError(message, at=at) from error


def _reference(value: units.Quantity) -> float:
    reference = _seconds(value, at="reference_seconds")
    if reference == 0:
        raise QueueingError(
            "expected a positive reference time of the speedups, got 0 s", at="reference_seconds"
        )
    return reference


def _between(value: Any, low: float, high: float, *, at: str) -> float:
    wanted = f"of at least {low:g}" if high == math.inf else f"from {low:g} to {high:g}"
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise QueueingError(f"expected `{at}` to be a number {wanted}, got {value!r}", at=at)
    if not low <= float(value) <= min(high, 1e300):
        raise QueueingError(f"expected `{at}` to be a number {wanted}, got {value:g}", at=at)
    return float(value)


def _whole(value: Any, *, at: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= 2**53:
        raise QueueingError(f"expected `{at}` to be a whole number of at least 1, got {value!r}", at=at)
    return int(value)


def _truth(value: Any, *, at: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise QueueingError(f"expected `{at}` to be true or false, got {value!r}", at=at)
    return bool(value)


def _positive_curve(curve: Curve, processors: Integers, *, at: str) -> Floats:
    values = np.asarray(curve(processors), dtype=np.float64)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        where = int(processors[bad][0])
        raise QueueingError(
            f"expected a finite `{at}` of 0 or more, got {values[bad][0]} for p = {where} processors", at=at
        )
    return values
