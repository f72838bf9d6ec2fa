"""Logs of Darshan 2: every counter equals what Darshan's own parser prints, in both byte orders and both packings."""

import bz2
import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from striate.advice import advise
from striate.errors import TraceError
from striate.formats.read import read_trace

LOGS = Path(__file__).resolve().parents[2] / "data" / "darshan"
NAMES = ("own_collective_4r_darshan2.3.1", "own_ior_posix_2r_darshan2.3.1")
JOB, NUMBERS, METADATA, RECORD = 4096, 56, 1024, 1328
_MPI = (
    "coll_",
    "indep_",
    "split_",
    "nb_",
    "syncs",
    "hints",
    "views",
    "size_read_agg",
    "size_write_agg",
    "f_mpi_",
)
_ONCE = ("combiner_", "extent_", "device", "size_at_open", "hdf5_opens", "indep_nc_", "coll_nc_")


def printed(name):
    """(rank, file id, counter, value) as darshan-parser 2.3.1 prints them."""
    for line in (LOGS / f"{name}.txt").read_text().splitlines():
        rank, number, counter, value = line.split("\t")
        yield int(rank), int(number), counter.removeprefix("CP_").lower(), float(value)


def column_of(counter):
    """Module and column of a counter of Darshan 2; None for those that Darshan 3 has no place for."""
    if counter.startswith(_ONCE):
        return None
    module = "MPI-IO" if counter.startswith(_MPI) else "POSIX"
    stamps = {"f_open_timestamp": "open_start_timestamp", "f_close_timestamp": "close_end_timestamp"}
    if counter in stamps:
        return module, stamps[counter]
    return module, counter.removeprefix("f_").removeprefix("posix_").removeprefix("mpi_")


@pytest.mark.parametrize("name", NAMES)
def test_every_counter_is_what_darshans_own_parser_prints(name):
    trace = read_trace(LOGS / f"{name}.darshan.gz")
    tables = {module: table.to_pandas() for module, table in trace.records.items()}
    seen = 0
    for rank, _, counter, value in printed(name):
        place = column_of(counter)
        if place is None or place[0] not in tables:
            assert value == 0 or place is None
            continue
        table = tables[place[0]]
        assert value == pytest.approx(float(table[table["rank"] == rank][place[1]].iloc[0]), abs=6e-7)
        seen += 1

    assert seen >= 110


def test_names_end_as_in_the_log_and_lie_on_their_file_system():
    trace = read_trace(LOGS / "own_collective_4r_darshan2.3.1.darshan.gz")

    assert [file.name for file in trace.header.files] == ["/.../tmp/scratch/cl"]
    assert trace.header.files[0].filesystem == "ext4"
    assert (trace.ranks, trace.header.job, trace.header.program) == (4, "4711", "app coll")
    assert "old-format" in {flag.code for flag in trace.header.flags}


def test_time_inside_collective_calls_is_found_in_an_old_log():
    found = advise(read_trace(LOGS / "own_collective_4r_darshan2.3.1.darshan.gz"))

    assert "collective exchange" in {item.rule for item in found.items}  # 2.47 s in MPI-IO, 0.06 s in POSIX


def swapped(content):
    """The same log as a machine of the other byte order writes it: text stays, numbers are turned round."""
    words = lambda part: np.frombuffer(part, "<u8").astype(">u8").tobytes()  # noqa: E731
    made = content[:8] + words(content[8:NUMBERS]) + content[NUMBERS:JOB]
    for at in range(JOB, len(content), RECORD):
        made += (
            words(content[at : at + 16]) + content[at + 16 : at + 32] + words(content[at + 32 : at + RECORD])
        )
    return made


@pytest.mark.parametrize("name", NAMES)
def test_other_byte_order_and_bzip2_read_the_same(name, tmp_path):
    content = gzip.decompress((LOGS / f"{name}.darshan.gz").read_bytes())
    (tmp_path / "turned.darshan.bz2").write_bytes(bz2.compress(swapped(content)))
    straight, turned = read_trace(LOGS / f"{name}.darshan.gz"), read_trace(tmp_path / "turned.darshan.bz2")

    assert straight.records.keys() == turned.records.keys()
    assert all(straight.records[module].equals(turned.records[module]) for module in straight.records)


@pytest.mark.parametrize(("version", "metadata"), [("2.00", 0), ("2.01", 64), ("2.03", 64)])
def test_shorter_job_records_of_early_versions(version, metadata, tmp_path):
    content = gzip.decompress((LOGS / f"{NAMES[0]}.darshan.gz").read_bytes())
    job = (
        version.encode().ljust(8, b"\0") + content[8:NUMBERS] + b"lib_ver=2.1.0\n".ljust(64, b"\0")[:metadata]
    )
    job = (job + b"old input\n17\tgpfs\t/project").ljust(1024, b"\0")
    early = tmp_path / "early.darshan.gz"
    early.write_bytes(gzip.compress(job + content[JOB:]))
    trace = read_trace(early)

    assert trace.header.program == "old input"
    assert trace.header.mounts == {"/project": "gpfs"}
    assert trace.records["POSIX"].equals(read_trace(LOGS / f"{NAMES[0]}.darshan.gz").records["POSIX"])


def test_a_log_that_was_cut_is_read_as_far_as_it_goes(tmp_path):
    content = gzip.decompress((LOGS / f"{NAMES[1]}.darshan.gz").read_bytes())
    cut = tmp_path / "cut.darshan.gz"
    cut.write_bytes(gzip.compress(content[: JOB + RECORD + 100]))
    trace = read_trace(cut)

    assert len(trace.records["POSIX"]) == 1
    assert "damaged" in {flag.code for flag in trace.header.flags}
    cut.write_bytes(gzip.compress(content[:2000]))
    with pytest.raises(TraceError, match="expected a job record of 4096 bytes, found 2000"):
        read_trace(cut)


@pytest.mark.parametrize("order", "<>")
def test_a_log_of_darshan_1_is_refused_by_name(order, tmp_path):
    job = b"1.24\0\0\0\0" + struct.pack(order + "q", 6567223) + bytes(4096)
    (tmp_path / "old.darshan.gz").write_bytes(gzip.compress(job))

    with pytest.raises(TraceError, match=r"expected a log of Darshan 2 or 3, got format 1\.24"):
        read_trace(tmp_path / "old.darshan.gz")
