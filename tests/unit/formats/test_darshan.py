"""Darshan logs: sums equal those of Darshan's own reader, and what is missing is said."""

import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from striate.errors import TraceError
from striate.formats.read import read_trace

_LOGS = Path(__file__).resolve().parents[3].parent / "shared" / "darshan"
SHARED = sorted(_LOGS.glob("*.darshan")) if _LOGS.is_dir() else []


def wheel_logs():
    try:
        import darshan
    except ImportError:
        return []
    return sorted(Path(darshan.__file__).parent.rglob("*.darshan"))


def darshan_counters(path, module):
    """Sums by Darshan's own reader: (calls and bytes read, calls and bytes written)."""
    darshan = pytest.importorskip("darshan", reason="needs the darshan wheel to compare with")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = darshan.DarshanReport(str(path), read_all=False)
        if module not in report.modules:
            return None
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


@pytest.mark.parametrize("path", SHARED + wheel_logs(), ids=lambda path: path.stem[:40])
@pytest.mark.parametrize("module", ["POSIX", "MPI-IO", "STDIO"])
def test_sums_equal_the_counters_that_darshans_reader_gives(path, module):
    trace = read_trace(path)
    expected = darshan_counters(path, module)
    if expected is None:
        pytest.skip(f"the log has no {module} records")
    if any(flag.code == "truncated" for flag in trace.header.flags):
        pytest.skip("Darshan itself lost accesses; the flag is tested below")
    level = "mpi-io" if module == "MPI-IO" else "posix"

    assert our_sums(trace, level, stdio=module == "STDIO") == expected


@pytest.fixture
def logs(shared):
    return shared / "darshan"


def test_a_log_of_192_ranks_is_read_in_half_a_second(logs):
    read_trace(logs / "pyd_ior_hdf5_4r_dxt_lustre.darshan")  # imports
    started = time.process_time()
    trace = read_trace(logs / "dxtexp_vpic_192r_dxt.darshan")
    elapsed = time.process_time() - started

    assert (trace.ranks, len(trace.header.hosts)) == (192, 32)
    assert len(trace) == 33_792 + 43_904 + 13_184 + 5  # the last five: standard I/O, from counters
    assert elapsed < 0.5


def test_rows_equal_the_segments_that_darshans_reader_gives(logs):
    darshan = pytest.importorskip("darshan", reason="needs the darshan wheel to compare with")
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

    with pytest.raises(TraceError, match="expected a header of 1328 bytes, the log has 900"):
        read_trace(tmp_path / "cut.darshan")


def test_another_version_is_refused_by_name(logs, tmp_path):
    content = (logs / "own_partial_dxt_2r.darshan").read_bytes()
    (tmp_path / "new.darshan").write_bytes(b"9.99" + content[4:])

    with pytest.raises(TraceError, match=r"got '9\.99'"):
        read_trace(tmp_path / "new.darshan")
