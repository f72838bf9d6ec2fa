"""Recorder's traces in all their layouts: the same calls come out, and what they cannot tell is said."""

import json
import struct

import pytest

from recorder_logs import FUNCTIONS, LAYOUTS, RESOLUTION, made, write_log
from striate.cli.main import run
from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.formats.readers.recorder.grammar import expanded, read_rules
from striate.workload import Workload

TICK = round(RESOLUTION * 1e9)  # nanoseconds


def program(rank):
    """Writes 4 KiB blocks through MPI-IO and a log through POSIX, swaps a message, and meets in collectives."""
    calls = [
        made("MPI_Comm_split", "MPI_COMM_WORLD", rank % 2, rank, f"{rank % 2}-0", rank // 2, at=10),
        made("MPI_File_open", "MPI_COMM_WORLD", "/data/out", 5, "%p", "0-0", at=20, took=9),
    ]
    at = 40
    for step in range(10):
        calls.append(
            made(
                "MPI_File_write_at_all",
                "0-0",
                (step * 2 + rank) * 4096,
                "%p",
                4096,
                "MPI_BYTE",
                "",
                at=at,
                took=20,
            )
        )
        calls.append(made("pwrite", "/data/out", "%p", 4096, (step * 2 + rank) * 4096, at=at + 2, depth=1))
        calls.append(made("MPI_Allreduce", "%p", "%p", 2, "MPI_DOUBLE", 1, "MPI_COMM_WORLD", at=at + 30))
        at += 50
    peer = 1 - rank
    calls += [
        made("MPI_Isend", "%p", 3, "MPI_INT", peer, 7, "MPI_COMM_WORLD", 42, at=at),
        made("MPI_Irecv", "%p", 3, "MPI_INT", peer, 7, "MPI_COMM_WORLD", 43, at=at + 10),
        made("MPI_Waitall", 2, "[42,43]", "%p", at=at + 20, took=30),
        made("MPI_Barrier", f"{rank % 2}-0", at=at + 60),
        made("MPI_File_close", "0-0", at=at + 70),
        made("open", f"/log{rank}", 0o101, 420, at=at + 80),
        made("write", f"/log{rank}", "%p", 100, at=at + 90),
        made("write", f"/log{rank}", "%p", 50, at=at + 100),
        made("lseek", f"/log{rank}", 10, 0, at=at + 110),
        made("read", f"/log{rank}", "%p", 5, at=at + 120),
        made("close", f"/log{rank}", at=at + 130),
        made("H5Dwrite", "1", "2", at=at + 140),
    ]
    return calls


def rows(trace, kind, level, *names, rank=0):
    mine = trace.select(ranks=[rank], kinds=[kind], levels=[level])
    return list(zip(*(mine.column(name).tolist() for name in names), strict=True))


@pytest.fixture(params=LAYOUTS)
def trace(request, tmp_path):
    return read_trace(write_log(tmp_path / "log", [program(0), program(1)], request.param))


def test_every_layout_tells_the_same(trace):
    assert trace.ranks == 2
    assert len(trace) == 2 * (2 + 3 * 10 + 11)
    assert trace.header.source.startswith("Recorder ")
    written = rows(trace, "write", "mpi-io", "offset", "bytes", "collective", rank=1)
    assert written == [((2 * step + 1) * 4096, 4096, True) for step in range(10)]
    assert rows(trace, "write", "posix", "offset", "bytes")[-2:] == [(0, 100), (100, 50)]
    assert rows(trace, "read", "posix", "offset", "bytes") == [(10, 5)]
    assert rows(trace, "allreduce", "mpi", "bytes", "communicator") == [(16, 0)] * 10
    assert rows(trace, "send", "mpi", "bytes", "peer", "tag") == [(12, 1, 7)]
    assert rows(trace, "open", "posix", "tag") == [(1,)]


def test_times_count_from_the_start(trace):
    assert rows(trace, "open", "mpi-io", "start", "end") == [(20 * TICK, 29 * TICK)]
    assert rows(trace, "close", "posix", "start") == [((40 + 500 + 130) * TICK,)]


def test_a_wait_completes_its_requests(trace):
    ends = rows(trace, "wait", "mpi", "end")

    assert rows(trace, "send", "mpi", "complete") == ends
    assert rows(trace, "recv", "mpi", "complete") == ends


def test_communicators_have_the_members_that_made_them(trace):
    barriers = [rows(trace, "barrier", "mpi", "communicator", rank=rank)[0][0] for rank in (0, 1)]

    assert [trace.header.communicators[number].members for number in barriers] == [(0,), (1,)]


def test_what_the_format_cannot_tell_is_said(trace):
    codes = {flag.code for flag in trace.header.flags}

    assert {"sizes-asked", "offset-inferred", "clocks-unaligned", "unknown-module"} <= codes
    assert "damaged" not in codes


def test_such_a_trace_becomes_a_workload(trace):
    Workload.from_trace(trace).check()


def test_such_a_trace_can_be_predicted_as_it_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_log(tmp_path / "log", [program(0), program(1)], "new")

    assert run(["predict", "log", "laptop", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == 2
    assert run(["info", "log"]) == 0
    assert "2 ranks, 66.5 us" in capsys.readouterr().out  # which hosts is not known


def log(tmp_path, *calls, layout="new", **more):
    return read_trace(write_log(tmp_path / "log", [list(calls)], layout, **more))


def test_views_pointers_and_seeks_of_mpi_files_are_followed(tmp_path):
    found = log(
        tmp_path,
        made("MPI_File_open", "MPI_COMM_SELF", "/a", 1, "%p", "0-0", at=1),
        made("MPI_File_set_view", "0-0", 1000, "MPI_DOUBLE", "MPI_DOUBLE", "%p", "%p", at=10),
        made("MPI_File_write", "0-0", "%p", 4, "MPI_DOUBLE", "", at=20),
        made("MPI_File_write", "0-0", "%p", 1, "MPI_DOUBLE", "", at=30),
        made("MPI_File_seek", "0-0", 2, "MPI_SEEK_SET", at=40),
        made("MPI_File_write", "0-0", "%p", 1, "MPI_DOUBLE", "", at=50),
        made("MPI_File_set_view", "0-0", 0, "MPI_BYTE", "MPI_TYPE_UNKNOWN", "%p", "%p", at=60),
        made("MPI_File_write_at", "0-0", 8, "%p", 2, "MPI_INT", "", at=70),
        made("MPI_File_write_shared", "0-0", "%p", 2, "MPI_TYPE_UNKNOWN", "", at=80),
    )
    codes = {flag.code for flag in found.header.flags}

    assert rows(found, "write", "mpi-io", "offset", "bytes") == [
        (1000, 32), (1032, 8), (1016, 8), (-1, 8), (-1, 0),
    ]  # fmt: skip
    assert {"strides-collapsed", "offset-unknown", "size-unknown"} <= codes


def test_a_line_over_ranks_is_an_offset(tmp_path):
    calls = [
        made("MPI_File_open", "MPI_COMM_WORLD", "/a", 1, "%p", "0-0", at=1),
        made("MPI_File_write_at", "0-0", "4096*r+16", "%p", 8, "MPI_BYTE", "", at=9),
    ]
    found = read_trace(write_log(tmp_path / "log", [calls] * 3, "3.0 shared"))

    assert [rows(found, "write", "mpi-io", "offset", rank=rank) for rank in range(3)] == [
        [(16,)],
        [(4112,)],
        [(8208,)],
    ]


def test_handles_that_were_not_kept_are_known_while_one_file_is_open(tmp_path):
    found = log(
        tmp_path,
        made("MPI_File_open", "MPI_COMM_WORLD", "/a", 1, "%p", "%p", at=1),
        made("MPI_File_write_at", "%p", 0, "%p", 1, "MPI_BYTE", "%p", at=10),
        made("MPI_File_open", "MPI_COMM_WORLD", "/b", 1, "%p", "%p", at=20),
        made("MPI_File_write_at", "%p", 0, "%p", 1, "MPI_BYTE", "%p", at=30),
        layout="2.3",
    )

    assert rows(found, "write", "mpi-io", "file") == [(0,), (-1,)]
    assert "file-unknown" in {flag.code for flag in found.header.flags}


def test_streams_appends_and_seeks_from_the_end(tmp_path):
    found = log(
        tmp_path,
        made("fopen", "/s", "w", at=1),
        made("fwrite", "%p", 8, 3, "/s", at=10),
        made("fclose", "/s", at=20),
        made("fopen", "/t", "a", at=30),
        made("fwrite", "%p", 8, 3, "/t", at=40),
        made("lseek", "/t", 0, 2, at=50),
        made("write", "/t", "%p", 3, at=60),
    )

    assert rows(found, "write", "posix", "offset", "bytes") == [(0, 24), (-1, 24), (-1, 3)]


def test_times_that_wrap_are_not_negative(tmp_path):
    found = log(tmp_path, made("fsync", "/a", at=2**32 - 10, took=20))

    assert rows(found, "sync", "posix", "start", "end") == [((2**32 - 10) * TICK, (2**32 + 10) * TICK)]


def test_messages_are_missed_when_they_were_not_recorded(tmp_path):
    found = log(tmp_path, made("fsync", "/a", at=1), messages=False)

    assert "messages-missing" in {flag.code for flag in found.header.flags}
    assert found.header.levels == ("mpi-io", "posix")


@pytest.mark.parametrize(("layout", "victim", "cut"), [("2.5", "1.ts", -100), ("3.0", "recorder.ts", -240)])
def test_a_log_that_ends_early_is_read_as_far_as_it_is_sound(tmp_path, layout, victim, cut):
    folder = write_log(tmp_path / "log", [program(0), program(1)], layout, packed_times=False)
    whole = len(read_trace(folder))
    (folder / victim).write_bytes((folder / victim).read_bytes()[:cut])
    found = read_trace(folder)

    assert 0 < len(found) < whole
    assert "damaged" in {flag.code for flag in found.header.flags}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("VERSION", b"1.0.0", "version 2.3 to 3"),
        ("VERSION", b"soon", "a version of Recorder such as"),
        ("recorder.mt", b"abc", "at least"),
        ("recorder.mt", b"\xff" * 1024 + b"open\n", "ranks"),
        ("recorder.mt", b"\xff" * 1024, "names of functions"),
        ("recorder.ts", None, "recorder.ts"),
    ],
)
def test_a_broken_head_is_refused_in_one_line(tmp_path, capsys, name, content, words):
    folder = write_log(tmp_path / "log", [program(0)], "3.0")
    if content is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(content)

    assert run(["info", str(folder)]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


def test_rules_that_go_round_or_are_missing_are_refused():
    def rules(*numbers):
        return read_rules(struct.pack(f"<{len(numbers)}i", *numbers))[0]

    with pytest.raises(TraceError, match="cycle"):
        expanded(rules(2, -1, 1, -2, 1, -2, 1, -1, 1), 10)
    with pytest.raises(TraceError, match="which it does not define"):
        expanded(rules(1, -1, 1, -5, 1), 10)
    with pytest.raises(TraceError, match="which it does not define"):
        expanded(rules(0), 10)


def test_rules_are_written_out_once_and_no_further_than_there_are_times():
    numbers = (3, -1, 3, -2, 2, 7, 1, -3, 1, -2, 2, 5, 1, -3, 3, -3, 1, 9, 2)
    rules = read_rules(struct.pack(f"<{len(numbers)}i", *numbers))[0]
    text = [5, 9, 9, 9, 9, 9, 9] * 2 + [7] + [9, 9]

    assert expanded(rules, 100)[0].tolist() == text
    assert expanded(rules, 100)[1] is True
    for most in range(len(text)):
        found, whole = expanded(rules, most)
        assert found.tolist() == text[:most]
        assert not whole


def test_a_grammar_that_means_billions_of_calls_takes_no_room():
    numbers = [32]
    for rule in range(-1, -32, -1):
        numbers += [rule, 1, rule - 1, 2**30]
    numbers += [-32, 1, 3, 2**30]
    rules = read_rules(struct.pack(f"<{len(numbers)}i", *numbers))[0]
    found, whole = expanded(rules, 1000)

    assert found.tolist() == [3] * 1000
    assert not whole


def test_the_tools_own_reader_agrees(tmp_path):
    """What this writes as version 2.5 is what Recorder's reader, as packed in recorder-utils, takes it for."""
    utilities = pytest.importorskip("recorder_utils", reason="needs recorder-utils")
    folder = write_log(tmp_path / "log", [program(0), program(1)], "2.5")
    reader = utilities.RecorderReader(str(folder))
    found = read_trace(folder)
    for rank in (0, 1):
        calls = [reader.records[rank][at] for at in range(reader.LMs[rank].total_records)]
        mine = found.select(ranks=[rank])
        assert [FUNCTIONS[call.func_id] for call in calls][:-1] == [
            mine.functions()[code] for code in mine.column("function")
        ]
        starts = [round(call.tstart * 1e9) for call in calls][:-1]
        assert starts == mine.column("start").tolist()
