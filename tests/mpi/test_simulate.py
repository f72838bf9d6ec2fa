"""What programs print and write on simulated ranks is what they print and write under MPI."""

import sys

import pytest

import striate
from mpi_libraries import PROGRAMS
from striate.apps.pmc3.nexus import random_matrix
from striate.simulate import record_program

HERE = PROGRAMS / "simulated"


@pytest.mark.parametrize(
    "name", ["messages", "persistent", "collectives", "groups", "files", "windows", "neighbours"]
)
def test_the_expected_outputs_are_those_of_a_real_mpi(run_ranks, tmp_path, name):
    assert run_ranks(4, f"simulated/{name}.py", tmp_path) == (HERE / f"{name}.out").read_text()


def test_jacobi_writes_the_same_bytes(run_ranks, tmp_path):
    cluster = striate.load_cluster("westmere")
    arguments = ("12", "64", "30")
    run_ranks(5, "jacobi.py", tmp_path / "real", *arguments)
    with (tmp_path / "printed").open("w") as output:
        record_program(
            PROGRAMS / "jacobi.py",
            cluster,
            ranks=5,
            arguments=[str(tmp_path / "simulated"), *arguments],
            output=output,
        )

    assert (tmp_path / "simulated").read_bytes() == (tmp_path / "real").read_bytes()


def test_the_runtime_gives_back_what_simulated_ranks_wrote(tmp_path):
    with (tmp_path / "printed").open("w+") as output:
        record_program(
            PROGRAMS / "round_trip.py",
            striate.load_cluster("westmere"),
            ranks=3,
            arguments=[str(tmp_path), "4"],
            output=output,
        )
        output.seek(0)
        assert int(output.read().split(" cases agree")[0]) >= 4


def test_samples_of_simulated_ranks_are_those_of_one_process(tmp_path):
    matrix = tmp_path / "random.nex"
    matrix.write_text(random_matrix(6, 40, seed=5))
    short = [
        "--runs",
        "2",
        "--chains",
        "2",
        "--generations",
        "14",
        "--sample-frequency",
        "7",
        "--model",
        "jc69",
    ]
    for ranks, name in ((1, "alone"), (3, "ranks")):
        record_program(
            "striate.apps.pmc3",
            striate.load_cluster("westmere"),
            ranks=ranks,
            is_module=True,
            arguments=[str(matrix), *short, "--parallel-file", str(tmp_path / name)],
            output=sys.stderr.fileno(),
        )

    assert (tmp_path / "ranks").read_bytes() == (tmp_path / "alone").read_bytes()
