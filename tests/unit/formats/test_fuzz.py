"""Some hundred mutated files through every reader; verification/fuzz_readers.py does fifty thousand."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "verification" / "fuzz_readers.py"


@pytest.fixture(scope="module")
def fuzzer():
    spec = importlib.util.spec_from_file_location("fuzz_readers", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mutated_files_give_a_trace_or_a_refusal_and_nothing_else(fuzzer):
    outcomes = fuzzer.fuzz(300, seed=2024)

    assert {".parquet", ".pfw", ".pfw.gz", "parts", "recorder"} <= set(outcomes)
    assert all(counts["trace"] + counts["refused"] > 0 for counts in outcomes.values())
    assert sum(counts["refused"] for counts in outcomes.values()) > 30


def test_the_fuzzer_notices_a_reader_that_breaks(fuzzer, monkeypatch):
    import striate.formats.read as reading

    def broken(path):
        raise KeyError("planted")

    monkeypatch.setattr(reading, "read_trace", broken)

    with pytest.raises(AssertionError, match="planted"):
        fuzzer.fuzz(5, seed=1)
