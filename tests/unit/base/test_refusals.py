"""Refusals of the core become ours in one place; whatever else it throws stays a bug."""

import ast
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from striate import _core, predict
from striate.cli.main import BUG, run
from striate.errors import DiskFullError, PredictionError, WorkloadError
from striate.refusals import error_of, words
from striate.rungs.fine import play
from striate.workload import Workload
from striate.workload import operations as op
from striate.workload.flows import FlowCosts, Graph, ListedFlows
from toys import toy

ROOT = Path(__file__).resolve().parents[3]
HEADER = (ROOT / "core" / "include" / "striate" / "refusal.hpp").read_text()
NUMBERS = ("rank", "row", "peer", "tag", "request", "server", "file", "end", "from_", "to")


def refusal(reason, **given):
    """A refusal with a number of its own in every field."""
    numbers = {name: 100 + place for place, name in enumerate((*NUMBERS, "bytes", "room", "count", "rate"))}
    return SimpleNamespace(reason=reason, waits=[], **(numbers | given))


def named_in(enumeration: str) -> set[str]:
    (body,) = re.findall(rf"enum class {enumeration} : std::uint8_t {{(.*?)}};", HEADER, re.DOTALL)
    return set(re.findall(r"(\w+),? *(?://.*)?$", re.sub(r"//.*", "", body), re.MULTILINE))


@pytest.mark.parametrize("enumeration", ["Reason", "WaitKind"])
def test_python_knows_every_reason_of_the_core(enumeration):
    assert {one.name for one in getattr(_core, enumeration)} == named_in(enumeration)


@pytest.mark.parametrize("reason", list(_core.Reason), ids=lambda reason: reason.name)
def test_every_reason_has_words_with_the_numbers_that_its_comment_names(reason):
    said = words(refusal(reason))

    (comment,) = re.findall(rf"^    {reason.name},? *// (.*)$", HEADER, re.MULTILINE)
    for name in ("rank", "row", "peer", "tag", "request", "server", "file", "bytes", "count", "rate"):
        if re.search(rf"(^|, ){name}\b", comment):
            assert str(getattr(refusal(reason), name)) in said


def test_a_full_server_is_an_error_of_its_own_and_a_deadlock_one_of_the_program():
    kinds = [type(error_of(refusal(reason), WorkloadError)) for reason in _core.Reason]

    by_reason = dict(zip(_core.Reason, kinds, strict=True))
    assert by_reason[_core.Reason.server_full] is DiskFullError
    assert by_reason[_core.Reason.deadlock] is PredictionError
    assert by_reason[_core.Reason.too_many_offsets] is WorkloadError


def program(rank, ranks):
    yield op.compute("1 ms")
    yield op.write("data", offset=rank * 4096, size=4096)
    yield op.sendrecv(1 - rank, 4096, source=1 - rank)


def test_the_numbers_of_a_refusal_cross_the_border():
    def one_way(rank, ranks):
        yield op.compute("1 ms")
        yield op.recv(1 - rank, 8, tag=5)

    workload = Workload.from_program(one_way, 2)
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("striate.refusals.words", lambda refusal, names: seen.append(refusal) or "")
        with pytest.raises(PredictionError):
            play(workload, toy())

    (found,) = seen
    assert (found.reason, found.count) == (_core.Reason.deadlock, 2)
    waits = [(wait.kind, wait.places[0].rank, wait.peers, wait.tag) for wait in found.waits]
    assert waits == [(_core.WaitKind.receive, rank, [1 - rank], 5) for rank in (0, 1)]


def test_ranks_are_counted_in_their_own_application():
    def stuck(rank, ranks):
        yield op.recv(1 - rank, 8)

    ready = Workload.from_program(program, 2, name="ready")
    waiting = Workload.from_program(stuck, 2, name="waiting")

    with pytest.raises(
        PredictionError, match=r"rank 0 of waiting at operation 0 \(recv\) receives from rank 1 of"
    ):
        play(Workload.together(ready, waiting), toy())


def test_a_receiver_that_is_not_there_is_refused():
    flows = ListedFlows("few", 2, 1, 4096, ((Graph(0, receivers=(7,)),),))

    with pytest.raises(WorkloadError, match="expected receivers below 2, the number of processors, got 7"):
        flows.run("micro", FlowCosts(read=1, communication=1, overlap=True))


def with_edges(machine, **columns):
    edges = len(machine.network.edge_source)
    changed = {name: np.full(edges, value) for name, value in columns.items()}
    return replace(machine, network=replace(machine.network, **changed))


