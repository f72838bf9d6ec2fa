"""Darshan logs: sums equal those of Darshan's own reader, and what is missing is said."""

import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from darshan_logs import ALL, MIB, Log, merged, mpiio, posix
from peers import pydarshan, pydarshan_logs
from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.formats.readers.darshan.layouts import SHAPES
from striate.trace.records import ALL_RANKS

LOGS = sorted((Path(__file__).resolve().parents[2] / "data" / "darshan").glob("*.darshan")) + pydarshan_logs()


def darshan_counters(path, module):
    """Sums by Darshan's own reader: (calls and bytes read, calls and bytes written)."""
    darshan = pydarshan()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = darshan.DarshanReport(str(path), read_all=False)
        if module not in report.modules:
            return 0, 0, 0, 0
        report.mod_read_all_records(module)
        frame = report.records[module].to_df()["counters"]
    prefix = "MPIIO" if module == "MPI-IO" else module
    forms = ("INDEP_", "COLL_", "SPLIT_", "NB_") if module == "MPI-IO" else ("",)
    calls = [
        sum(int(frame[f"{prefix}_{form}{verb}"].sum()) for form in forms) for verb in ("READS", "WRITES")
    ]
    moved = [int(frame[f"{prefix}_BYTES_{verb}"].sum()) for verb in ("READ", "WRITTEN")]
    return calls[0], moved[0], calls[1], moved[1]


def our_sums(trace, level, *, stdio):
    words = np.array(trace.functions())[trace.column("function")]
    rows = trace.at_level(level) & (np.isin(words, ["fread", "fwrite"]) == stdio)
    sums = []
    for kind in ("read", "write"):
        chosen = rows & trace.of_kind(kind)
        sums += [int(trace.column("blocks")[chosen].sum()), int(trace.column("bytes")[chosen].sum())]
    return tuple(sums)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem[:40])
@pytest.mark.parametrize("module", ["POSIX", "MPI-IO", "STDIO"])
def test_sums_equal_the_counters_that_darshans_reader_gives(path, module):
    trace = read_trace(path)
    expected = darshan_counters(path, module)
    level = "mpi-io" if module == "MPI-IO" else "posix"

    found = our_sums(trace, level, stdio=module == "STDIO")
    if any(flag.code == "truncated" for flag in trace.header.flags):  # Darshan itself lost accesses
        assert all(ours <= theirs for ours, theirs in zip(found, expected, strict=True))
    else:
        assert found == expected


def reports_records(path, module):
    """All counters of a module's records by Darshan's own reader, in the order of the log."""
    darshan = pydarshan()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = darshan.DarshanReport(str(path), read_all=False)
        if module not in report.modules:
            return None
        report.mod_read_all_records(module)
        frames = report.records[module].to_df()
    prefix = "MPIIO" if module == "MPI-IO" else module
    found = {"rank": frames["counters"]["rank"].to_numpy()}
    for frame, start in ((frames["counters"], f"{prefix}_"), (frames["fcounters"], f"{prefix}_F_")):
        found |= {
            name.removeprefix(start).lower(): frame[name].to_numpy()
            for name in frame.columns
            if name not in ("id", "rank")
        }
    return found


def expect_equal_records(path, modules):
    trace = read_trace(path)
    for module in modules:
        expected = reports_records(path, module)
        if expected is None:
            assert module not in trace.records
            continue
        table = trace.records[module]
        for name, column in expected.items():
            if (
                module == "POSIX"
                and name.startswith("variance")
                and name in table.column_names
                and (column == 0).all()
            ):
                continue  # Darshan's reader loses these when it converts records of version 3
            if name in table.column_names:
                np.testing.assert_array_equal(
                    table.column(name).to_numpy(), column, err_msg=f"{module} {name}"
                )
            else:
                assert (column <= 0).all(), f"{module} {name} is missing"


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem[:40])
def test_every_counter_equals_that_of_darshans_reader(path):
    expect_equal_records(path, sorted({module for module, _ in SHAPES} - {"BG/Q"}))


counts = st.integers(0, 2**40)
times = st.floats(0, 1e6)


@st.composite
def synthetic_logs(draw):
    """A log with random counters of a few modules, files and ranks."""
    ranks = draw(st.integers(1, 8))
    log = Log(ranks=ranks, seconds=draw(st.floats(1.0, 1e4)))
    modules = draw(
        st.lists(st.sampled_from(["POSIX", "MPI-IO", "STDIO", "H5F", "H5D", "DFS"]), min_size=1, unique=True)
    )
    for module in modules:
        shape = SHAPES[module, max(version for name, version in SHAPES if name == module)]
        for number in range(draw(st.integers(1, 4))):
            rank = draw(st.integers(-1, ranks - 1))
            chosen = draw(st.lists(st.sampled_from(shape.counters), max_size=12, unique=True))
            values = {name: draw(counts) for name in chosen}
            values |= {
                name: draw(times)
                for name in draw(st.lists(st.sampled_from(shape.times), max_size=6, unique=True))
            }
            log.add(module, f"/scratch/file{number}" + ":/data" * (module == "H5D"), rank, **values)
    return log


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(log=synthetic_logs())
def test_synthetic_counters_equal_those_of_darshans_reader(log, tmp_path):
    path = log.save(tmp_path / "made.darshan")

    expect_equal_records(path, log.records)


