"""`striate model`: tables, JSON, pages, fits, and refusals in one line."""

import json

import pytest

from striate.cli.forecast.model import whole_range
from striate.cli.main import run
from striate.errors import QueueingError
from striate.queueing import Program, load_model
from unit.queueing.test_fit import observed

PHASE = """
parallel_seconds = "4 s"
message_startup_seconds = "2 ms"
transfer_seconds = 0.3
io_transfer_seconds = "2 s"
contention = 0.3
group = 2
scale = "power:-1/6"
messages = { power = "1/2", factor = 6 }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "spmd.toml").write_text(f'kind = "bus-aio"\n[spmd]{PHASE}')
    data = observed(noise=0.01)
    rows = zip(data.processors, data.disks, data.values, strict=True)
    lines = "".join(f"{p},{d},{s}\n" for p, d, s in rows)
    (tmp_path / "speedups.csv").write_text("p,d,speedup\n" + lines)
    return tmp_path


def test_a_table_of_speedups(folder, capsys):
    assert run(["model", "spmd.toml", "--p", "2:8:x2", "--d", "1,4", "--budget", "8"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["p\\d", "1", "4"]
    assert [line.split()[0] for line in lines[2:5]] == ["2", "4", "8"]
    assert lines[5].startswith("best with p + d <= 8: p = 4, d = 4")


def test_points_without_a_model_are_dashes(folder, capsys):
    assert run(["model", "spmd.toml", "--p", "1:2", "--d", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["1", "-"]


def test_json_has_a_schema_and_the_same_numbers(folder, capsys):
    assert run(["model", "spmd.toml", "--p", "1:4", "--d", "1:2", "--json", "--budget", "4"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "striate.model/1"
    assert document["seconds"][0] == [None, None]
    assert document["seconds"][3][1] == load_model("spmd.toml").time(4, 2)
    assert document["best"]["processors"] == 2


def test_phases_are_read_with_a_kind_each(folder, capsys):
    text = f'solver = "exact"\n[[phase]]\nkind = "sio"\ncycles = 3{PHASE}[[phase]]{PHASE}'
    (folder / "two.toml").write_text(text)
    model = load_model("two.toml")

    assert isinstance(model, Program)
    assert [(phase.kind, phase.solver, phase.spmd.cycles) for phase in model.phases] == [
        ("sio", "exact", 3),
        ("bus-aio", "exact", 1),
    ]
    assert run(["model", "two.toml", "--p", "8", "--d", "2", "--kind", "clu-aio"]) == 0


def test_a_page_is_written_whole_and_not_over_another(folder, capsys):
    assert run(["model", "spmd.toml", "--p", "2:8:2", "--d", "1:3", "-o", "surface.html"]) == 0
    page = (folder / "surface.html").read_text()
    assert "plotly" in page
    assert capsys.readouterr().out == ""
    assert run(["model", "spmd.toml", "-o", "surface.html"]) == 1
    assert "--force" in capsys.readouterr().err


def test_a_fit_tells_what_it_found_and_what_it_could_not(folder, capsys):
    assert run(["model", "fit", "speedups.csv", "--kind", "bus-aio", "--scale", "inverse"]) == 0

    out = capsys.readouterr().out
    assert "42 observations" in out
    assert "contention * transfer_seconds = 0.07" in out
    assert "cannot be separated with these data; add p = 1 or fix one" in out
    assert "fits equally well" in out


def test_a_fit_as_json_and_as_a_page(folder, capsys):
    arguments = ["model", "fit", "speedups.csv", "--scale", "inverse", "--fixed", "contention=0.19", "--json"]
    assert run([*arguments, "-o", "residuals.html"]) == 0

    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "striate.model-fit/1"
    assert document["parameters"]["transfer_seconds"]["estimate"] == pytest.approx(0.41, rel=0.05)
    assert "residuals" in (folder / "residuals.html").read_text()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("8", [8]),
        ("1,2,4", [1, 2, 4]),
        ("3:5", [3, 4, 5]),
        ("1:9:4", [1, 5, 9]),
        ("3:50:x4", [3, 12, 48]),
        ("5:4", []),
    ],
)
def test_ranges(text, numbers):
    assert whole_range(text, at="--p") == numbers


@pytest.mark.parametrize(
    "text", ["", "a", "1:2:3:4", "1:8:x1", "0:8:x2", "1:8:0", "1:99999999999", "1.5", "1:8:x"]
)
def test_ranges_that_make_no_sense_are_refused(text):
    with pytest.raises(QueueingError, match="--p"):
        whole_range(text, at="--p")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected either a table [spmd]"),
        ("[spmd", "not TOML"),
        ("[spmd]\n", "parallel_seconds"),
        ("[spmd]\nparallel_seconds = -1\n", "$.spmd.parallel_seconds (bad.toml)"),
        ('[spmd]\nparallel_seconds = "soon"\n', "got 'soon' - at $.spmd.parallel_seconds"),
        ("[spmd]\nparallel_seconds = 1\nserial_second = 1\n", "did you mean serial_seconds?"),
        ("[spmd]\nparallel_seconds = 1\nscale = 'odd'\n", "$.spmd.scale"),
        ("[spmd]\nparallel_seconds = 1\nkind = 3\n", "$.spmd.kind"),
        ("kind = 'ring'\n[spmd]\nparallel_seconds = 1\n", "expected a kind"),
        ("phase = 1\n", "tables [[phase]]"),
        ("phase = []\n", "at least one phase"),
        ("phase = [1]\n", "$.phase[0]"),
        ("[spmd]\nparallel_seconds = 1\n[[phase]]\nparallel_seconds = 1\n", "expected either a table [spmd]"),
    ],
)
def test_files_that_cannot_be_read_are_refused_in_one_line(folder, capsys, text, words):
    (folder / "bad.toml").write_text(text)

    assert run(["model", "bad.toml"]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert "bad.toml" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["missing.toml"], 1, "missing.toml"),
        (["spmd.toml", "--p", "0:4"], 1, "at least 1, got 0"),
        (["spmd.toml", "--d", "0"], 1, "at least 1, got 0"),
        (["spmd.toml", "--p", "5"], 1, "multiple of c = 2, got p = 5"),
        (["spmd.toml", "--p", "6", "--d", "2", "--kind", "clu-aio"], 1, "multiple of d = 2, got p/c = 3"),
        (["spmd.toml", "--p", "2:4000:2", "--d", "1:100"], 1, "give --json or -o"),
        (["spmd.toml", "speedups.csv"], 2, "expected one FILE"),
        (["spmd.toml", "--p", "2", "--budget", "1"], 1, "budget of at least 3"),
        (["fit", "missing.csv"], 1, "missing.csv"),
        (["fit", "speedups.csv", "--fixed", "contention"], 1, "NAME=VALUE"),
        (["fit", "speedups.csv", "--fixed", "contention=much"], 1, "from 0 to 1"),
        (["fit", "speedups.csv", "--kind", "ring"], 2, "ring"),
        (["spmd.toml", "-o", "nowhere/page.html"], 1, "directory of the output file does not exist"),
    ],
)
def test_bad_input_never_shows_a_traceback(folder, capsys, arguments, status, words):
    assert run(["model", *arguments]) == status
    captured = capsys.readouterr()
    assert words in captured.err
    assert "Traceback" not in captured.err
    assert status == 2 or captured.err.count("\n") == 1


def test_without_plotly_a_page_is_refused_in_one_line(folder, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "plotly.offline", None)

    assert run(["model", "spmd.toml", "--p", "2", "-o", "page.html"]) == 1
    assert "pip install 'striate[plot]'" in capsys.readouterr().err


def test_a_point_is_told_with_its_parts(folder, capsys):
    assert run(["model", "spmd.toml", "--p", "2:64:x2", "--at", "16,4"]) == 0

    shown = capsys.readouterr().out
    for word in ("components", "utilisation", "bounds", "effects", "knee at d = 4", "bottleneck"):
        assert word in shown
    assert run(["model", "spmd.toml", "--p", "2:64:x2", "--at", "16,4", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (phase,) = document["phases"]
    assert document["seconds"] == pytest.approx(sum(phase["components"].values()))
    assert phase["bounds"]["low"] <= document["seconds"] <= phase["bounds"]["high"]
    assert document["band"] is None  # a model from a file says what it knows


def test_a_program_is_counted_on_a_machine_and_told_with_its_band(capsys):
    arguments = ["model", "--from-program", "jacobi", "--machine", "sp2", "--p", "2:16:x2", "--at", "8,3"]
    assert run([*arguments, "--json"]) == 0

    found = capsys.readouterr()
    document = json.loads(found.out)
    assert document["band"]["low"] < document["seconds"] < document["band"]["high"]
    assert "contention 0.22" in found.err  # 27 MB/s between two, 120 MB/s through the switch


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["spmd.toml", "--at", "16"], 1, "disks P,D such as"),
        (["spmd.toml", "--at", "-1,2"], 1, "disks P,D such as"),
        (["spmd.toml", "--at", "3,1"], 1, "multiple of c"),
        (["--from-program", "jacobi"], 2, "--machine"),
        (["spmd.toml", "--from-program", "jacobi", "--machine", "sp2"], 2, "one of FILE"),
        (["--from-trace", "none.parquet", "--machine", "sp2"], 1, "none.parquet"),
        ([], 2, "expected one FILE"),
    ],
)
def test_a_point_that_cannot_be_told_is_refused(folder, capsys, arguments, status, message):
    assert run(["model", *arguments]) == status
    assert message in capsys.readouterr().err
