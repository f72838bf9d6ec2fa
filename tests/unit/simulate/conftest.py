"""Programs given as lines, run on simulated ranks."""

import textwrap

import pytest

import striate
from striate.simulate import record_program
from unit.simulate.recorded import HEADER


@pytest.fixture(scope="module")
def westmere():
    return striate.load_cluster("westmere")


@pytest.fixture
def simulate(tmp_path, westmere, monkeypatch):
    """Run the lines of a program; the workload, and what it printed."""
    monkeypatch.chdir(tmp_path)

    def run(lines, ranks=2, *, compute=0, cluster=westmere, **options):
        path = tmp_path / "app.py"
        path.write_text(HEADER + textwrap.dedent(lines))
        with (tmp_path / "printed").open("w+") as output:
            made = record_program(path, cluster, ranks=ranks, compute=compute, output=output, **options)
            output.seek(0)
            return made, output.read()

    return run
