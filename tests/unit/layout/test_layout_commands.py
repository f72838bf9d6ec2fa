"""`striate layout measure`, `advise` and `patterns`: the thesis' measures and rules from the command line."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.cli.main import run
from striate.layout import parse
from striate.layout import patterns as made
from striate.layout.extents import Extents
from striate.layout.measure import measure_layout
from striate.layout.metrics import servers_accessed
from striate.layout.patterns import Pattern
from striate.trace.analysis.access_phases import access_phases
from toy_traces import row, trace_of

KiB = 1024


def printed(capsys, *words):
    """The JSON a command prints."""
    assert run([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def traced(phase, *, kind="write", at=0):
    """The rows of a trace in which ranks do what `phase` says."""
    extents = phase.extents
    columns = (phase.rank.tolist(), phase.file.tolist(), extents.offsets.tolist(), extents.sizes.tolist())
    return [
        row(rank, kind, at + number, at + number + 1, file=file, offset=offset, bytes=size)
        for number, (rank, file, offset, size) in enumerate(zip(*columns, strict=True))
    ]


def saved(tmp_path, rows, *, ranks=4, files=("a", "b", "c", "d")):
    trace_of(rows, ranks=ranks, files=files).save(tmp_path / "run.parquet")
    return tmp_path / "run.parquet"


def test_measures_of_two_accesses_by_hand(capsys):
    """256 KiB are four strips, one on each server; 100 KiB from there are one strip and a part of the next."""
    words = ("layout", "measure", "simple:4:64KiB", "--access", "0:256KiB", "--access", "256KiB:100KiB")
    found = printed(capsys, *words)["measures"]

    assert [one["servers"] for one in found["accesses"]] == [4, 2]
    assert [one["degree_percent"] for one in found["accesses"]] == [100, 50]
    assert [one["depth"] for one in found["accesses"]] == [1, 100 / 256]
    assert found["server_bytes"] == [128 * KiB, 100 * KiB, 64 * KiB, 64 * KiB]
    assert found["balance"] == pytest.approx(89 / 128)
    assert found["local_share"] == pytest.approx((64 + 36) / 356)  # rank 0 on server 0, rank 1 on server 1
    assert found["largest_unit"] == 25 * KiB


LAYOUTS = ["basic", "simple:3:10", "varstrip:0:7;1:20;0:5", "twod:5:8:2:3", "grouped:4:100:3"]
runs = st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 400)), min_size=1, max_size=5)


@given(st.sampled_from(LAYOUTS), st.lists(runs, min_size=1, max_size=4))
def test_every_byte_is_measured_once(layout, accesses):
    extents, rule = [Extents.of(one) for one in accesses], parse(layout)
    found = measure_layout(rule, extents)

    assert sum(found.server_bytes) == sum(one.total_bytes for one in extents)
    assert [one.servers for one in found.accesses] == [servers_accessed(rule, one) for one in extents]
    assert 0 < found.balance <= 1
    assert 0 <= found.local_share <= 1


PHASES = {
    Pattern.FILE_PER_PROCESS: made.file_per_process(4, 1000),
    Pattern.PARTITIONED: made.partitioned([100, 200, 300, 400]),
    Pattern.PARTIAL: made.partitioned([100, 200, 300, 400], start=50),
    Pattern.STRIDED: made.strided(4, 64, 3),
    Pattern.IRREGULAR: made.irregular(4, 64, 3, seed=1),
    Pattern.RANDOM: made.scattered(4, 64, 5, seed=1),
}


@pytest.mark.parametrize("pattern", PHASES, ids=lambda pattern: pattern.name)
def test_the_pattern_of_a_traced_phase_is_recognised(pattern, tmp_path, capsys):
    (found,) = printed(capsys, "layout", "patterns", saved(tmp_path, traced(PHASES[pattern])))["phases"]

    assert (found["number"], found["access"], found["ranks"]) == (int(pattern), "write", 4)
    assert found["bytes"] == PHASES[pattern].extents.total_bytes


def barriers(at, ranks=range(4)):
    return [row(rank, "barrier", at, at + 1, level="mpi") for rank in ranks]


def test_barriers_divide_a_run_into_phases():
    first, second = PHASES[Pattern.PARTITIONED], PHASES[Pattern.STRIDED]
    rows = traced(first) + barriers(100) + traced(second, at=200) + traced(first, kind="read", at=300)
    found = access_phases(trace_of(rows, ranks=4))

    assert [(one.number, one.kind) for one in found] == [(0, "write"), (1, "read"), (1, "write")]
    assert [made.recognise(one.accesses).pattern for one in found] == [
        Pattern.PARTITIONED,
        Pattern.PARTITIONED,
        Pattern.STRIDED,
    ]


def test_ranks_that_pass_different_numbers_of_barriers_make_one_phase():
    rows = (
        traced(PHASES[Pattern.PARTITIONED]) + barriers(100, [0, 1]) + traced(PHASES[Pattern.STRIDED], at=200)
    )

    assert [one.number for one in access_phases(trace_of(rows, ranks=4))] == [0]


def test_advice_for_interleaved_blocks_reaches_every_server_in_every_round(tmp_path, capsys):
    """Three rounds of four blocks of 1000 bytes; a unit of a third of the file would put a round on one server."""
    trace = saved(tmp_path, traced(made.strided(4, 1000, 3)))
    (advice,) = printed(capsys, "layout", "advise", "--servers", 4, "--trace", trace)["advice"]
    rule = parse(advice["layout"])

    for number in range(3):
        assert servers_accessed(rule, Extents([number * 4000], [4000])) == 4


def test_advice_for_a_partitioned_file_keeps_every_byte_local(tmp_path, capsys):
    trace = saved(tmp_path, traced(PHASES[Pattern.PARTITIONED]))
    (advice,) = printed(capsys, "layout", "advise", "--servers", 4, "--local", "--trace", trace)["advice"]
    measured = printed(capsys, "layout", "measure", advice["layout"], "--trace", trace)["measures"]

    assert measured["local_share"] == 1


def test_a_sampler_buffers_no_more_than_three_quarters_of_its_memory(capsys):
    """16 KiB per process and generation: 10 fit into 160 KiB, and 7 into three quarters of it."""
    words = (
        "layout",
        "advise",
        "--servers",
        4,
        "--runs",
        4,
        "--processes",
        4,
        "--generation",
        "64KiB",
        "--local",
    )
    (free,) = printed(capsys, *words)["advice"]
    (bound,) = printed(capsys, *words, "--memory", "160KiB", "--samples", 100)["advice"]

    assert (free["buffered"], bound["buffered"], bound["writes"]) == (16, 7, 15)
    assert bound["layout"] == "varstrip:" + ";".join(f"{server}:112KiB" for server in range(4))


def test_measures_of_a_trace_take_the_file_of_the_most_bytes(tmp_path, capsys):
    small, large = made.partitioned([10, 20]), made.partitioned([300, 400])
    rows = traced(small) + [entry | {"file": 1} for entry in traced(large, at=50)]
    trace = saved(tmp_path, rows, ranks=2)
    sizes = {
        name: [one["bytes"] for one in printed(capsys, *words)["measures"]["accesses"]]
        for name, words in {
            "default": ("layout", "measure", "simple:2:10", "--trace", trace),
            "named": ("layout", "measure", "simple:2:10", "--trace", trace, "--file", "a"),
        }.items()
    }

    assert sizes == {"default": [300, 400], "named": [10, 20]}


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["measure", "simple:4:64KiB"], 2, "expected accesses from either --access or --trace, got neither"),
        (
            ["measure", "simple:4:64KiB", "--access", "12"],
            1,
            "expected an access OFFSET:SIZE such as 0:64KiB",
        ),
        (
            ["measure", "simple:4:64KiB", "--access", "0:0"],
            1,
            "expected bytes on at least one server, got none",
        ),
        (["measure", "simple:4:64KiB", "--access", "0:-5"], 1, "expected a size"),
        (["advise", "--servers", "4", "--runs", "2"], 2, "expected either --trace alone, or --runs"),
        (["patterns", "nowhere"], 1, "cannot read: No such file or directory"),
        (
            ["advise", "--servers", "4", "--runs", "2", "--processes", "2", "--generation", "0"],
            1,
            "bytes per generation",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(words, status, said, capsys):
    assert run(["layout", *words]) == status
    error = capsys.readouterr().err
    assert said in error
    assert "Traceback" not in error


def test_a_trace_without_offsets_has_no_phases(tmp_path, capsys):
    trace = saved(tmp_path, [row(0, "write", 0, 1, file=0, offset=-1, bytes=5)])

    assert run(["layout", "patterns", str(trace)]) == 1
    assert (
        "expected a trace with file accesses at known offsets, found no such access"
        in capsys.readouterr().err
    )


def test_the_guide_shows_what_the_commands_print(capsys):
    text = (Path(__file__).parents[3] / "docs" / "guides" / "choose-a-layout.md").read_text()
    shown = re.findall(r"```console\n\$ striate (.*?)\n(.*?)```", text, re.DOTALL)

    assert len(shown) == 2
    for words, printed_there in shown:
        assert run(words.split()) == 0
        assert capsys.readouterr().out == printed_there
