"""The text of darshan-parser and darshan-dxt-parser gives the trace of the log it was printed from."""

import pytest

from darshan_logs import ALL, MIB, Log, merged, mpiio, posix, record_id
from striate.errors import TraceError
from striate.formats.read import read_trace
from striate.trace.records import columns_of

HEAD = """# darshan log version: 3.41
# compression method: ZLIB
# exe: ./app input.nml
# jobid: 4711
# start_time: 1700000000
# end_time: 1700000100
# nprocs: 4
# run time: 100.0000
# metadata: lib_ver = 3.5.0
# mount entry:\t/scratch\tlustre
#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>
"""


def a_log():
    log = Log(ranks=4, seconds=100.0).add(
        "POSIX", "/scratch/a b", 1, **posix("write", 50, 1024, 1.5, fsyncs=7)
    )
    log.add("POSIX", "/scratch/c", ALL, **merged(posix("read", 20, MIB, 2.25), ranks=4))
    return log.add("MPI-IO", "/scratch/c", ALL, **merged(mpiio("read", 20, MIB, 2.5), ranks=4))


def printed(log):
    """What darshan-parser prints of the log."""
    lines = [HEAD]
    for module, rows in log.records.items():
        prefix = "MPIIO" if module == "MPI-IO" else module
        for file, rank, counters in rows:
            for name, value in counters.items():
                f = "F_" if isinstance(value, float) else ""
                shown = f"{value:f}" if f else str(value)
                counter = f"{prefix}_{f}{name.upper()}"
                lines.append(
                    f"{module}\t{rank}\t{record_id(file)}\t{counter}\t{shown}\t{file}\t/scratch\tlustre\n"
                )
    return "".join(lines)


def test_counters_from_text_equal_those_of_the_log(tmp_path):
    (tmp_path / "log.txt").write_text(printed(a_log()))
    told, kept = read_trace(tmp_path / "log.txt"), read_trace(a_log().save(tmp_path / "log.darshan"))

    assert told.info().levels == kept.info().levels
    assert (told.ranks, told.seconds, told.header.program) == (4, 100.0, "./app input.nml")
    assert {file.name: file.filesystem for file in told.header.files} == {
        "/scratch/a b": "lustre",
        "/scratch/c": "lustre",
    }
    for module, table in kept.records.items():
        expected, found = columns_of(table), columns_of(told.records[module])
        assert all((found[name] == expected[name]).all() for name in expected)


def test_stripes_and_single_accesses_are_read_from_text(tmp_path):
    number = record_id("/scratch/c")
    stripes = [("COMP1_STRIPE_SIZE", "1048576"), ("COMP1_EXT_START", "0"), ("COMP1_EXT_END", "EOF")]
    stripes += [("COMP1_OST_ID_0", "7"), ("COMP1_OST_ID_1", "12")]
    text = HEAD + "".join(
        f"LUSTRE\t-1\t{number}\tLUSTRE_{name}\t{value}\t/scratch/c\t/scratch\tlustre\n"
        for name, value in stripes
    )
    text += f"# DXT, file_id: {number}, file_name: /scratch/c\n# DXT, rank: 2, hostname: node7\n"
    text += " X_POSIX       2  write        0            4096             100      1.5000      1.6000  [7]\n"
    text += " X_POSIX       2   read        0               0              50      2.5000      2.7500  [7]\n"
    (tmp_path / "log.txt").write_text(text)
    trace = read_trace(tmp_path / "log.txt")

    assert trace.records["LUSTRE"].column("targets").to_pylist() == [[7, 12]]
    assert trace.table.column("offset").to_pylist() == [4096, 0]
    assert trace.table.column("start").to_pylist() == [1_500_000_000, 2_500_000_000]
    assert trace.table.column("rank").to_pylist() == [2, 2]


def test_broken_lines_are_counted_and_a_head_without_processes_is_refused(tmp_path):
    (tmp_path / "log.txt").write_text(printed(a_log()) + "POSIX\tno\tsense\nX_POSIX 1\n")
    flags = {flag.code: flag.message for flag in read_trace(tmp_path / "log.txt").header.flags}
    assert "2 invalid lines" in flags["damaged"]

    (tmp_path / "none.txt").write_text("# darshan log version: 3.41\n")
    with pytest.raises(TraceError, match="expected numbers for `nprocs`"):
        read_trace(tmp_path / "none.txt")
