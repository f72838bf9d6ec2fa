"""The lines and headers of samples, as MrBayes 3.2 prints them."""

from __future__ import annotations

from collections.abc import Sequence

from striate.apps.pmc3.chain import ChainState
from striate.apps.pmc3.format import Arrangement
from striate.apps.pmc3.line_sizes import parameter_line as parameter_line_bytes
from striate.apps.pmc3.line_sizes import tree_line as tree_line_bytes
from striate.apps.pmc3.parallel_file import SampleDescription

GTR_COLUMNS = (
    *(f"r({pair})" for pair in ("A<->C", "A<->G", "A<->T", "C<->G", "C<->T", "G<->T")),
    *(f"pi({base})" for base in "ACGT"),
    "alpha",
)
COMMON_COLUMNS = ("LnL", "LnPr", "TL")


def columns(kind: str) -> tuple[str, ...]:
    """Names of the numbers on a parameter line, without the generation."""
    return COMMON_COLUMNS + (GTR_COLUMNS if kind == "gtr+g" else ())


def parameter_header(kind: str, identity: int) -> bytes:
    return (f"[ID: {identity:010d}]\n" + "\t".join(("Gen", *columns(kind))) + "\n").encode()


def tree_header(names: Sequence[str], identity: int) -> bytes:
    head = f"#NEXUS\n[ID: {identity:010d}]\n[Param: tree]\nbegin trees;\n   translate\n"
    rows = [f"      {number:2d} {name}" for number, name in enumerate(names, start=1)]
    return (head + ",\n".join(rows) + ";\n").encode()


def parameter_line(generation: int, state: ChainState) -> bytes:
    numbers = [state.log_likelihood, state.log_prior, state.tree.length]
    if state.model.alpha is not None:
        numbers += [*state.model.rates, *state.model.frequencies, state.model.alpha]
    return (str(generation) + "".join(f"\t{number:.6e}" for number in numbers) + "\n").encode()


def tree_line(generation: int, state: ChainState) -> bytes:
    return f"   tree gen.{generation} = [&U] {state.tree.newick()};\n".encode()


def describe(
    kind: str,
    names: Sequence[str],
    runs: int,
    generations: int,
    frequency: int,
    arrangement: Arrangement = "run",
    together: int = 0,
) -> SampleDescription:
    """The format of a sampling, the same on every rank: lines have room for the last generation and every sign."""
    numbers = len(columns(kind))
    return SampleDescription(
        runs=runs,
        lines=len(sampled_generations(generations, frequency)),
        parameter_line=parameter_line_bytes(numbers, numbers, generations),
        tree_line=tree_line_bytes(len(names), generations),
        parameter_header=len(parameter_header(kind, 0)),
        tree_header=len(tree_header(names, 0)),
        arrangement=arrangement,
        together=together,
    )


def sampled_generations(generations: int, frequency: int) -> list[int]:
    """Generations with a sample: 0, every multiple, and the last."""
    return sorted({*range(0, generations + 1, frequency), generations})
