"""The page of a validation: every program, the worst first, and no name that becomes markup."""

from striate.interval import Interval
from striate.pages.validation_page import ProgramRow, validation_page


def page(*rows: ProgramRow) -> str:
    return validation_page(rows, title="a & b", words="3 runs", picture="<svg></svg>")


def test_the_worst_forecast_comes_first_and_names_stay_text():
    good = ProgramRow("good", 1.0, Interval(0.9, 1.05, 1.2), 0.05, 3, 3, {"write": 0.7, "open": 0.001})
    half = ProgramRow("<script>half</script>", 1.0, Interval(0.4, 0.5, 0.6), -0.5, 0, 3, reason="noise")

    drawn = page(good, half)

    assert "<script>" not in drawn
    assert drawn.index("&lt;script&gt;half") < drawn.index("good")
    assert "<td>-50%</td>" in drawn
    assert drawn.count("class='outside'") == 1
    assert "write 70%" in drawn
    assert "open" not in drawn.partition("Where the time went")[2]  # too short to be told
    assert "<title>a &amp; b</title>" in drawn


def test_programs_without_parts_have_no_table_of_them():
    assert "Where the time went" not in page(ProgramRow("x", 1.0, Interval.exactly(1.0), 0.0, 1, 1))


def test_the_column_of_reasons_is_there_where_one_is_known():
    known = ProgramRow("x", 1.0, Interval.exactly(1.0), 0.0, 1, 1, reason="noise")
    unknown = ProgramRow("y", 1.0, Interval.exactly(1.0), 0.0, 1, 1)

    assert "likely reason" in page(known, unknown)
    assert "likely reason" not in page(unknown)
