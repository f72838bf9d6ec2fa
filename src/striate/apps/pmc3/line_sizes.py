"""Bytes of the lines that MrBayes writes, in closed form.

MrBayes 3.2 as measured with 3.2.7a; MrBayes 3.1 as thesis 003 prints its sizes (table A.4, section 4.2.1.1).
"""

from __future__ import annotations

from collections.abc import Sequence

from striate.errors import LayoutError
from striate.layout.mapped.slots import digits

_NEWICK_PUNCTUATION = 2  # an opening and a closing bracket for each of n - 2 inner nodes
_TREE_FRAME = {"3.1": len("   tree rep. = ;\n"), "3.2": len("   tree gen. = [&U] ;\n")}


def summed_digits(number: int) -> int:
    """Decimal digits of 1, 2, ..., number together."""
    total, width = 0, 1
    while 10 ** (width - 1) <= number:
        total += width * (min(number, 10**width - 1) - 10 ** (width - 1) + 1)
        width += 1
    return total


def tree_line(
    taxa: int, generation: int, *, precision: int = 6, scientific: bool = True, version: str = "3.2"
) -> int:
    """Bytes of a line of a .t file: an unrooted tree of `taxa` leaves with 2 n - 3 branch lengths."""
    if taxa < 3:
        raise LayoutError(f"expected at least 3 taxa (leaves of a tree), got {taxa}")
    number = precision + (len("1.e-02") if scientific else len("0."))
    branches = (len(":") + number) * (2 * taxa - 3)
    newick = branches + _NEWICK_PUNCTUATION * (taxa - 2) + (taxa - 1) + summed_digits(taxa)
    return _TREE_FRAME[version] + digits(generation) + newick


def parameter_line(columns: int, negatives: int, generation: int = 0, *, precision: int = 6) -> int:
    """Bytes of a line of a .p file of 3.2 in scientific notation, `negatives` of its numbers below zero."""
    return digits(generation) + columns * (len("\t1.e-02") + precision) + negatives + len("\n")


def serial_operations(cold_hosts: Sequence[int]) -> dict[str, int]:
    """What one sample of serial MrBayes 3.2 costs, when run r's cold chain is on rank `cold_hosts[r]`.

    Exact in every configuration measured: two writes and seven Allreduce a run, a Barrier a run and one
    more, and four messages for every run whose cold chain is not on rank 0.
    """
    runs = len(cold_hosts)
    foreign = sum(1 for host in cold_hosts if host != 0)
    return {"write": 2 * runs, "allreduce": 7 * runs, "barrier": runs + 1, "p2p_messages": 4 * foreign}
