"""Sample files through the parallel file and back, byte for byte; broken files refused in one line."""

import io
import json
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.apps.pmc3.pack import describe, export, pack
from striate.apps.pmc3.parallel_file import (
    MAGIC,
    PREAMBLE_BYTES,
    ParallelFile,
    SampleDescription,
    mark,
    marked_samples,
    read_description,
)
from striate.apps.pmc3.sample_files import (
    RunSamples,
    file_contents,
    read_run,
    run_paths,
    split_parameters,
    split_trees,
)
from striate.errors import StriateError

SETS = ["primates4", "synth16"]


@pytest.mark.parametrize("arrangement", ["run", "generation"])
@pytest.mark.parametrize("generations", [1, 7, 1000])
@pytest.mark.parametrize("name", SETS)
def test_real_sample_files_come_back_byte_for_byte(data, tmp_path, name, generations, arrangement):
    originals = data / "mrbayes" / name / name
    runs = [read_run(originals, run, 4) for run in range(4)]
    stream = io.BytesIO()

    pack(stream, runs, describe(runs, arrangement), generations)

    assert export(stream, tmp_path / name) == 51
    for run in range(4):
        for ours, theirs in zip(
            run_paths(tmp_path / name, run, 4), run_paths(originals, run, 4), strict=True
        ):
            assert ours.read_bytes() == theirs.read_bytes()


@pytest.mark.skipif(shutil.which("mb") is None, reason="MrBayes (mb) is not installed")
@pytest.mark.parametrize("name", SETS)
def test_mrbayes_summarises_the_exported_files_as_the_originals(data, tmp_path, name):
    originals, exports = tmp_path / "originals", tmp_path / "exports"
    shutil.copytree(data / "mrbayes" / name, originals)
    exports.mkdir()
    shutil.copy(next(originals.glob("*.nex")), exports)
    runs = [read_run(originals / name, run, 4) for run in range(4)]
    stream = io.BytesIO()
    pack(stream, runs, describe(runs), 5)
    export(stream, exports / name)

    assert summaries(exports, name) == summaries(originals, name)


