"""Tables of rates: what is read, and one line for what cannot be."""

import math

import pytest

from striate.errors import RatesError
from striate.rates.table import read_rates, where

HEAD = "nodes,ranks_per_node,stripes,multiplier,lock_mode,bytes,seconds\n"


def table(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    return path


def test_rows_of_equal_settings_are_one_median(tmp_path):
    lines = "".join(f"2,8,4,1,0,1GiB,{seconds}\n" for seconds in (3, 1, 2))
    rows = read_rates(table(tmp_path, HEAD + lines + "2,8,4,2,0,1GiB,4\n"))

    assert [(row.seconds, row.runs, row.aggregators) for row in rows] == [(2.0, 3, 4), (4.0, 1, 8)]
    assert rows[0].scatter > 0
    assert math.isnan(rows[1].scatter)


def test_a_rate_ranks_and_aggregators_say_the_same(tmp_path):
    by_rate = "nodes,ranks,stripes,aggregators,bytes,rate,repeats\n2,16,4,8,2000000,1 MB/s,5\n"
    by_time = "nodes,ranks_per_node,stripes,multiplier,bytes,seconds,repeats\n2,8,4,2,2MB,2 s,5\n"

    ((one,), (other,)) = (read_rates(table(tmp_path, text)) for text in (by_rate, by_time))

    assert str(one) == str(other)  # their scatter is not known: NaN
    assert one.runs == 5


@pytest.mark.parametrize("parted", [";", "\t"])
def test_names_in_large_letters_other_delimiters_and_numbers_of_runs_are_understood(tmp_path, parted):
    head = HEAD.strip().upper().replace(",", parted)
    lines = [
        f"{head}{parted}run{parted}Date",
        *(f"2,8,4,1,0,1GiB,{n},{n},d{n}".replace(",", parted) for n in (1, 2, 3)),
    ]

    (row,) = read_rates(table(tmp_path, "\n".join(lines)))

    assert (row.seconds, row.runs, row.others) == (2.0, 3, ())


@pytest.mark.parametrize("cell", ["", "NA", "nan", "-"])
def test_a_cell_without_a_time_is_a_question(tmp_path, cell):
    (row,) = read_rates(table(tmp_path, HEAD + f"1,8,12,4,2,1MiB,{cell}\n"))

    assert not row.known


def test_a_row_without_a_time_is_a_question_and_a_job_has_no_more_aggregators_than_ranks(tmp_path):
    (row,) = read_rates(table(tmp_path, HEAD + "1,8,12,4,2,1MiB,\n"))

    assert not row.known
    assert row.aggregators == 8


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + "2,8,4,1,0,1GiB\n", "expected 7 values, found 6 - at line 2"),
        (HEAD + "x,8,4,1,0,1GiB,1\n", "whole number from 1 to 2147483647, got 'x' - at line 2, nodes"),
        (HEAD + "2,8,4,1.5,0,1GiB,1\n", r"got '1\.5' - at line 2, multiplier"),
        (HEAD + "2,8,4,1,0,huge,1\n", "- at line 2, bytes"),
        (HEAD + "2,8,4,1,0,0,1\n", "1 byte or more.* - at line 2, bytes"),
        (HEAD + "2,8,4,1,0,nan,1\n", "1 byte or more.* - at line 2, bytes"),
        (HEAD + "2,8,4,1,0,1GiB,-1\n", "a number above 0.*'-1' - at line 2, seconds"),
        (HEAD + "2,8,4,1,0,1GiB,inf\n", "a number above 0"),
        (HEAD + "2,8,4,1,0,1GiB,soon\n", "- at line 2, seconds"),
        ("nodes,bytes,seconds\n1,2,3\n", "no column ranks - at line 2, ranks"),
        ("nodes,ranks,bytes,seconds\n2,3,2,3\n", "a multiple of the 2 nodes, got 3 - at line 2, ranks"),
        ("ranks,seconds\n1,2\n", "expected a column `bytes`, found no such column - at line 2"),
        ("ranks,bytes\n1,2\n", "expected a column `seconds` or a column `rate`"),
        ("", "1 to 4,000 rows"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path, text, words):
    with pytest.raises(RatesError, match=words) as error:
        read_rates(table(tmp_path, text))

    assert "\n" not in str(error.value)
    assert "table.csv" in str(error.value)


def test_other_columns_split_the_table(tmp_path):
    head = HEAD.replace("seconds", "seconds,storage")
    rows = read_rates(table(tmp_path, head + "2,8,4,1,0,1GiB,3,hdd\n2,8,4,1,0,1GiB,1,nvme\n"))

    assert [row.seconds for row in where(rows, ["storage=nvme"], source="t")] == [1.0]
    with pytest.raises(RatesError, match="in column storage; choose rows with --where storage=hdd"):
        where(rows, [], source="t")
    with pytest.raises(RatesError, match="a column among storage, got 'disk=hdd'"):
        where(rows, ["disk=hdd"], source="t")
    with pytest.raises(RatesError, match="no row"):
        where(rows, ["storage=tape"], source="t")