def test_calls_made_from_counters_are_counted_by_call_and_not_by_row(tmp_path):
    log = Log(ranks=8).add("POSIX", "/scratch/a", 0, **posix("write", 1_000_000, 1024, 5.0))
    summary = read_trace(log.save(tmp_path / "many.darshan")).info()

    assert summary.levels[0].writes == 1_000_000
    assert "1,000,000" in str(summary)


def test_a_merged_record_is_told_as_one_of_all_ranks(tmp_path):
    counters = merged(
        posix("write", 10, MIB, 4.0, meta_time=1.0), ranks=8, slowest=20.0, fastest=1.0, slowest_rank=5
    )
    trace = read_trace(Log(ranks=8).add("POSIX", "/scratch/a", ALL, **counters).save(tmp_path / "m.darshan"))
    summary = trace.info()

    assert trace.records["POSIX"].column("rank").to_pylist() == [ALL_RANKS]
    assert (summary.slowest_rank, summary.slowest_rank_seconds, summary.ranks_known) == (5, 20.0, False)
    assert summary.mean_rank_seconds == pytest.approx(5.0)  # 8 * (4 + 1) seconds over 8 ranks
    assert "at least 20 s" in str(summary)
    assert any(flag.code == "merged-records" for flag in trace.header.flags)


def test_opens_metadata_and_files_without_accesses_are_counted(tmp_path):
    log = Log(ranks=2, seconds=10.0)
    for number in range(30):
        log.add("POSIX", f"/scratch/{number}", 0, opens=100, stats=5, fsyncs=2, meta_time=0.1)
    summary = read_trace(log.save(tmp_path / "meta.darshan")).info()
    (level,) = summary.levels

    assert (summary.files, level.opens, level.stats, level.syncs) == (30, 3000, 150, 60)
    assert level.metadata_seconds == pytest.approx(3.0)
    assert summary.io_share == pytest.approx(0.15)  # 3 s of 2 ranks for 10 s


def test_several_lustre_components_are_read(tmp_path):
    log = Log().add("POSIX", "/scratch/a", 0, **posix("write", 10, MIB, 1.0, extent=2**31))
    log.stripes.append(("/scratch/a", [(MIB, 0, 2**30, (7,)), (4 * MIB, 2**30, -1, (1, 2, 3, 9))]))
    trace = read_trace(log.save(tmp_path / "pfl.darshan"))

    assert trace.records["LUSTRE"].column("targets").to_pylist() == [[7], [1, 2, 3, 9]]
    assert trace.header.files[0].hints == {"striping_unit": str(4 * MIB), "striping_factor": "4"}


def test_libraries_heat_maps_and_daos_are_read(tmp_path):
    log = Log(ranks=2).add(
        "DFS", "/testFile", 1, writes=4, bytes_written=4 * MIB, write_time=1.0, write_start_timestamp=1.0
    )
    log.add("H5F", "/scratch/a.h5", 0, opens=3).add("H5D", "/scratch/a.h5:/x", 0, writes=9, chunk_size_d1=64)
    log.heat.append(("POSIX", 1, 0.5, [1, 2, 3], [4, 5, 6]))
    trace = read_trace(log.save(tmp_path / "libraries.darshan"))

    assert trace.info().bytes_written == 4 * MIB
    assert trace.records["H5D"].column("name").to_pylist() == ["/scratch/a.h5:/x"]
    assert trace.records["HEATMAP"].column("written").to_pylist() == [[4, 5, 6]]
    assert not [flag for flag in trace.header.flags if flag.code == "unknown-module"]


def test_collective_calls_are_counted_by_call(tmp_path):
    log = Log(ranks=4).add("MPI-IO", "/scratch/a", ALL, **merged(mpiio("write", 50, MIB, 1.0), ranks=4))

    assert read_trace(log.save(tmp_path / "coll.darshan")).info().collectives == {"write_all": 200}


def test_counters_survive_our_own_format(tmp_path):
    log = (
        Log(ranks=4)
        .add("POSIX", "/scratch/a", 0, **posix("write", 50, MIB, 1.0))
        .stripe("/scratch/a", targets=(4, 5))
    )
    trace = read_trace(log.save(tmp_path / "log.darshan"))
    trace.save(tmp_path / "trace.parquet")
    again = read_trace(tmp_path / "trace.parquet")

    assert again.info() == trace.info()
    assert all(again.records[module].equals(table) for module, table in trace.records.items())


def test_a_part_of_a_trace_has_no_counters_of_the_whole(tmp_path):
    log = Log(ranks=4).add("POSIX", "/scratch/a", 0, **posix("write", 50, MIB, 1.0))

    assert not read_trace(log.save(tmp_path / "log.darshan")).select(ranks=0).records


