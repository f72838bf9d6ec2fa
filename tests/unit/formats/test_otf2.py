"""OTF2 archives: what striate writes comes back, what other tools write is understood, what is broken is refused."""

import pytest

from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.formats.writers.otf2 import write
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


def test_an_archive_as_measurement_systems_write_it(otf2, tmp_path):
    """Processes named after ranks, threads that are not, files behind handles, messages in communicators."""
    kinds = otf2.enums
    with otf2.writer.open(str(tmp_path / "other"), timer_resolution=10**9) as archive:
        define = archive.definitions
        root = define.system_tree_node("machine")
        calls = {name: define.region(name) for name in ("pwrite", "MPI_Send", "MPI_Recv", "MPI_Allreduce")}
        processes = [define.location_group(f"MPI Rank {rank}", system_tree_parent=root) for rank in range(3)]
        writers = [archive.event_writer("Master thread", group=process) for process in processes]
        helper = archive.event_writer("OMP thread 1", group=processes[0])
        places = [archive.definitions.locations[number] for number in range(3)]
        mpi = {"paradigm": kinds.Paradigm.MPI}
        define.group("all", group_type=kinds.GroupType.COMM_LOCATIONS, members=places, **mpi)
        pair = define.group("pair", group_type=kinds.GroupType.COMM_GROUP, members=[2, 0], **mpi)
        comm = define.comm("pair", group=pair)
        file = define.io_regular_file("/data/out", scope=root)
        paradigm = define.io_paradigm(
            "POSIX",
            name="POSIX I/O",
            io_paradigm_class=kinds.IoParadigmClass.SERIAL,
            io_paradigm_flags=kinds.IoParadigmFlag.OS,
        )
        flags = kinds.IoHandleFlag.NONE
        handle = define.io_handle("open", file=file, io_paradigm=paradigm, io_handle_flags=flags)
        helper.enter(10, calls["pwrite"])
        helper.io_operation_begin(
            11, handle, kinds.IoOperationMode.WRITE, kinds.IoOperationFlag.NONE, 4096, 1
        )
        helper.io_operation_complete(19, handle, 4000, 1)
        helper.leave(20, calls["pwrite"])
        writers[2].enter(30, calls["MPI_Send"])
        writers[2].mpi_send(31, 1, comm, 7, 100)
        writers[2].leave(40, calls["MPI_Send"])
        writers[0].enter(30, calls["MPI_Recv"])
        writers[0].mpi_recv(39, 0, comm, 7, 100)
        writers[0].leave(41, calls["MPI_Recv"])
        for writer in writers:
            writer.enter(50, calls["MPI_Allreduce"])
            writer.leave(60, calls["MPI_Allreduce"])
    trace = read_trace(tmp_path / "other")
    rows = {(row["rank"], row["kind"]): row for row in trace.to_arrow().to_pylist()}

    assert trace.ranks == 3
    assert (rows[0, "write"]["file"], rows[0, "write"]["bytes"]) == ("/data/out", 4000)
    assert (rows[0, "write"]["thread"], rows[0, "recv"]["thread"]) == (0, 1)  # as they were first seen
    assert (rows[2, "send"]["peer"], rows[2, "send"]["communicator"]) == (1, "pair")
    assert (rows[0, "recv"]["peer"], rows[0, "recv"]["tag"]) == (0, 7)
    assert trace.header.communicators[1].members == (2, 0)
    assert {rank for rank, kind in rows if kind == "allreduce"} == {0, 1, 2}


def test_a_broken_archive_is_refused(otf2, tmp_path):
    write(two_ranks(), tmp_path / "run.otf2")
    anchor = tmp_path / "run.otf2" / "traces.otf2"
    anchor.write_bytes(anchor.read_bytes()[:20])

    with pytest.raises(TraceError, match="damaged OTF2 archive"):
        read_trace(tmp_path / "run.otf2")
