"""The .mcmc file: rates and split frequencies by hand and by MrBayes, and the same after an interruption."""

import io
import math
import re
import shutil
import subprocess

import numpy as np
import pytest

from failing_store import MemoryStore, PowerError
from striate.apps.pmc3.coupling import Coupling
from striate.apps.pmc3.diagnostics import McmcFile, RunTally, deviation_of_splits, joined
from striate.apps.pmc3.lines import describe
from striate.apps.pmc3.nexus import parse_nexus, random_matrix
from striate.apps.pmc3.run import sample_all
from striate.apps.pmc3.sampler import Alone, Sampler, SamplerSettings
from striate.apps.pmc3.writers import MappedWriter, SerialWriter, headers, identity

MATRIX = parse_nexus(random_matrix(5, 12, seed=2))
SETTINGS = SamplerSettings(runs=2, chains=3, generations=40, sample_frequency=4, seed=9)


def run(folder, *, writes=10**9, content=None, restart=False):
    """A sampling into memory, with its .mcmc file in the folder."""
    sampler = Sampler(MATRIX, SETTINGS, Alone())
    described = describe(SETTINGS.model, MATRIX.names, SETTINGS.runs, 40, 4)
    store = MemoryStore(io.BytesIO() if content is None else content, writes)
    writer = MappedWriter(store, described, headers(MATRIX.names, SETTINGS), Alone(), 1)
    sample_all(
        sampler, writer, folder / "c.ckp", every=7, restart=restart, diagnostics=mcmc(folder, SETTINGS)
    )
    return sampler


def mcmc(folder, settings):
    fields = {"model": settings.model, "runs": settings.runs, "chains": settings.chains}
    return McmcFile(folder / "out.mcmc", identity=identity(settings), **fields)


def cells(folder):
    """Column names, and the lines as dictionaries."""
    head, *rows = [
        line for line in (folder / "out.mcmc").read_text().splitlines() if not line.startswith("[")
    ]
    return [dict(zip(head.split("\t"), row.split("\t"), strict=True)) for row in rows]


def test_the_deviation_of_split_frequencies_is_that_of_the_hand_calculation():
    runs = [RunTally({}, {"6": 3, "c": 1}, 4), RunTally({}, {"6": 1, "18": 1}, 4)]
    # 6: 3/4 and 1/4; c: 1/4 and 0; 18: 0 and 1/4. Of two numbers the deviation is their distance over sqrt(2).
    assert deviation_of_splits(runs) == pytest.approx((0.5 + 0.25 + 0.25) / math.sqrt(2) / 3)


def test_splits_that_are_rare_in_all_runs_do_not_count():
    runs = [RunTally({}, {"6": 100, "c": 9}, 100), RunTally({}, {"6": 100}, 100)]

    assert deviation_of_splits(runs) == 0.0
    assert deviation_of_splits(runs[:1]) is None


def test_rates_are_what_was_accepted_of_what_was_tried(tmp_path):
    sampler = run(tmp_path)
    rows = cells(tmp_path)
    last = rows[-1]
    tally = sampler.tallies[1]

    assert [int(row["Gen"]) for row in rows] == [0, 7, 14, 21, 28, 35, 40]
    assert sum(tried for tried, _ in tally.moves.values()) == 40  # a step of the cold chain a generation
    tried, accepted = tally.moves["NNI(Tau)"]
    assert last["NNI(Tau)$acc_run2"] == f"{accepted / tried:.6f}"
    assert sampler.coupling.tried.sum(axis=(1, 2)).tolist() == [40, 40]
    rate = sampler.coupling.accepted[0, 0, 2] / sampler.coupling.tried[0, 0, 2]
    assert last["Swap(1<>3)$acc(1)"] == f"{rate:.6f}"
    assert last["AvgStdDev(s)"] == f"{deviation_of_splits(sampler.tallies):.6f}"


def test_what_ranks_counted_is_added():
    parts = [RunTally({"a": [3, 1]}, {"6": 2}, 4), RunTally({"a": [2, 2], "b": [1, 0]}, {"6": 1, "c": 5}, 5)]

    assert joined(parts) == RunTally({"a": [5, 3], "b": [1, 0]}, {"6": 3, "c": 5}, 9)


@pytest.mark.parametrize("writes", [14, 23, 31])
def test_an_interrupted_run_ends_with_the_file_of_an_undisturbed_one(writes, tmp_path):
    for name in ("whole", "torn"):
        (tmp_path / name).mkdir()
    run(tmp_path / "whole")
    content = io.BytesIO()
    with pytest.raises(PowerError):
        run(tmp_path / "torn", writes=writes, content=content)
    with (tmp_path / "torn" / "out.mcmc").open("a") as file:
        file.write("39\t0.5\n4")  # a line after the checkpoint, and one that a kill cut off
    run(tmp_path / "torn", content=content, restart=True)

    assert (tmp_path / "torn" / "out.mcmc").read_text() == (tmp_path / "whole" / "out.mcmc").read_text()


def test_swaps_between_processes_are_told_by_their_ranks():
    coupling = Coupling(1, 4, seed=1, owners=np.array([[0, 0, 1, 1]]))
    for _ in range(60):
        coupling.swap(np.zeros((1, 4)))  # equally probable states always swap

    # of six pairs of chains four are on two processes
    between = coupling.between[0, 1]
    assert 25 < between < 55
    assert (
        coupling.told()
        == f"60 of 60 swaps accepted, {between} between processes since the start: 0 and 1 {between}"
    )
    assert Coupling(1, 2, seed=1).told() == "0 of 0 swaps accepted, none between processes"


@pytest.mark.skipif(shutil.which("mb") is None, reason="MrBayes is not installed")
def test_mrbayes_finds_the_same_deviation_in_our_files(tmp_path):
    text = random_matrix(6, 30, seed=3)
    matrix = parse_nexus(text)
    settings = SamplerSettings(runs=2, chains=2, generations=400, sample_frequency=4, seed=5, model="jc69")
    writer = SerialWriter(tmp_path / "out", settings, headers(matrix.names, settings), Alone())
    sample_all(
        Sampler(matrix, settings, Alone()),
        writer,
        tmp_path / "c",
        every=400,
        diagnostics=mcmc(tmp_path, settings),
    )
    (tmp_path / "matrix.nex").write_text(text)
    asked = "execute matrix.nex;\nsumt filename=out nruns=2 relburnin=no burnin=0 minpartfreq=0.1;"
    (tmp_path / "ask.nex").write_text(
        f"#NEXUS\nbegin mrbayes;\nset autoclose=yes nowarn=yes;\n{asked}\nend;\n"
    )
    said = subprocess.run(
        ["mb", "ask.nex"], cwd=tmp_path, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    found = re.search(r"Average standard deviation of split frequencies = ([0-9.]+)", said.stdout)

    assert found is not None, said.stdout[-2000:]
    assert found[1] == cells(tmp_path)[-1]["AvgStdDev(s)"]
