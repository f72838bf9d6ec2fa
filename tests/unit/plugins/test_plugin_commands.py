"""`--plugin` and `striate plugin` on the command line."""

import json
import subprocess
import sys

import pytest

from plugin_files import EXAMPLES, TEMPLATES, written
from striate.cli.main import run
from striate.plugins.loading import METHODS

BCAST = ["predict", "kernel:bcast,size=4MiB", "westmere", "--ranks", "16"]


def test_every_kind_begins_with_a_plugin_that_passes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for kind in METHODS:
        assert run(["plugin", "new", kind]) == 0
        assert run(["plugin", "check", f"my_{kind.replace('-', '_')}.py"]) == 0
        assert f": {kind} my-" in capsys.readouterr().out
    assert run(["plugin", "new", "cache"]) == 1
    assert "the output file exists" in capsys.readouterr().err
    assert run(["plugin", "list"]) == 0
    assert all(kind in capsys.readouterr().out for kind in ["scheduler"])


def test_a_forecast_names_the_plugin_file_among_its_inputs(capsys):
    assert run([*BCAST, "--plugin", str(EXAMPLES / "node_tree.py"), "--json"]) == 0

    assert "node_tree.py" in json.loads(capsys.readouterr().out)["provenance"]["inputs"]


@pytest.fixture
def raising(tmp_path):
    return written(
        tmp_path,
        """
        class Raising:
            kind, name, call = "collective", "raising", "bcast"
            def schedule(self, request):
                raise ValueError("two\\nlines")
        plugins = [Raising]
        """,
    )


def test_a_broken_plugin_is_one_line_and_a_traceback_when_asked(raising, capsys):
    assert run([*BCAST, "--plugin", raising]) == 1
    line = f"striate: `schedule` raises ValueError: two lines (line 8) - at collective raising ({raising})\n"
    assert capsys.readouterr().err == line

    assert run([*BCAST, "--plugin", raising, "--plugin-traceback"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("Traceback (most recent call last):")
    assert told.endswith(line)
    assert run(["plugin", "check", raising]) == 1
    assert "at collective raising" in capsys.readouterr().err


def test_a_named_rung_refuses_a_plugin_that_it_does_not_ask(capsys):
    plugin = str(TEMPLATES / "scheduler.py")
    words = "only the packet engine models the plug-in my-scheduler (scheduler)"

    for rung in ("resource", "queueing", "macro-rr", "micro", "flow"):
        assert run(["predict", "kernel:io-level-0", "westmere", "--rung", rung, "--plugin", plugin]) == 1
        assert words in capsys.readouterr().err


def test_tune_races_collectives_of_a_plugin(tmp_path, capsys):
    (tmp_path / "spec.toml").write_text(
        'program = "program.py"\n[vary]\ncollectives = ["bcast=binomial", "bcast=node-tree"]\n'
    )
    (tmp_path / "program.py").write_text(
        "from striate.apps import kernels\nworkload = kernels.workload('bcast', ranks=16, size='4 MiB')\n"
    )
    command = ["tune", str(tmp_path / "spec.toml"), "westmere", "--executor", "serial", "--json"]
    assert run([*command, "--plugin", str(EXAMPLES / "node_tree.py")]) == 0
    found = json.loads(capsys.readouterr().out)

    assert "node-tree" in json.dumps(found["outcomes"][0])


def test_simulate_takes_plugins_too(tmp_path):
    (tmp_path / "program.py").write_text(
        "from mpi4py import MPI\nMPI.COMM_WORLD.Bcast(bytearray(1 << 20), root=0)\n"
    )
    words = ["simulate", str(tmp_path / "program.py"), "westmere", "--ranks", "4", "--compute", "0", "--json"]
    words += ["--plugin", str(EXAMPLES / "node_tree.py")]
    done = subprocess.run(
        [sys.executable, "-m", "striate", *words], capture_output=True, text=True, check=True
    )

    assert any("node-tree" in note for note in json.loads(done.stdout)["notes"])
