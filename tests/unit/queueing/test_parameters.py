"""What a program may be made of, and what is refused."""

import math

import numpy as np
import pytest

from striate.errors import QueueingError
from striate.queueing import Model, Power, SpmdParameters, Table, hyperperimeter
from striate.queueing.imbalance import harmonic


def program(**changes) -> SpmdParameters:
    given = {
        "parallel_seconds": "4 s",
        "serial_seconds": "50 ms",
        "message_startup_seconds": "2 ms",
        "transfer_seconds": 0.3,
        "io_startup_seconds": 0.01,
        "io_transfer_seconds": 2,
        "bursts_per_io": 5,
        "contention": 0.3,
    }
    return SpmdParameters(**given | changes)


def at(processors: int) -> np.ndarray:
    return np.array([processors])


def test_one_cycle_on_one_processor_by_hand():
    # 5 (4 + 0.05) + 0.01 + 2 = 22.26
    assert program().one_processor_seconds == pytest.approx(22.26)
    assert Model(program()).speedup(1, 1) == pytest.approx(1.0)


def test_delay_and_bus_by_hand():
    # p = 4, r = 2: g = 1/2; z = 4/4 + 0.05 + 0.002 + 0.7 * 0.5 * 0.3, x = 0.3 * 0.5 * 0.3
    assert program().delay_seconds(at(4)) == pytest.approx([1.157])
    assert program().bus_seconds(at(4)) == pytest.approx([0.045])


def test_one_processor_has_nobody_to_talk_to():
    lone = program(scale="power:0")

    assert lone.bus_seconds(at(1)) == [0.0]
    assert lone.delay_seconds(at(1)) == pytest.approx([4.05])
    assert program(startup_on_one_processor=True).delay_seconds(at(1)) == pytest.approx([4.052])


def test_messages_may_depend_on_the_number_of_processors():
    btio = program(messages=Power(1 / 2, factor=6))

    assert btio.startup_seconds(np.array([9, 64])) == pytest.approx([18 * 0.002, 48 * 0.002])


@pytest.mark.parametrize(
    ("described", "share"),
    [
        ("hyperperimeter:3", 8 ** (-2 / 3)),
        ("power:-1/6", 8 ** (-1 / 6)),
        ("inverse", 1 / 8),
        ("constant", 1.0),
        (0.25, 0.25),
        ({8: 0.125, 16: 0.5}, 0.125),
        ({"power": "1/3", "factor": 2}, 4.0),
        (hyperperimeter(2), 8**-0.5),
        (Table(((8, 7.0),)), 7.0),
        (lambda p: math.log2(p), 3.0),
    ],
)
def test_every_way_to_write_a_scale(described, share):
    assert program(scale=described).shares(at(8)) == pytest.approx([share])


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("exponential", 1 + 1 / 2 + 1 / 3 + 1 / 4),
        ("uniform", 8 / 5),
        ("deterministic", 1),
        (lambda c: c**0.5, 2),
    ],
)
def test_waiting_for_a_group_of_four(name, cost):
    assert program(group=4, imbalance=name).computing_seconds(at(8)) == pytest.approx([cost * (4 / 8 + 0.05)])


def test_harmonic_numbers_join_smoothly():
    assert harmonic(4097) == pytest.approx(harmonic(4096) + 1 / 4097, rel=1e-14)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"parallel_seconds": -1}, "not negative"),
        ({"serial_seconds": "fast"}, "serial_seconds"),
        ({"io_transfer_seconds": math.nan}, "io_transfer_seconds"),
        ({"contention": 1.5}, "from 0 to 1"),
        ({"contention": "half"}, "contention"),
        ({"bursts_per_io": 0.5}, "at least 1"),
        ({"bursts_per_io": math.inf}, "bursts_per_io"),
        ({"group": 0}, "whole number"),
        ({"group": 1.5}, "whole number"),
        ({"cycles": True}, "whole number"),
        ({"scale": "cubic"}, "hyperperimeter"),
        ({"scale": "power:1/0"}, "scale"),
        ({"scale": {}}, "scale"),
        ({"messages": [1, 2]}, "messages"),
        ({"imbalance": "bimodal"}, "exponential"),
        ({"reference_seconds": 0}, "positive"),
        ({"startup_on_one_processor": "yes"}, "true or false"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes, words):
    with pytest.raises(QueueingError, match=words):
        program(**changes)


def test_a_program_that_takes_no_time_is_refused():
    with pytest.raises(QueueingError, match="takes longer than 0 s"):
        SpmdParameters(parallel_seconds=0)


def test_a_scale_that_turns_negative_is_refused_where_it_does():
    with pytest.raises(QueueingError, match=r"p = 9.*scale"):
        program(scale=lambda p: 8.5 - p).shares(np.array([8, 9]))


def test_a_table_does_not_guess():
    with pytest.raises(QueueingError, match=r"a value \(9, 64\), got p = 16"):
        Model(program(scale={9: 1, 64: 0.5})).time(16, 1)
