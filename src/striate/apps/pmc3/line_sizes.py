"""Bytes of the lines and headers that MrBayes writes, in closed form.

MrBayes 3.2 as measured with 3.2.7a; MrBayes 3.1 as thesis 003 prints its sizes (table A.4, section 4.2.1.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from striate.errors import LayoutError
from striate.layout.mapped.slots import digits

SampleRule = Literal["thesis", "mb31", "mb32"]

_NEWICK_PUNCTUATION = 2  # an opening and a closing bracket for each of n - 2 inner nodes
_TREES_HEAD = len("#NEXUS\n[ID: 0123456789]\nbegin trees;\n   translate\n")
_PARAMETER_TREE = len("[Param: tree]\n")  # a line of 3.2 only
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
        raise LayoutError(f"expected at least three taxa, got {taxa}")
    number = precision + (len("1.e-02") if scientific else len("0."))
    branches = (len(":") + number) * (2 * taxa - 3)
    newick = branches + _NEWICK_PUNCTUATION * (taxa - 2) + (taxa - 1) + summed_digits(taxa)
    return _TREE_FRAME[version] + digits(generation) + newick


def parameter_line(columns: int, negatives: int, generation: int = 0, *, precision: int = 6) -> int:
    """Bytes of a line of a .p file of 3.2 in scientific notation, `negatives` of its numbers below zero."""
    return digits(generation) + columns * (len("\t1.e-02") + precision) + negatives + len("\n")


def tree_header(names: Sequence[str], *, version: str = "3.2") -> int:
    """Bytes before the first tree: the identity, and the translate block with one line per taxon."""
    head = _TREES_HEAD + (_PARAMETER_TREE if version == "3.2" else 0)
    return head + sum(
        6 + max(2, digits(number)) + 1 + len(name) + 2 for number, name in enumerate(names, start=1)
    )


def sample_bytes_31(taxa: int, likelihood_characters: int) -> int:
    """Bytes that a run of MrBayes 3.1 adds in generation 1: a tree line in fixed notation and a parameter line.

    The thesis prints the sums (table A.4); the width of LnL is the one input it does not. The tree length
    begins as 0.1 for each of 2 n - 3 branches, with three decimals.
    """
    tree_length_characters = digits((2 * taxa - 3) // 10) + len(".000")
    parameters = 41 + likelihood_characters + tree_length_characters
    return tree_line(taxa, 1, scientific=False, version="3.1") + parameters


def trees_within(limit_bytes: int, taxa: int, names: Sequence[str]) -> int:
    """Whole tree lines of MrBayes 3.1, generations 1, 2, ..., that a file of `limit_bytes` holds."""
    room = limit_bytes - tree_header(names, version="3.1")
    without_number = tree_line(taxa, 1, scientific=False, version="3.1") - 1
    low, high = 0, max(0, room // without_number) + 1
    while low < high:
        middle = (low + high + 1) // 2
        fits = middle * without_number + summed_digits(middle) <= room
        low, high = (middle, high) if fits else (low, middle - 1)
    return low


def samples_written(generations: int, sample_frequency: int, rule: SampleRule = "thesis") -> int:
    """Lines of one file after a run, header not counted.

    Table 6.1 of the thesis samples every multiple; MrBayes 3.1 generation 1 and every multiple; 3.2
    generation 0, every multiple, and the last generation always.
    """
    multiples, rest = divmod(generations, sample_frequency)
    if rule == "thesis":
        return multiples
    if rule == "mb31":
        return multiples + (1 if sample_frequency > 1 and generations > 0 else 0)
    if rule == "mb32":
        return 1 + multiples + (1 if rest else 0)
    raise LayoutError(f'expected the rule "thesis", "mb31" or "mb32", got {rule!r}')


def total_bytes(runs: int, tree_head: int, parameter_head: int, tree: int, parameter: int, lines: int) -> int:
    """D_total of equation 4.1 when all lines of a kind have one size."""
    return runs * (tree_head + parameter_head + lines * (tree + parameter))


def serial_operations(cold_hosts: Sequence[int]) -> dict[str, int]:
    """What one sample of serial MrBayes 3.2 costs, when run r's cold chain is on rank `cold_hosts[r]`.

    Exact in every configuration measured: two writes and seven Allreduce a run, a Barrier a run and one
    more, and four messages for every run whose cold chain is not on rank 0.
    """
    runs = len(cold_hosts)
    foreign = sum(1 for host in cold_hosts if host != 0)
    return {"write": 2 * runs, "allreduce": 7 * runs, "barrier": runs + 1, "p2p_messages": 4 * foreign}
