"""Tables as comma-separated values that a spreadsheet shows and does not evaluate."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

_FORMULA = r"^[=+\-@\t\r]"  # a spreadsheet evaluates a cell of text that begins so


def csv_of(table: pa.Table) -> bytes:
    """The whole file, with a header line; missing values are empty, text like a formula begins with an apostrophe."""
    for at, name in enumerate(table.column_names):
        column = table.column(name)
        if pa.types.is_dictionary(column.type):
            column = column.cast(pa.string())
        if pa.types.is_string(column.type):
            formula = pc.match_substring_regex(column, _FORMULA)
            column = pc.if_else(formula, pc.binary_join_element_wise("'", column, ""), column)
        table = table.set_column(at, name, column)
    sink = io.BytesIO()
    csv.write_csv(table, sink)
    return sink.getvalue()
