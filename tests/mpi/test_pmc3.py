"""The sampler under MPI: the same samples on any number of ranks, and after any interruption."""

import importlib.util
import subprocess
import sys

import pytest

from mpi.pmc3_runs import MPIEXEC, SAMPLER, command, disturbed, exported, sample
from striate.apps.pmc3.nexus import random_matrix
from striate.apps.pmc3.parallel_file import ParallelFile

needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or not MPIEXEC.exists(),
    reason="mpi4py and its mpiexec are not installed beside this Python",
)
SHORT = ("--runs", "3", "--chains", "2", "--generations", "60", "--sample-frequency", "7", "--model", "jc69")


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    path = tmp_path_factory.mktemp("matrix") / "random.nex"
    path.write_text(random_matrix(6, 40, seed=5))
    return path


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_samples_do_not_depend_on_the_number_of_ranks(ranks, matrix, tmp_path):
    sample(1, matrix, tmp_path / "alone", *SHORT)
    sample(ranks, matrix, tmp_path / "ranks", *SHORT, "--buffer", "3", "--layout", "simple:2:64KiB")

    assert (tmp_path / "ranks").read_bytes() == (tmp_path / "alone").read_bytes()
    assert (tmp_path / "ranks.mcmc").read_text() == (tmp_path / "alone.mcmc").read_text()


@needs_mpi
def test_the_old_way_through_rank_0_writes_the_files_that_the_new_way_exports(matrix, tmp_path):
    sample(2, matrix, tmp_path / "mapped", *SHORT)
    stem = tmp_path / "serial" / "samples"
    stem.parent.mkdir()
    serial = [str(MPIEXEC), "-n", "2", *SAMPLER, str(matrix), "--serial-files", str(stem), *SHORT]
    subprocess.run(serial, check=True, capture_output=True)

    written = {path.name: path.read_bytes() for path in stem.parent.iterdir() if path.suffix in (".p", ".t")}
    assert written == exported(tmp_path / "mapped")
    assert len(written) == 6


@needs_mpi
def test_samples_in_the_order_of_time_are_those_of_areas_for_each_run(matrix, tmp_path):
    sample(1, matrix, tmp_path / "areas", *SHORT)
    sample(3, matrix, tmp_path / "time", *SHORT, "--buffer", "3", "--arrangement", "generation")

    assert (tmp_path / "time").read_bytes() != (tmp_path / "areas").read_bytes()
    assert exported(tmp_path / "time") == exported(tmp_path / "areas")
    other = subprocess.run(
        command(2, matrix, tmp_path / "time", *SHORT, "--restart"), capture_output=True, text=True
    )
    assert other.returncode == 1
    assert "expected --arrangement generation, as it was begun, got run" in other.stderr


STRIPS = ("--arrangement", "generation", "--layout", "varstrip")


@needs_mpi
def test_samples_in_strips_of_the_ranks_are_the_same_samples(matrix, tmp_path):
    sample(1, matrix, tmp_path / "areas", *SHORT)
    sample(3, matrix, tmp_path / "strips", *SHORT, "--buffer", "4", *STRIPS)

    assert exported(tmp_path / "strips") == exported(tmp_path / "areas")
    with (tmp_path / "strips").open("rb") as stream:
        assert ParallelFile.open(stream).description.together == 4
    other = subprocess.run(
        command(1, matrix, tmp_path / "strips", *SHORT, *STRIPS, "--restart"), capture_output=True, text=True
    )
    assert other.returncode == 1
    assert "expected --layout varstrip --buffer 4, as it was begun, got 1" in other.stderr


@needs_mpi
def test_strips_of_runs_that_ranks_cannot_share_evenly_are_refused(matrix, tmp_path):
    done = subprocess.run(
        command(2, matrix, tmp_path / "strips", *SHORT, *STRIPS), capture_output=True, text=True
    )

    assert done.returncode != 0
    assert "expected a number of runs that is a multiple of the 2 ranks, got 3 runs" in done.stderr


LONG = ("--runs", "2", "--chains", "2", "--generations", "3000", "--sample-frequency", "20", "--buffer", "4")
LONG += ("--model", "jc69", "--checkpoint-every", "50")


