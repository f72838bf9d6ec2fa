"""`striate show` and what it takes: traces, timelines, forecasts, machines; refusals are one line and leave nothing."""

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import striate
from striate.apps import checkpoint
from striate.cli.main import run
from striate.errors import OutputError
from striate.pages.run import runs_of
from striate.trace.header import SIMULATED
from unit.pages.runs import small


@pytest.fixture
def saved(tmp_path):
    small().save(tmp_path / "run.parquet")
    small(source=SIMULATED).save(tmp_path / "timeline.parquet")
    forecast = striate.predict(checkpoint.workload(ranks=2), "westmere", within=None, rung="resource")
    (tmp_path / "forecast.json").write_text(forecast.to_json())
    return tmp_path


def views_in(page: Path) -> list[str]:
    text = page.read_text(encoding="utf-8")
    document = json.loads(
        re.search(r'id="document" type="application/json">(.*?)</script>', text, re.DOTALL)[1]
    )
    return [view["name"] for view in document["views"]]


def test_everything_can_be_shown_together(saved, capsys):
    inputs = [str(saved / name) for name in ("run.parquet", "timeline.parquet", "forecast.json")]
    machine = Path(striate.__file__).parent / "cluster" / "data" / "laptop.toml"

    assert run(["show", *inputs, str(machine), "-o", str(saved / "page.html")]) == 0
    assert {"report", "timeline", "compare", "cluster"} <= set(views_in(saved / "page.html"))
    assert "page.html (0." in capsys.readouterr().err


def test_a_forecast_alone_has_no_timeline(saved):
    assert run(["show", str(saved / "forecast.json"), "-o", str(saved / "page.html")]) == 0
    assert views_in(saved / "page.html") == ["report"]


def test_an_existing_page_is_kept(saved, capsys):
    (saved / "page.html").write_text("mine")

    assert run(["show", str(saved / "run.parquet"), "-o", str(saved / "page.html")]) == 1
    assert (saved / "page.html").read_text() == "mine"
    assert "give --force" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"{}", b'{"schema": "striate.forecast/9"}', b"\x00" * 5000]
)
def test_a_file_that_cannot_be_read_is_one_line(tmp_path, capsys, content):
    (tmp_path / "x").write_bytes(content)

    assert run(["show", str(tmp_path / "x"), "-o", str(tmp_path / "page.html")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_a_missing_file_is_one_line(tmp_path, capsys):
    assert run(["show", str(tmp_path / "none"), "-o", str(tmp_path / "page.html")]) == 1
    assert "No such file" in capsys.readouterr().err


def test_a_page_and_a_server_at_once_is_a_mistake_of_usage(saved, capsys):
    assert run(["show", "--serve", str(saved / "run.parquet"), "-o", "x.html"]) == 2
    assert "either --serve or -o" in capsys.readouterr().err


def test_nothing_to_show_is_refused():
    with pytest.raises(OutputError, match="at least one trace"):
        striate.show()


def test_equal_names_are_told_apart():
    assert [one.name for one in runs_of([small(), small()])] == ["solver (1)", "solver (2)"]


def test_the_package_can_be_called_whatever_was_imported_first(tmp_path):
    code = "import striate.pages.run, striate; print(callable(striate.show))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout == "True\n"


def test_a_page_is_written_whole_or_not_at_all(tmp_path):
    target = tmp_path / "page.html"

    assert striate.show(small(), to=target) == target.read_text(encoding="utf-8")
    with pytest.raises(OSError, match="No such file"):
        striate.show(small(), to=tmp_path / "missing" / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_served_page_lives_until_it_is_interrupted(saved):
    code = "import sys; from striate.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", code, "show", "--serve", str(saved / "run.parquet")]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL
        ),  # shells ignore it for what runs behind
    )
    try:
        address = process.stdout.readline().strip()
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert b"striate" in answer.read()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()

    assert process.returncode == 0
    assert said.endswith("ended\n")
