"""Built-in kernels do what their names say, on any number of ranks."""

import json

import pytest

from machines import SWITCH, node, run_application, server
from striate.apps import kernels
from striate.apps.kernels.collectives import KINDS, rising
from striate.cli.main import run
from striate.cluster.builders import star
from striate.collectives.book import book_of
from striate.errors import WorkloadError
from striate.ladder import predict
from striate.workload.transforms.unfold import unfold

MIB = 1 << 20


def machine(nodes=8):
    return star(node=node(nodes), switch=SWITCH, server=[server(2)])


def played(name, ranks, **options):
    load = kernels.workload(name, ranks=ranks, **options)
    load.check()
    application = load.applications[0]
    cluster = machine()
    return run_application(application, cluster, cluster.place(ranks), collectives=book_of(application))


@pytest.mark.parametrize("name", sorted(kernels.KERNELS))
@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_every_kernel_runs_to_its_end(name, ranks):
    options = {} if name == "barrier" else {"size": "10 KiB"}

    assert played(name, ranks, **options).rank_end.max() > 0


@pytest.mark.parametrize(
    ("name", "ranks", "messages"),
    [
        ("pingpong", 4, 2),
        ("sendrecv", 4, 2),
        ("ring", 5, 5),
        ("paired", 5, 4),
        ("sendtoroot", 5, 4),
        ("sendrecvroot", 5, 8),
        ("incast", 5, 4),
    ],
)
def test_a_kernel_sends_as_many_messages_as_its_pattern_has(name, ranks, messages):
    assert played(name, ranks, size=1000).messages == messages
    assert played(name, ranks, size=1000, repeat=3).messages == 3 * messages


def test_every_collective_has_a_kernel():
    assert {kind.label for kind in KINDS} <= set(kernels.KERNELS)


@pytest.mark.parametrize("level", range(4))
@pytest.mark.parametrize("mode", ["write", "read"])
def test_every_level_of_access_touches_the_same_bytes(level, mode):
    load = kernels.workload(f"io-level-{level}", ranks=3, size=1000, blocks=4, mode=mode)
    touched = []
    for rank in range(3):
        for step in unfold(load.applications[0], rank):
            if "offset" in step.operands:
                assert step.kind.label == mode + "_all" * (level in (1, 3))
                first, count, stride = (step.operands[name] for name in ("offset", "count", "stride"))
                touched += [(first + block * stride, step.operands["bytes"]) for block in range(count)]

    assert sorted(touched) == [(block * 1000, 1000) for block in range(12)]


def test_sizes_that_rise_have_the_mean_that_was_given():
    assert [rising(300, rank, 5) for rank in range(5)] == [100, 200, 300, 400, 500]


def test_a_collective_kernel_takes_the_algorithm_named():
    direct, tree = (
        played("bcast", 8, size=MIB, algorithm=name).rank_end.max() for name in ("direct", "binomial")
    )

    assert direct != tree


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bounce", {}, "expected a benchmark kernel among .*, got 'bounce'"),
        ("ring", {"sise": 1}, "expected an option among size, repeat, got 'sise'"),
        (
            "ring",
            {"size": "many"},
            "expected the option size to have the type of its default '1 MiB', got 'many'",
        ),
        ("ring", {"repeat": "x"}, "expected the option repeat to have the type of its default 1, got 'x'"),
        ("bcast", {"root": "9"}, "expected the option root to be a rank from 0 to 7, got 9"),
        ("pingpong", {"second": "0"}, "expected two different ranks"),
        ("io-level-0", {"mode": "append"}, "expected the option mode to be read or write, got 'append'"),
    ],
)
def test_mistakes_are_refused(name, options, message):
    with pytest.raises(WorkloadError, match=message):
        kernels.workload(name, **options)


def test_the_command_line_knows_kernels(capsys):
    line = ["predict", "kernel:pingpong,size=1MiB,repeat=3", "westmere", "--rung", "fine", "--json"]

    assert run(line) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == 2
    assert run(["predict", "kernel:ring,ranks=4", "westmere"]) == 1
    assert "expected the number of ranks as --ranks N" in capsys.readouterr().err


def test_a_ping_pong_takes_twice_the_way_of_its_message():
    forecast = predict(kernels.workload("pingpong", size=MIB), machine(), rung="fine")

    # Two messages, each over two cables of 1 GB/s in packets: a transfer each at least, two at most.
    assert 2 * MIB / 1e9 < forecast.seconds.estimate < 4 * MIB / 1e9 + 1e-3
