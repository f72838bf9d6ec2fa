"""300 programs with files: what a run says is the same with and without exact fast-forward, to the picosecond."""

import importlib.util
import itertools
import sys
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "verification"


def verification():
    spec = importlib.util.spec_from_file_location("fast_forward_files", _FOLDER / "fast_forward_files.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_files_are_the_same_with_and_without_fast_forward():
    compare = verification()
    pairs = (
        compare.runs_of(compare.draw(seed, most_ranks=4), most_seconds=2e-3) for seed in itertools.count()
    )
    found = list(itertools.islice((pair for pair in pairs if pair), 300))

    assert [compare.difference(plain, fast) for plain, fast in found] == [""] * 300
    assert sum(fast.skipped for _, fast in found) > 0
