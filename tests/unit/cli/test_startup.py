"""Starting is quick because heavy libraries are imported where they are used."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "pyarrow", "scipy", "rich", "click"}


def modules_after(code: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after `code`."""
    show = "import json, sys; sys.stderr.write(json.dumps([name.split('.')[0] for name in sys.modules]))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stderr))


def test_importing_striate_imports_nothing_heavy():
    assert modules_after("import striate") & HEAVY == set()


def test_the_modules_are_seen_when_they_are_imported():
    assert modules_after("import striate; striate.Workload") & HEAVY == {"numpy"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["completion", "bash"]])
def test_help_needs_no_arrays(arguments):
    code = f"from striate.cli.main import run\nassert run({arguments!r}) == 0"

    assert modules_after(code) & (HEAVY - {"click"}) == set()


def test_a_log_is_read_and_judged_without_what_pyarrow_imports_for_others():
    log = Path(__file__).parents[2] / "data" / "darshan" / "pyd_ior_hdf5_4r_dxt_lustre.darshan"
    code = "import io, sys\nfrom striate.cli.main import run\nsys.stdout = io.StringIO()\n"
    commands = [["info", str(log)], ["advise", str(log)], ["predict", str(log), "lustre-64"]]
    code += "".join(f"run({command!r})\n" for command in commands)
    code += "assert 'pyarrow.compute' not in sys.modules"

    assert "pandas" not in modules_after(code)


def test_a_log_is_summarised_without_masked_arrays_and_package_metadata():
    log = Path(__file__).parents[2] / "data" / "darshan" / "dxtexp_vpic_192r_dxt.darshan"
    code = "import io, sys\nfrom striate.cli.main import run\nsys.stdout = io.StringIO()\n"
    code += f"run(['info', {str(log)!r}])\nassert not {{'numpy.ma', 'importlib.metadata', 'hmac'}} & set(sys.modules)"

    assert "numpy" in modules_after(code)


def test_every_public_name_can_be_used():
    import striate

    for name in striate.__all__:
        assert getattr(striate, name) is not None
    assert dir(striate) == striate.__all__
    with pytest.raises(AttributeError, match="module 'striate' has no attribute 'emulate'"):
        _ = striate.emulate
