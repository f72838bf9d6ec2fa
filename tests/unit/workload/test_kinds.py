"""Python and the core hold one list of kinds and operands."""

import re
from pathlib import Path

import striate._core as _core
from striate.workload.kinds import ACCESSES, ANY, BLOCKING, COLLECTIVES, OPERANDS, ROOTED, Kind, position

HEADER = Path(__file__).resolve().parents[3] / "core" / "include" / "striate" / "programs" / "program.hpp"


def kinds_of_the_core() -> list[tuple[str, tuple[str, ...]]]:
    """Name and operands of every kind, in order, from the header's enum and its comments."""
    body = re.search(r"enum class Kind : std::uint8_t \{(.*?)\};", HEADER.read_text(), re.DOTALL)[1]
    found = re.findall(r"(\w+),\s*// (.*)", body)
    assert len(found) == body.count("//")
    return [(name, () if operands == "-" else tuple(operands.split(", "))) for name, operands in found]


def test_the_core_lists_the_same_kinds_with_the_same_operands():
    python = [(kind.name.lower(), OPERANDS[kind]) for kind in Kind]

    assert kinds_of_the_core() == python
    assert [int(kind) for kind in Kind] == list(range(len(Kind)))


def test_the_compiled_core_has_as_many_kinds():
    assert _core.kinds == len(Kind)


def test_the_wildcards_are_the_same():
    text = HEADER.read_text()

    assert f"std::int64_t any = {ANY};" in text
    assert f"std::int64_t blocking = {BLOCKING};" in text


def test_every_kind_has_operands_and_the_request_stands_last():
    assert set(OPERANDS) == set(Kind)
    for names in OPERANDS.values():
        assert len(set(names)) == len(names)
        assert "request" not in names[:-1]


def test_families_of_kinds():
    assert {kind.label for kind in ROOTED} == {"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv"}
    assert {kind.label for kind in ACCESSES} == {"read", "write", "read_all", "write_all"}
    assert {Kind.BARRIER, Kind.SCAN, Kind.WRITE_ALL} <= COLLECTIVES
    assert not COLLECTIVES & {Kind.SEND, Kind.WRITE, Kind.WAIT, Kind.OPEN}
    assert position(Kind.WRITE, "bytes") == 2
