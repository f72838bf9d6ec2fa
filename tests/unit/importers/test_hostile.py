"""Descriptions that nobody's tool writes: each is one line of refusal, at once, and no machine is eaten."""

import json
import time

import pytest

from fuzzing.forked import run_line
from fuzzing.job_seeds import dlio, sheet
from fuzzing.tool_seeds import TOOLS
from striate.importers import written_program

MOST_SECONDS = 8.0  # of CPU; quadratic readers took minutes
PROGRAM = "kernel:pingpong,size=1KiB"


def of(kind):
    return TOOLS[kind][1]("plain")


def changed(text, *path):
    """The JSON text with another value at the path."""
    *way, last, value = path
    document = found = json.loads(text)
    for key in way:
        found = found[key]
    found[last] = value
    return json.dumps(document)


BOX, JOB, H5 = sheet("plain"), dlio("plain"), of("h5bench")
MACHINES = {  # what stands before the file, and its content
    "two points": ("lustre", of("lfs df").replace("100.5G", "1.0.5G")),
    "no digits": ("lustre", of("lfs df").replace("100.5G", "...")),
    "superscript": ("gluster", of("gluster").replace("= 2", "= \u00b2")),
    "long count": ("gluster", of("gluster").replace("= 2", "= " + "9" * 5000)),
    "blanks": ("beegfs", of("beegfs-ctl").replace("Online", "Online" + " " * 200_000, 1)),
    "servers": ("beegfs", "TargetID NodeID\n" + "".join(f"{i} {i}\n" for i in range(70_000))),
    "one word": ("slurm", of("scontrol") + "a" * 300_000),
    "brackets": ("lstopo", "Machine " + "(" * 20_000 + "1" * 20_000 + "\nCore L#0\n"),
    "memory": ("lstopo", of("lstopo").replace("251.5GB", "2.5.1GB")),
    "options": ("mlperf", changed(BOX, "nodes", 0, "config_options", 5)),
    "dotted": ("mlperf", changed(BOX, "nodes", 1, "drives", 0, "capacity_GiB", "1.2.3")),
    "spaces": ("mlperf", changed(BOX, "nodes", 1, "drives", 0, "capacity_GiB", "1" + " " * 100_000 + "!")),
    "quotes": ("mlperf", '"' + '\\"' * 100_000),
    "digits": ("mlperf", BOX.replace("7500", "9" * 5000)),
}
JOBS = {
    "digits": JOB.replace("168", "1" * 400),
    "hexadecimal": JOB.replace("168", "0x" + "f" * 6000),
    "sexagesimal": JOB.replace("168", "1:" * 3000 + "1"),
    "timestamp": JOB.replace("168", "!!timestamp x"),
    "truth": JOB.replace("168", "!!bool x"),
    "empty": JOB.replace("168", '!!int ""'),
    "code": JOB.replace("168", "!!python/object/apply:os.system [true]"),
    "aliases": "a: &a [x, x]\nb: [*a, *a]\n",
    "depth": JOB + "output: " + "[" * 20_000,
    "length": JOB + "output: {" + ",".join(f"k{number}: 1" for number in range(100_000)) + "}\n",
    "dimensions": JOB.replace("record_length_bytes: 146600628", f"record_dims: {[2**40] * 400}"),
}
FIO = of("fio")
PROGRAMS = {
    "fio offsets": (
        "fio",
        FIO.replace("increment=1m", f"increment={2**63 - 1}").replace("unlink=1", "numjobs=9"),
    ),
    "fio files": ("fio", "".join(f"[j{i}]\nrw=read\nsize=8e\nsize=8m\nnrfiles={2**61}\n" for i in range(4))),
    "fio jobs": ("fio", "".join(f"[j{i}]\nrw=randread\nsize=16m\n" for i in range(500))),
    "fio sections": ("fio", "".join(f"[j{i}]\nrw=read\nsize=1m\n" for i in range(20_000))),
    "fio processes": ("fio", "[j]\nrw=randrw\nsize=1m\nnumjobs=1000000\noffset_increment=1m\n"),
    "fio one name": ("fio", "[j]\nrw=read\nsize=1m\n[j]\nrw=read\nsize=1m\nnumjobs=7\n"),
    "h5bench list": ("h5bench", changed(H5, "file-system", [1])),
    "h5bench lustre": ("h5bench", changed(H5, "file-system", "lustre", [1])),
    "h5bench superscript": ("h5bench", changed(H5, "mpi", {"ranks": "\u00b2"})),
    "h5bench ranks": ("h5bench", changed(H5, "mpi", {"ranks": "9" * 18})),
    "h5bench depth": ("h5bench", "[" * 100_000),
    "h5bench bytes": ("h5bench", changed(H5, "benchmarks", 0, "configuration", "NUM_PARTICLES", "9" * 18)),
    "io500 size": ("io500", of("io500").replace("8m", "9" * 12 + "p").replace("transferSize = 2m", "")),
    "io500 segments": ("io500", of("io500").replace("= 20", "= " + "9" * 19)),
    "io500 deadline": ("io500", of("io500").replace("stonewall-time = 0", "stonewall-time = " + "9" * 19)),
}
LINES = {
    "mdtest -F -n 10 -z 9223372036854775807 -b 1": 1,
    "mdtest -F -I 10 -z 9223372036854775807 -b 0": 0,
    "mdtest -F -n 10 -N 9223372036854775807": 0,
    "ior -C -Q 9223372036854775807": 0,
    "ior -b 9223372036854775807 -t 9223372036854775807": 1,
    "ior -i 1000 -m -F -z -b 4m -t 1k": 1,
    "mpiexec -n \u00b2 ior": 0,
    f"mpiexec -n {'9' * 5000} ior": 0,
    f"mpiexec -n {'9' * 18} ior": 1,
}


