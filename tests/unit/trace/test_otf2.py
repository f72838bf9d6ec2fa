"""OTF2 archives: what striate writes comes back, what other tools write is understood, what is broken is refused."""

import pytest

from striate.errors import TraceError
from striate.trace.read import read_trace
from striate.trace.writers.otf2 import write
from toy_traces import two_ranks


@pytest.fixture(scope="module")
def otf2():
    return pytest.importorskip("otf2", reason="needs the otf2 wheel")


def test_what_was_written_comes_back(otf2, tmp_path):
    write(two_ranks(), tmp_path / "run.otf2")
    again = read_trace(tmp_path / "run.otf2")
    names = ("rank", "level", "kind", "collective", "bytes", "start", "end")

    def rows(trace):
        chosen = trace.where(~trace.at_level("program")).table
        return sorted(zip(*[chosen.column(name).to_pylist() for name in names], strict=True))

    assert [row[:3] + row[4:] for row in rows(again)] == [row[:3] + row[4:] for row in rows(two_ranks())]
    assert again.file_names() == ["data", "log"]
    assert again.ranks == 2


def test_records_of_other_tools_inside_a_call_are_understood(otf2, tmp_path):
    with otf2.writer.open(str(tmp_path / "other"), timer_resolution=10**6) as archive:
        define = archive.definitions
        send, write_call = define.region("MPI_Send"), define.region("pwrite")
        root = define.system_tree_node("machine")
        for rank in range(2):
            writer = archive.event_writer(
                f"MPI Rank {rank}", group=define.location_group("p", system_tree_parent=root)
            )
            writer.enter(10, send)
            writer.leave(20, send)
            writer.enter(30, write_call)
            writer.leave(31, write_call)
    trace = read_trace(tmp_path / "other" / "traces.otf2")

    assert trace.ranks == 2
    assert trace.table.column("kind").to_pylist() == ["send", "write"] * 2
    assert trace.table.column("level").to_pylist() == ["mpi", "posix"] * 2
    assert trace.column("end").tolist() == [10_000, 21_000] * 2  # microseconds, counted from the first


def test_a_broken_archive_is_refused(otf2, tmp_path):
    write(two_ranks(), tmp_path / "run.otf2")
    anchor = tmp_path / "run.otf2" / "traces.otf2"
    anchor.write_bytes(anchor.read_bytes()[:20])

    with pytest.raises(TraceError, match="damaged OTF2 archive"):
        read_trace(tmp_path / "run.otf2")
