"""Sizes, rates and times are read exactly, and what is not one of them is refused by name."""

from fractions import Fraction

import pytest

from striate import units
from striate.errors import UnitError


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [
        ("0", 0),
        ("17", 17),
        ("1 KB", 1000),
        ("1 kB", 1000),
        ("1 KiB", 1024),
        ("64 KiB", 64 * 1024),
        ("64KiB", 65536),
        ("  1.5 MiB ", 3 * 512 * 1024),
        ("1 MB", 10**6),
        ("1,000,000 B", 10**6),
        ("1_000 B", 1000),
        ("1e3 B", 1000),
        ("7 EiB", 7 * 2**60),
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_a_size_is_a_whole_number_of_bytes(text, bytes_):
    assert units.size(text) == bytes_


def test_decimal_and_binary_prefixes_differ():
    assert (units.size("1 GB"), units.size("1 GiB")) == (10**9, 2**30)
    assert (units.KB, units.KiB, units.TB, units.TiB) == (1000, 1024, 10**12, 2**40)


def test_numbers_are_base_units():
    assert units.size(4096) == 4096
    assert units.size(4096.0) == 4096
    assert units.size(Fraction(8, 2)) == 4
    assert units.rate(1.5) == 1.5
    assert units.picoseconds(2) == 2 * 10**12


@pytest.mark.parametrize(
    ("text", "bytes_per_second"),
    [
        ("1 Gbit/s", 125e6),  # 10^9 / 8
        ("1 Gb/s", 125e6),
        ("8 Kibit/s", 1024.0),
        ("10 Mbps", 1.25e6),
        ("1.9 GB/s", 1.9e9),
        ("3781 MiB/s", 3781 * 2**20),
        ("3 bit/s", 0.375),
    ],
)
def test_a_rate_counts_bytes_and_eight_bits_are_one(text, bytes_per_second):
    assert units.rate(text) == bytes_per_second


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("12 ms", 12 * 10**9),
        ("79 ns", 79_000),
        ("1 us", 10**6),
        ("1 µs", 10**6),
        ("1 μs", 10**6),
        ("2 min", 120 * 10**12),
        ("1 h", 3600 * 10**12),
        ("1 d", 86400 * 10**12),
        ("0.1 s", 10**11),  # a double would be off: 0.1 is read as 1/10
        ("0.4 ps", 0),
        ("0.6 ps", 1),
    ],
)
def test_a_time_is_the_nearest_whole_picosecond(text, ticks):
    assert units.picoseconds(text) == ticks


def test_seconds_and_counts_are_rounded_once():
    assert units.seconds("12 ms") == 0.012
    assert units.seconds("0.1 ms") == 1e-4
    assert units.count("2.66 G") == 2.66e9
    assert units.count("3 Ginstr/s") == 3e9
    assert units.count("12") == 12.0


@pytest.mark.parametrize(
    ("read", "found", "message"),
    [
        (units.size, "fast", "expected a size such as \"64 KiB\", got 'fast'"),
        (units.size, "", "expected a size such as \"64 KiB\", got ''"),
        (units.size, "64 kib", "expected a size such as \"64 KiB\", got '64 kib'"),
        (units.size, "1 GB/s", "expected a size such as \"64 KiB\", got '1 GB/s'"),
        (units.size, "1 2", "expected a size such as \"64 KiB\", got '1 2'"),
        (units.size, "0.5 B", "expected a whole number of bytes, got '0.5 B'"),
        (units.size, 1.5, "expected a whole number of bytes, got 1.5"),
        (units.size, -1, 'expected a size such as "64 KiB", not negative, got -1'),
        (units.size, "-1 B", "expected a size such as \"64 KiB\", not negative, got '-1 B'"),
        (units.size, 2**63, "expected a number of at most 2^63 - 1, got 9223372036854775808"),
        (units.size, "8 EiB", "expected a number of at most 2^63 - 1, got '8 EiB'"),
        (units.size, True, 'expected a size such as "64 KiB", got True'),
        (units.size, None, 'expected a size such as "64 KiB", got None'),
        (units.size, float("nan"), 'expected a size such as "64 KiB", got nan'),
        (units.size, "9" * 65, 'expected a size such as "64 KiB", got 65 characters'),
        (units.size, 10**99, f"expected a number of at most 2^63 - 1, got 1{'0' * 79}..."),
        (units.rate, "1 GB", "expected a rate such as \"1.9 GB/s\", got '1 GB'"),
        (units.rate, "1e999", "expected a number of at most 1.79e308, got '1e999'"),
        (units.rate, float("inf"), 'expected a rate such as "1.9 GB/s", got inf'),
        (units.seconds, "12 parsec", "expected a time such as \"12 ms\", got '12 parsec'"),
        (units.seconds, -0.5, 'expected a time such as "12 ms", not negative, got -0.5'),
        (units.seconds, "1e400 s", "expected a number of at most 1.79e308, got '1e400 s'"),
        (
            units.picoseconds,
            "1e7 s",
            "expected a number of at most 2^63 - 1, got '1e7 s'",
        ),  # 10^19 > 9.22 * 10^18
        (units.count, "12 apples", "expected a count such as \"2.66 G\", got '12 apples'"),
        (units.count, "1e999", "expected a number of at most 1.79e308, got '1e999'"),
    ],
)
def test_a_refusal_says_what_was_found_and_what_was_wanted(read, found, message):
    with pytest.raises(UnitError) as refusal:
        read(found)

    assert str(refusal.value) == message


def test_a_number_too_long_to_print_is_refused_in_words():
    with pytest.raises(UnitError) as refusal:
        units.size(10**5000)

    assert (
        str(refusal.value) == "expected a number of at most 2^63 - 1, got a number of more than 4300 digits"
    )


@pytest.mark.parametrize(
    ("bytes_", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (1000, "1 kB"),
        (1024, "1 KiB"),
        (65536, "64 KiB"),
        (10**12, "1 TB"),  # also 976562500 KiB: the shorter one is printed
        (2**60, "1 EiB"),
        (1001, "1001 B"),
    ],
)
def test_a_size_is_printed_in_its_shortest_exact_form(bytes_, text):
    assert units.format_size(bytes_) == text


def test_times_and_rates_are_printed_exactly():
    assert units.format_picoseconds(12 * 10**9) == "12 ms"
    assert units.format_picoseconds(0) == "0 s"
    assert units.format_picoseconds(79_001) == "79001 ps"
    assert units.format_rate(1e9) == "1 GB/s"
    assert units.format_rate(125) == "125 B/s"
    assert units.format_rate(0.375) == "0.375 B/s"


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.about_seconds(0), "0 s"),
        (units.about_seconds(0.00099999), "1 ms"),
        (units.about_seconds(0.012), "12 ms"),
        (units.about_seconds(88.42), "88.4 s"),
        (units.about_seconds(7500), "2 h 5 min"),
        (units.about_seconds(90_000), "1 d 1 h"),
        (units.about_seconds(float("inf")), "unbounded"),
        (units.about_size(1.23 * 2**30), "1.23 GiB"),
        (units.about_rate(1.9e9), "1.9 GB/s"),
        (units.about_count(12e6), "12 M"),
        (units.about_count(7), "7"),
    ],
)
def test_people_read_three_digits(shown, text):
    assert shown == text