def summaries(folder, name):
    """What MrBayes' `sump` and `sumt` write about the samples in `folder`, without the lines that name a process."""
    matrix = next(folder.glob("*.nex")).name
    commands = [f"execute {matrix}"] + [
        f"{verb} filename={name} nruns=4 {burnin} outputname={label}"
        for label, burnin in (("quarter", ""), ("none", "relburnin=no burnin=0"))
        for verb in ("sump", "sumt")
    ]
    script = "#NEXUS\nbegin mrbayes;\n set autoclose=yes nowarn=yes;\n " + ";\n ".join(commands) + ";\nend;\n"
    (folder / "summarise.nex").write_text(script)
    subprocess.run(
        ["mb", "summarise.nex"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300
    )
    found = {
        path.name: re.sub(r"\[ID: [^\]]*\]\n?", "", path.read_text(errors="replace"))
        for label in ("quarter", "none")
        for path in folder.glob(f"{label}.*")
    }
    assert len(found) >= 14  # seven kinds of summary, twice
    return found


def samples_of(lines, width=3):
    """A run of `lines` short samples."""
    parameters = tuple(f"{n}\t{n * 0.5:.{width}e}\n".encode() for n in range(lines))
    trees = tuple(f"   tree gen.{n} = [&U] (1:1.0,2:1.0,3:1.0);\n".encode() for n in range(lines))
    return RunSamples(b"[ID: 1]\nGen\tLnL\n", parameters, b"#NEXUS\nbegin trees;\n", trees)


@given(st.lists(st.integers(1, 120), min_size=1, max_size=4), st.integers(1, 9))
def test_all_runs_end_at_the_same_sample(counts, generations):
    runs = [samples_of(count) for count in counts]
    stream = io.BytesIO()
    pack(stream, runs, describe(runs), generations)
    file = ParallelFile.open(stream)

    assert file.samples == min(counts)
    for run, samples in enumerate(runs):
        assert file_contents(file.run(run), min(counts)) == file_contents(samples, min(counts))


@given(st.integers(0, 10**12), st.integers(0, 63), st.integers(1, 255))
def test_a_mark_says_its_number_and_a_damaged_one_says_nothing(samples, place, change):
    whole = mark(samples)
    damaged = bytearray(whole)
    damaged[place] ^= change

    assert marked_samples(whole) == samples
    assert marked_samples(bytes(damaged)) == 0 or bytes(damaged).split() == whole.split()
    assert marked_samples(whole[:12]) == marked_samples(bytes(64)) == 0


def test_records_beyond_the_mark_are_not_read():
    runs = [samples_of(20)]
    stream = io.BytesIO()
    pack(stream, runs, describe(runs))
    offset = int(describe(runs).record_map().offset("mark", turn=0))
    stream.seek(offset)
    stream.write(mark(7))

    assert ParallelFile.open(stream).samples == 7
    assert len(ParallelFile.open(stream).run(0).tree_lines) == 7


def broken(change):
    runs = [samples_of(5)]
    stream = io.BytesIO()
    pack(stream, runs, describe(runs))
    change(stream, describe(runs).record_map())
    return stream


def overwrite(offset, content):
    def change(stream, record_map):
        stream.seek(offset if isinstance(offset, int) else int(offset(record_map)))
        stream.write(content)

    return change


def preamble_of(**fields):
    good = {
        "runs": 1,
        "lines": 5,
        "parameter_line": 9,
        "tree_line": 9,
        "parameter_header": 9,
        "tree_header": 9,
    }
    return (MAGIC + json.dumps(good | fields).encode() + b"\n").ljust(PREAMBLE_BYTES, b"\0")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (overwrite(0, b"something"), "expected an output file of pmc3"),
        (overwrite(len(MAGIC), b"{]"), "expected a description"),
        (overwrite(0, preamble_of(runs=10**15)), "expected `runs` in the preamble of the file from 1 to"),
        (overwrite(0, preamble_of(lines=-1)), "expected `lines` in the preamble of the file from 1 to"),
        (
            overwrite(0, preamble_of(tree_line=2**60)),
            "expected `tree_line` in the preamble of the file from 1 to",
        ),
        (overwrite(0, preamble_of(spare=1)), "expected a description"),
        (overwrite(0, preamble_of(lines=10**12)), "expected 9 bytes"),
        (overwrite(lambda places: places.offset("mark", turn=1), mark(99)), "at most 5 samples"),
        (
            overwrite(lambda places: places.offset("tree", run=0, line=2), b"\0" * 10),
            "to be written, found NUL bytes",
        ),
        (lambda stream, places: stream.truncate(places.size - 3), "expected"),
        (lambda stream, places: stream.truncate(10), "expected"),
    ],
)
def test_a_broken_parallel_file_is_refused_in_one_line(change, words, tmp_path):
    with pytest.raises(StriateError) as refusal:
        export(broken(change), tmp_path / "out")

    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


@given(st.binary(max_size=200))
def test_any_preamble_is_a_description_or_a_refusal(junk):
    for content in (junk, MAGIC + junk):
        refusal = refusal_of(content)
        assert refusal is None or (refusal.startswith("expected") and "\n" not in refusal)


def refusal_of(content):
    """The words of the refusal, or None when it was read; any other exception fails the test."""
    try:
        assert isinstance(read_description(content), SampleDescription)
    except StriateError as error:
        return str(error)
    return None


def test_a_line_cut_off_by_an_interruption_is_left_out():
    assert split_parameters(b"[ID: 1]\nGen\tLnL\n0\t1\n1\t")[1] == (b"0\t1\n",)
    assert split_trees(b"#NEXUS\nbegin trees;\ntree a = (1,2);\ntree b = (")[1] == (b"tree a = (1,2);\n",)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: split_parameters(b"1\t2\n"), 'begins with "Gen"'),
        (lambda: split_parameters(b"Gen\tLnL\n0\t1\n\n1\t2\n"), "an empty line - at sample 1"),
        (lambda: split_trees(b"begin trees;\n"), "#NEXUS in the first line and at least one line"),
        (
            lambda: describe([samples_of(2), RunSamples(b"x", (b"1\n",), b"y", (b"1\n",))]),
            "headers of the same size",
        ),
    ],
)
def test_sample_files_that_mrbayes_would_not_write_are_refused(call, words):
    with pytest.raises(StriateError) as refusal:
        call()

    assert words in str(refusal.value)