def expect(arguments, statuses):
    begun = time.process_time()
    outcome = run_line(arguments)

    assert not outcome.wrong
    assert outcome.status in statuses
    assert time.process_time() - begun < MOST_SECONDS


@pytest.mark.parametrize("case", MACHINES)
def test_what_is_no_machine_is_refused(case, tmp_path):
    kind, text = MACHINES[case]
    path = tmp_path / "sheet.json"
    path.write_text(text)

    expect(["predict", PROGRAM, f"{kind}:{path}", "--ranks", "2"], (0, 1))


@pytest.mark.parametrize("case", JOBS)
def test_what_is_no_training_job_is_refused(case, tmp_path):
    path = tmp_path / "job.yaml"
    path.write_text(JOBS[case])

    expect(["predict", f"dlio:{path}", "westmere", "--ranks", "4"], (1,))


@pytest.mark.parametrize("case", PROGRAMS)
def test_programs_that_nobody_could_hold_are_refused(case, tmp_path, monkeypatch):
    monkeypatch.setattr(written_program, "MOST_OPERATIONS", 5000)  # sooner than in earnest
    kind, text = PROGRAMS[case]
    path = tmp_path / "description"
    path.write_text(text)

    expect(["workload", "show", f"{kind}:{path}", *(["--ranks", "3"] if kind == "io500" else [])], (1,))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:40])
def test_numbers_of_command_lines_are_held_or_refused(line, monkeypatch):
    monkeypatch.setattr(written_program, "MOST_OPERATIONS", 5000)
    expect(["workload", "show", line, "--ranks", "4"], (LINES[line],))


def test_a_program_of_many_ranks_may_be_as_long_as_it_needs(monkeypatch):
    """The limit counts what is held: operations outside loops, and numbers that differ by rank."""
    body = written_program.WrittenProgram(1000, name="x", source="x")
    monkeypatch.setattr(written_program, "MOST_CELLS", 3000)
    with body.repeat(10**6) as step:
        body.write("a", offset=step * 1000 + body.rank, size=1)
    with body.region("again"):
        body.write("a", offset=body.rank, size=1)
    body.write("a", offset=body.rank, size=1)

    with pytest.raises(written_program.WorkloadError, match=r"loop body counted once\) and 3,000 values"):
        body.write("a", offset=body.rank, size=1)