@pytest.fixture
def logs(data):
    return data / "darshan"


def test_a_log_of_192_ranks_is_read_in_half_a_second(logs):
    read_trace(logs / "pyd_ior_hdf5_4r_dxt_lustre.darshan")  # imports
    started = time.process_time()
    trace = read_trace(logs / "dxtexp_vpic_192r_dxt.darshan")
    elapsed = time.process_time() - started

    assert (trace.ranks, len(trace.header.hosts)) == (192, 32)
    assert len(trace) == 33_792 + 43_904 + 13_184 + 5  # the last five: standard I/O, from counters
    assert elapsed < 0.5


def test_rows_equal_the_segments_that_darshans_reader_gives(logs):
    darshan = pydarshan()
    path = logs / "pyd_ior_hdf5_4r_dxt_lustre.darshan"
    trace = read_trace(path).select(levels=["mpi-io"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = darshan.DarshanReport(str(path), read_all=False)
        report.mod_read_all_dxt_records("DXT_MPIIO")
        records = report.records["DXT_MPIIO"].to_df()
    expected = []
    for record in records:
        for kind in ("read", "write"):
            for segment in record[f"{kind}_segments"].itertuples():
                start = round(segment.start_time * 1e9)
                expected.append((record["rank"], kind, segment.offset, segment.length, start))
    names = ("rank", "kind", "offset", "bytes", "start")
    found = list(zip(*[trace.table.column(name).to_pylist() for name in names], strict=True))

    assert sorted(found) == sorted(expected)


def test_striping_becomes_hints(logs):
    trace = read_trace(logs / "pyd_ior_hdf5_4r_dxt_lustre.darshan")
    file = next(file for file in trace.header.files if file.name.endswith("test123.h5"))

    assert file.hints == {"striping_unit": "1048576", "striping_factor": "1"}
    assert file.filesystem == "lustre"


def test_a_truncated_log_says_how_much_it_kept(logs):
    flags = {flag.code: flag.message for flag in read_trace(logs / "own_partial_dxt_2r.darshan").header.flags}

    assert "bytes kept" in flags["truncated"]


def test_records_with_threads_are_read(logs):
    name = "own_mpi4py_2r_darshan-git45bcba8_dxtv2v3_pthreadid.darshan"
    trace = read_trace(logs / name).select(levels=["mpi-io"], kinds=["write"])

    assert trace.column("offset").min() == 0
    assert (trace.column("bytes") == 4096).all()


def test_hints_of_darshan_itself_are_not_taken_for_the_programs(logs):
    trace = read_trace(logs / "own_mpi4py_2r_darshan3.5.0_dxt.darshan")

    assert trace.header.hints == {}


def test_a_view_with_strides_is_flagged(logs):
    flags = {flag.code for flag in read_trace(logs / "own_fileview_strided_2r_dxt.darshan").header.flags}

    assert {"strides-collapsed", "metadata-missing", "messages-missing"} <= flags


def test_the_sound_part_of_a_cut_log_is_read_and_flagged(logs, tmp_path):
    content = (logs / "dxtexp_vpic_192r_dxt.darshan").read_bytes()
    (tmp_path / "cut.darshan").write_bytes(content[: len(content) // 2])
    trace = read_trace(tmp_path / "cut.darshan")

    assert 30_000 < len(trace) < 90_000
    assert "damaged" in {flag.code for flag in trace.header.flags}


def test_a_log_cut_in_its_header_is_refused(logs, tmp_path):
    content = (logs / "own_partial_dxt_2r.darshan").read_bytes()
    (tmp_path / "cut.darshan").write_bytes(content[:900])

    with pytest.raises(TraceError, match="expected a Darshan header of 1328 bytes, found a log of 900 bytes"):
        read_trace(tmp_path / "cut.darshan")


def test_another_version_is_refused_by_name(logs, tmp_path):
    content = (logs / "own_partial_dxt_2r.darshan").read_bytes()
    (tmp_path / "new.darshan").write_bytes(b"9.99" + content[4:])

    with pytest.raises(TraceError, match=r"got '9\.99'"):
        read_trace(tmp_path / "new.darshan")


def test_times_below_nothing_are_told(tmp_path):
    log = Log(ranks=2, seconds=10).add("POSIX", "/scratch/a", 0, writes=5, bytes_written=50, write_time=-3.0)
    log.add("POSIX", "/scratch/b", 1, reads=5, bytes_read=50, read_time=float("nan"))
    log.add("POSIX", "/scratch/c", 1, reads=5, bytes_read=50, read_time=1.0, meta_time=-1e-9)
    flags = read_trace(log.save(tmp_path / "log.darshan")).header.flags

    assert "2 POSIX records with impossible times: these count as 0" in [flag.message for flag in flags]


def test_a_log_of_no_time_does_not_say_that_nobody_sent_messages(tmp_path):
    log = Log(ranks=2, seconds=0)

    assert "messages were not recorded" in str(read_trace(log.save(tmp_path / "log.darshan")).info())
