"""Small files that unpack to gigabytes are refused in one line, in little memory, unless more is allowed."""

import bz2
import gzip
import resource

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from darshan_logs import Log, packed, posix
from striate.cli.main import run
from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.limits import ReadBudget
from striate.workload import Spmd
from toy_traces import two_ranks

MORE = 600 * 2**20


def grown_by(action) -> int:
    """By how many bytes the peak of this process grew."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    action()
    return 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)


def darshan_bomb(path):
    """A log whose first module is 80 MiB of zeros in bytes of bzip2."""
    log = packed(Log(ranks=2).add("POSIX", "/a", 0, **posix("write", 1, 1, 1.0)))
    count, at = 64, 32
    head = bytearray(log[: at + 16 + 20 * count])
    head[16] = 1
    zeros = bz2.BZ2Compressor()
    part = b"".join(zeros.compress(bytes(2**24)) for _ in range(5)) + zeros.flush()
    job = bz2.compress(np.array([0, 1, 0, 2, 0, 2, 7], "<i8").tobytes() + bytes(2048))
    names = bz2.compress(b"\1\0\0\0\0\0\0\0/a\0")
    body = [job, names, part]
    starts = np.cumsum([len(head), *map(len, body)])
    maps = np.zeros((count + 1, 2), "<u8")
    maps[0] = starts[1], len(names)
    maps[2] = starts[2], len(part)
    head[at : at + maps.nbytes] = maps.tobytes()
    path.write_bytes(bytes(head) + b"".join(body))
    return path


def test_a_darshan_log_of_packed_zeros_is_refused(tmp_path, capsys):
    path = darshan_bomb(tmp_path / "bomb.darshan")
    assert path.stat().st_size < 6000

    assert grown_by(lambda: run(["info", str(path)])) < MORE
    assert "the file decompresses to more than 64 MiB" in capsys.readouterr().err


def test_a_parquet_trace_of_equal_rows_is_refused(tmp_path):
    trace = two_ranks()
    trace.save(tmp_path / "toy.parquet")
    table = pq.read_table(tmp_path / "toy.parquet")
    many = pa.concat_tables([table.slice(0, 1)]).take(pa.array(np.zeros(1_100_000, np.int64)))
    pq.write_table(many, tmp_path / "bomb.parquet", compression="zstd")

    with pytest.raises(TraceError, match="more than 1,048,576 rows; STRIATE_READ_ROWS"):
        read_trace(tmp_path / "bomb.parquet")


def test_a_saved_workload_of_equal_rows_is_refused(tmp_path, capsys):
    body = Spmd(2)
    body.compute(1)
    body.workload().save(tmp_path / "toy.parquet")
    table = pq.read_table(tmp_path / "toy.parquet")
    many = table.take(pa.array(np.zeros(1_100_000, np.int64)))
    pq.write_table(many, tmp_path / "bomb.parquet", compression="zstd")
    assert (tmp_path / "bomb.parquet").stat().st_size < 2**20

    assert grown_by(lambda: run(["predict", str(tmp_path / "bomb.parquet"), "westmere"])) < MORE
    assert "the file has more than 1,048,576 rows; STRIATE_READ_ROWS" in capsys.readouterr().err


def test_an_archive_of_more_rows_than_allowed_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("otf2", reason="needs the otf2 wheel")
    from striate.formats.writers.otf2 import write

    write(two_ranks(), tmp_path / "run.otf2")
    monkeypatch.setenv("STRIATE_READ_ROWS", "3")

    with pytest.raises(TraceError, match="more than 3 rows; STRIATE_READ_ROWS"):
        read_trace(tmp_path / "run.otf2")


def test_a_long_function_name_in_many_rows_is_kept_once(tmp_path):
    two_ranks().save(tmp_path / "toy.parquet")
    table = pq.read_table(tmp_path / "toy.parquet")
    rows = table.take(pa.array(np.arange(7).repeat(20_000)))
    names = pa.DictionaryArray.from_arrays(np.zeros(140_000, np.int32), pa.array(["f" * 100_000]))
    rows = rows.set_column(rows.column_names.index("function"), "function", names)
    pq.write_table(rows, tmp_path / "long.parquet", compression="zstd")

    assert grown_by(lambda: run(["info", str(tmp_path / "long.parquet")])) < MORE  # 14 GB as plain text


def test_a_packed_dftracer_log_of_one_line_a_million_times_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("STRIATE_READ_BYTES", "1 MiB")
    line = b'{"id":1,"name":"write","cat":"POSIX","pid":1,"tid":1,"ts":1,"dur":1,"ph":"X","args":{"ret":1}}\n'
    (tmp_path / "bomb.pfw.gz").write_bytes(gzip.compress(line * 20_000, 1))

    with pytest.raises(TraceError, match="decompresses to more than 1 MiB; STRIATE_READ_BYTES"):
        read_trace(tmp_path / "bomb.pfw.gz")


def test_limits_are_relative_to_the_file_and_settable(tmp_path, monkeypatch):
    path = tmp_path / "file"
    with path.open("wb") as file:
        file.truncate(10**9)  # a hole: it takes no room

    assert ReadBudget.of(path).most_bytes == 48 * 10**9
    assert ReadBudget.of(path).most_rows == 5 * 10**8
    monkeypatch.setenv("STRIATE_READ_BYTES", "1 MiB")
    monkeypatch.setenv("STRIATE_READ_ROWS", "7")
    monkeypatch.setenv("STRIATE_READ_SECONDS", "0 s")
    budget = ReadBudget.of(path)
    with pytest.raises(TraceError, match="more than 7 rows"):
        budget.take_rows(8)
    with pytest.raises(TraceError, match="more than 1 MiB"):
        budget.unpack(2**20 + 1)
    with pytest.raises(TraceError, match="longer than 0 s"):
        budget.look()


@pytest.mark.parametrize("name", ["x.toml", "x.json", "x.csv"])
def test_a_device_without_end_is_refused(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).symlink_to("/dev/zero")
    lines = {
        "x.toml": [
            ["check", name],
            ["predict", name, "westmere"],
            ["tune", name, "westmere"],
            ["model", name],
        ],
        "x.json": [["compare", name, name], ["apply", name, "-o", "out"]],
        "x.csv": [["model", "fit", name]],
    }
    for line in lines[name]:
        assert run(line) == 1
        assert capsys.readouterr().err.count("\n") == 1
