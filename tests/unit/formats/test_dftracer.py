"""dftracer's logs: a real one in numbers, the same in letters, packed, in a folder, and broken."""

import gzip
import json
from pathlib import Path

import pytest

from striate.errors import TraceError
from striate.formats.read import read_trace

# Recorded by dftracer 2.2: 5 writes of 1000 bytes, a seek to 0, 3 reads of 500, then 10 written at 4000, 7 read at 100.
LOG = Path(__file__).resolve().parents[2] / "data" / "dftracer-2.2.pfw"


def in_letters():
    """The same log as versions of 2024 wrote it: brackets, letters for phases, the file's name in place."""
    lines = []
    names = {}
    for line in LOG.read_text().splitlines():
        event = json.loads(line)
        event["ph"] = {1: "X", 4: "M"}[event["ph"]]
        if event["name"] == "FH":
            names[event["args"]["value"]] = event["args"]["name"]
        if "fhash" in event.get("args", {}):
            event["args"]["fname"] = names[event["args"].pop("fhash")]
        lines.append(json.dumps(event))
    return "[\n" + ",\n".join(lines) + "\n]\n"


def accesses(trace):
    chosen = trace.select(kinds=["read", "write"])
    columns = [chosen.table.column(name).to_pylist() for name in ("kind", "offset", "bytes")]
    return list(zip(*columns, strict=True))


EXPECTED = [
    *[("write", 1000 * number, 1000) for number in range(5)],
    *[("read", 500 * number, 500) for number in range(3)],
    ("write", 4000, 10),
    ("read", 100, 7),
]


def test_a_log_in_numbers_is_read_as_it_happened():
    trace = read_trace(LOG)

    assert accesses(trace) == EXPECTED
    assert trace.file_names() == ["/tmp/example/data.bin"]
    assert trace.header.hosts == ("host",)
    assert trace.column("start").min() == 0
    assert [int(ns) for ns in (trace.column("end") - trace.column("start"))[:2]] == [104_000, 19_000]


def test_a_log_in_letters_is_the_same(tmp_path):
    (tmp_path / "old.pfw").write_text(in_letters())
    trace = read_trace(tmp_path / "old.pfw")

    assert accesses(trace) == EXPECTED
    assert trace.file_names() == ["/tmp/example/data.bin"]


def test_packed_logs_and_folders_of_them_are_read(tmp_path):
    (tmp_path / "a.pfw.gz").write_bytes(gzip.compress(LOG.read_bytes()))
    (tmp_path / "b.pfw").write_text(LOG.read_text().replace('"pid":13675', '"pid":99999'))

    assert accesses(read_trace(tmp_path / "a.pfw.gz")) == EXPECTED
    both = read_trace(tmp_path)
    assert both.ranks == 2
    assert len(both) == 2 * len(read_trace(LOG))


def test_broken_lines_are_left_out_and_counted(tmp_path):
    text = LOG.read_text().splitlines()
    huge = text[10].replace('"tid":13675', f'"tid":{2**70}')
    broken = [*text[:12], '{"name": "write", "ph"', huge, *text[12:-3], text[-3][:40]]
    (tmp_path / "broken.pfw").write_text("\n".join(broken))
    trace = read_trace(tmp_path / "broken.pfw")
    flags = {flag.code: flag.message for flag in trace.header.flags}

    assert flags["damaged"] == "3 damaged lines were left out"
    assert len(accesses(trace)) == 10


def test_a_cut_archive_is_read_as_far_as_it_goes(tmp_path):
    packed = gzip.compress(LOG.read_bytes() * 50)
    (tmp_path / "cut.pfw.gz").write_bytes(packed[: len(packed) // 2])
    trace = read_trace(tmp_path / "cut.pfw.gz")

    assert "the log ends early" in {flag.code: flag.message for flag in trace.header.flags}["damaged"]


def test_a_log_without_events_is_refused(tmp_path):
    (tmp_path / "empty.pfw").write_text('[\n{"name":"FH","cat":"dftracer","ph":4,"args":{}}\n')

    with pytest.raises(TraceError, match="found no valid one"):
        read_trace(tmp_path / "empty.pfw")


def test_numbers_as_strings_and_annotations_are_read(tmp_path):
    events = [
        {
            "name": "Epoch.run",
            "cat": "dlio_benchmark",
            "ts": "1000",
            "dur": "900",
            "args": {"hostname": "n1", "step": 1},
        },
        {
            "name": "open64",
            "cat": "POSIX",
            "ts": "1010",
            "dur": "5",
            "args": {"hostname": "n1", "fname": "/p/a", "ret": "3"},
        },
        {
            "name": "read",
            "cat": "POSIX",
            "ts": "1020",
            "dur": "7",
            "args": {"hostname": "n1", "fname": "/p/a", "ret": "4096"},
        },
        {
            "name": "read",
            "cat": "POSIX",
            "ts": "1030",
            "dur": "7",
            "args": {"hostname": "n1", "fname": "/p/a", "ret": "96"},
        },
    ]
    lines = [
        json.dumps({"id": str(at), "pid": "0", "tid": "7", "ph": "X", **event})
        for at, event in enumerate(events)
    ]
    (tmp_path / "log.pfw").write_text("[\n" + "\n".join(lines) + "\n]")
    trace = read_trace(tmp_path / "log.pfw")
    (level,) = trace.info().levels

    assert (level.opens, level.reads, level.bytes_read) == (1, 2, 4192)
    assert trace.header.regions == ("dlio_benchmark: Epoch.run",)
    assert trace.header.hosts == ("n1",)
    assert trace.select(region="dlio_benchmark: Epoch.run").table.column("end").to_pylist() == [900_000]
    assert not [flag for flag in trace.header.flags if flag.code == "damaged"]
