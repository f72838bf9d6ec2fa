"""Columns tell which rows need a closer look: a row that is refused is always among them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.errors import WorkloadError
from striate.layout.extent_lists import ExtentLists
from striate.layout.extents import Extents
from striate.workload.application import Application, Communicator, File
from striate.workload.checks.limits import doubtful_rows
from striate.workload.checks.validate import check_operands, programs_to_follow
from striate.workload.kinds import KINDS, OPERANDS, Kind
from striate.workload.operand_ranges import OperandRanges
from striate.workload.program import Operand, ProgramWriter, Row
from striate.workload.walk import lines

RANKS = 4
ORDINARY = [kind for kind in KINDS if kind not in (Kind.LOOP, Kind.END)]

numbers = st.one_of(
    st.integers(-2, 6), st.sampled_from((-1_000_001, 2**31, 2**53 + 1, 2**61, 2**62, 2**63 - 1, -(2**40)))
)


@st.composite
def operand(draw, depth, ranks):
    base = draw(numbers)
    if draw(st.booleans()):
        base = np.array(draw(st.lists(st.integers(-2, 6), min_size=ranks, max_size=ranks)), np.int64)
    return Operand(base, tuple(draw(st.lists(st.integers(-2, 2), min_size=depth, max_size=depth))))


@st.composite
def programs(draw, ranks):
    """Rows with loops around some of them, of which some have no pass."""
    rows, depth = [], 0
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.booleans()) and depth < 2:
            rows.append(Row(Kind.LOOP, -1, [Operand(draw(st.sampled_from((0, 1, 3, 2**40))))]))
            depth += 1
        kind = draw(st.sampled_from(ORDINARY))
        values = [draw(operand(depth, ranks)) for _ in OPERANDS[kind]]
        rows.append(Row(kind, draw(st.integers(0, 1)), values))
        if draw(st.booleans()) and depth:
            rows.append(Row(Kind.END, -1, []))
            depth -= 1
    return [*rows, *(Row(Kind.END, -1, []) for _ in range(depth))]


@st.composite
def applications(draw):
    writer = ProgramWriter(RANKS)
    writer.add_program(draw(programs(1)), np.array([0]))
    writer.add_program(draw(programs(3)), np.array([1, 2, 3]))
    return Application(
        "any",
        writer.table(),
        (Communicator("world"), Communicator("some", np.array([0, 0, 1, draw(st.sampled_from((-1, 1)))]))),
        (File("data", 0, 3),),
        ("solve",),
        ExtentLists.of([Extents(np.array([0, 30]), np.array([20, 30]))]),
        (np.ones((RANKS, RANKS), np.int64),),
        ("ring",),
    )


@settings(max_examples=400, deadline=None)
@given(applications())
def test_a_row_that_is_refused_is_doubtful(application):
    groups = [application.groups(number) for number in range(2)]
    doubtful = doubtful_rows(application, groups, OperandRanges.of(application.programs))
    for line in lines(application):
        try:
            check_operands(line, groups)
        except WorkloadError:
            assert doubtful[line.row], (line.kind, line.row)


@settings(max_examples=150, deadline=None)
@given(applications())
def test_ranges_hold_every_operand_of_every_rank_and_pass(application):
    ranges = OperandRanges.of(application.programs)
    for line in lines(application):
        assert ranges.times[line.row] == float(line.times)
        for name in OPERANDS[line.kind]:
            at = application.programs.operand(line.row, name)
            if ranges.exact[at]:
                assert ranges.low[at] <= np.min(line.lowest(name))
                assert ranges.high[at] >= np.max(line.highest(name))


@settings(max_examples=150, deadline=None)
@given(applications())
def test_programs_that_are_not_followed_have_nothing_open(application):
    followed = programs_to_follow(OperandRanges.of(application.programs))
    for line in lines(application):
        if "request" in OPERANDS[line.kind] and (line.column("request") != -1).any():
            assert line.program in followed
        if "region" in OPERANDS[line.kind]:
            assert line.program in followed