def with_servers(machine, **fields):
    return replace(machine, servers=tuple(replace(server, **fields) for server in machine.servers))


@pytest.mark.parametrize("rung", ["micro", "fine"])
@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (with_edges(toy(), edge_bandwidth=2.0**48), r"from 1 B/s to 2\^47 B/s, got 2.81475e\+14 B/s"),
        (with_edges(toy(), edge_bandwidth=0.0), r"from 1 B/s to 2\^47 B/s, got 0 B/s"),
        (with_edges(toy(), edge_bandwidth=np.nan), r"from 1 B/s to 2\^47 B/s, got nan B/s"),
        (with_edges(toy(), edge_latency=-1), "latencies of 0 or more"),
    ],
)
def test_a_network_that_no_clock_can_play_is_refused(machine, message, rung):
    with pytest.raises(PredictionError, match=message):
        predict(Workload.from_program(program, 2), machine, rung=rung)


def test_parity_over_two_disks_is_refused_with_their_number():
    def writing(rank, ranks):
        yield op.write("data", size=100)

    machine = with_servers(toy(disks=2), raid=5)

    with pytest.raises(PredictionError, match="a server with 3 disks or more, got 2"):
        play(Workload.from_program(writing, 1), machine)


@pytest.mark.parametrize(
    ("engine", "rung"),
    [("run_programs", "fine"), ("program_flows", "micro"), ("sum_up", "resource"), ("sum_up", None)],
)
def test_a_bug_of_the_core_is_no_refusal(monkeypatch, engine, rung):
    monkeypatch.setattr(_core, engine, lambda *_, **__: _core._fail("planted"))

    with pytest.raises(RuntimeError, match=r"^planted$") as caught:
        predict(Workload.from_program(program, 2), toy(), rung=rung)
    assert not isinstance(caught.value, PredictionError)


def test_a_bug_of_the_core_shows_its_traceback_and_where_to_report_it(monkeypatch):
    monkeypatch.setattr(_core, "sum_up", lambda *_, **__: _core._fail("planted"))

    with pytest.raises(RuntimeError, match=r"^planted") as caught:
        run(["predict", "jacobi", "westmere", "--rung", "resource"])
    assert caught.value.__notes__ == [BUG]


PARSING = {
    "split",
    "rsplit",
    "partition",
    "rpartition",
    "removeprefix",
    "removesuffix",
    "startswith",
    "endswith",
}
PARSING |= {"find", "index", "match", "fullmatch", "search", "sub", "findall", "finditer"}
READERS_OF_TEXT = {"decoders.py", "loader.py"}  # msgspec, tomllib and the system's loader tell in text alone


def parsed_messages(code: str) -> list[int]:
    """Lines on which the text of a caught exception is taken apart."""
    tree = ast.parse(code)
    caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.name}
    return [node.lineno for node in ast.walk(tree) if _parses(node, caught | {"error"})]


def _parses(node: ast.AST, caught: set[str]) -> bool:
    if isinstance(node, ast.Compare):  # "row" in str(error)
        return any(isinstance(how, ast.In | ast.NotIn) for how in node.ops) and any(
            _is_text(one, caught) for one in node.comparators
        )
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr not in PARSING:
        return False
    return _is_text(node.func.value, caught) or any(_is_text(one, caught) for one in node.args)


def _is_text(node: ast.AST, caught: set[str]) -> bool:
    """`str(error)`, `error.message` or `error.args[0]` of something that was caught."""
    for inner in ast.walk(node):
        of = inner.args[0] if isinstance(inner, ast.Call) and inner.args else getattr(inner, "value", None)
        named = isinstance(of, ast.Name) and of.id in caught
        is_str = isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in ("str", "repr")
        is_field = isinstance(inner, ast.Attribute) and inner.attr in ("message", "args")
        if named and (is_str or is_field):
            return True
    return False


def test_no_message_is_taken_apart():
    sources = (ROOT / "src" / "striate").rglob("*.py")
    found = {
        str(path): parsed_messages(path.read_text()) for path in sources if path.name not in READERS_OF_TEXT
    }

    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "line",
    [
        "str(error).split()",
        "re.sub('x', 'y', str(error))",
        "error.message.partition('-')",
        "'row' in error.args[0]",
        "_ROW.fullmatch(str(error))",
    ],
)
def test_a_message_that_is_taken_apart_is_found(line):
    assert parsed_messages(f"try:\n    pass\nexcept ValueError as error:\n    {line}\n") == [4]
