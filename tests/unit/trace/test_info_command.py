"""`striate info` from the outside."""

import json

import pytest

from darshan_logs import MIB, Log, mpiio, posix
from striate.cli.main import run
from toy_traces import two_ranks


def test_info_prints_a_screen_or_json(tmp_path, capsys):
    two_ranks().save(tmp_path / "run.parquet")

    assert run(["info", str(tmp_path / "run.parquet")]) == 0
    assert "2 ranks on 2 hosts" in capsys.readouterr().out
    assert run(["info", str(tmp_path / "run.parquet"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == "striate.trace-info/2"


def test_info_refuses_a_bad_file_in_one_line(tmp_path, capsys):
    (tmp_path / "noise").write_bytes(b"noise")

    assert run(["info", str(tmp_path / "noise")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("often", ["soon", "0 s", "10 us", "2 h", "-1 s"])
def test_samples_cannot_be_taken_at_any_rate(often, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    assert run(["trace", "--sample", often, "--", "true"]) == 1
    error = capsys.readouterr().err
    assert "expected a time" in error
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_what_the_library_reads_below_mpi_io_is_told_beside_what_the_program_read(tmp_path, capsys):
    """Data sieving: the program writes alone, and a tenth of its time is spent in reads of POSIX."""
    log = Log(ranks=1, seconds=10)
    log.add("MPI-IO", "/scratch/f", 0, **mpiio("write", 4, MIB, 3.0))
    log.add("POSIX", "/scratch/f", 0, **(posix("write", 4, MIB, 1.0) | posix("read", 3, MIB, 1.0)))

    assert run(["info", str(log.save(tmp_path / "log.darshan"))]) == 0
    told = capsys.readouterr().out
    assert "read 0 B, wrote 4 MiB" in told
    assert "below MPI-IO, POSIX calls read 3 MiB" in told


def test_reads_that_the_program_asked_for_are_told_once(tmp_path, capsys):
    log = Log(ranks=1, seconds=10)
    log.add("MPI-IO", "/scratch/f", 0, **mpiio("read", 4, MIB, 3.0))
    log.add("POSIX", "/scratch/f", 0, **posix("read", 4, MIB, 1.0))

    assert run(["info", str(log.save(tmp_path / "log.darshan"))]) == 0
    assert "below MPI-IO" not in capsys.readouterr().out