@pytest.fixture(scope="module")
def undisturbed(matrix, tmp_path_factory):
    output = tmp_path_factory.mktemp("undisturbed") / "whole"
    sample(1, matrix, output, *LONG)
    return exported(output)


@needs_mpi
@pytest.mark.parametrize(("seed", "options"), [(1, ()), (2, STRIPS)])
def test_a_killed_rank_costs_nothing_that_a_checkpoint_promised(seed, options, matrix, tmp_path, undisturbed):
    torn = tmp_path / "torn"

    found = disturbed(2, matrix, torn, seed, *LONG, *options)

    assert found, "it ended before it could be disturbed: make it longer"
    with torn.open("rb") as stream:
        file = ParallelFile.open(stream)
        before = [file.run(run) for run in range(2)]
    sample(1, matrix, torn, *LONG, *options, "--restart")

    assert all(run.samples == file.samples for run in before)
    assert exported(torn) == undisturbed


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--parallel-file", "out", "--restart"], "a checkpoint to restart from"),
        (["--parallel-file", "taken"], "give --force"),
        (["--parallel-file", "out", "--layout", "spiral"], "expected a layout"),
        (["--parallel-file", "out", "--layout", "varstrip"], "expected --arrangement generation with"),
        (["--parallel-file", "missing/out"], "No such file"),
        (["--parallel-file", "out", "--serial-files", "out"], "either --parallel-file"),
        ([], "either --parallel-file"),
    ],
)
def test_bad_input_is_refused_without_a_traceback(options, words, matrix, tmp_path):
    (tmp_path / "taken").write_text("mine")
    done = subprocess.run([*SAMPLER, str(matrix), *options], cwd=tmp_path, capture_output=True, text=True)

    assert done.returncode in (1, 2)
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize("outputs", [("--parallel-file", "out"), ("--serial-files", "out")])
def test_going_on_without_what_was_written_or_with_another_matrix_is_refused(outputs, matrix, tmp_path):
    run = [*SAMPLER, str(matrix), *outputs, "--generations", "4", "--sample-frequency", "1"]
    assert subprocess.run(run, cwd=tmp_path, capture_output=True).returncode == 0
    other = tmp_path / "other.nex"
    text = matrix.read_text()
    place = max(text.rfind(letters) for letters in ("AC", "CA", "AG", "GA", "ac", "ca", "ag", "ga"))
    other.write_text(text[:place] + text[place : place + 2][::-1] + text[place + 2 :])

    mixed = [str(other) if word == str(matrix) else word for word in run]
    done = subprocess.run([*mixed, "--restart"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "the checkpoint was written for another data matrix" in done.stderr) == (1, True)

    for path in tmp_path.glob("out*"):
        if path.suffix != ".ckp":
            path.unlink()
    done = subprocess.run([*run, "--restart"], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, "expected the output to continue" in done.stderr) == (1, True)


@needs_mpi
def test_a_matrix_that_is_not_there_ends_all_ranks(tmp_path):
    done = subprocess.run(
        command(2, tmp_path / "none.nex", tmp_path / "out"), capture_output=True, text=True, timeout=60
    )

    assert done.returncode != 0
    assert "none.nex" in done.stderr
    assert "Traceback" not in done.stderr


def test_copies_that_know_nothing_of_each_other_are_refused(matrix, tmp_path):
    done = subprocess.run(
        [*SAMPLER, str(matrix), "--parallel-file", str(tmp_path / "out")],
        env={"PATH": "/usr/bin", "OMPI_COMM_WORLD_SIZE": "4"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 1
    assert "expected 4 ranks, as many as mpiexec started" in done.stderr
    assert not (tmp_path / "out").exists()


def test_an_export_refuses_to_overwrite(matrix, tmp_path):
    sample(1, matrix, tmp_path / "out", *SHORT)
    export = [
        sys.executable,
        "-m",
        "striate.apps.pmc3",
        "export",
        str(tmp_path / "out"),
        "-o",
        str(tmp_path / "s"),
    ]

    assert subprocess.run(export, capture_output=True).returncode == 0
    assert subprocess.run(export, capture_output=True).returncode == 1
    assert subprocess.run([*export, "--force"], capture_output=True).returncode == 0
