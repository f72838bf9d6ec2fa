"""Names that somebody else chose, in every field of every format: nothing runs, nothing reaches a terminal raw."""

import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from fuzzing.commands import COMMANDS, arguments
from fuzzing.forked import run_line
from fuzzing.seeds import write_seeds
from striate.cli.main import run
from striate.errors import TuningError
from striate.printable import one_line, printable, printable_json
from striate.shell import checked_hint, executable_line, export_line, path_word

RUNS = "$(touch PWNED);`touch PWNED`'\"|touch PWNED\ntouch PWNED;"
NAMES = [f"x\x1b]0;T\x07\x9b31m\u202e{RUNS}\udcff", f"=cmd|'/C calc'!A0{RUNS}", "-rf ~; touch PWNED #"]
SOURCE = Path(__file__).resolve().parents[3] / "src" / "striate"


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return write_seeds(tmp_path_factory.mktemp("sound"))


@pytest.mark.parametrize("name", NAMES, ids=["escapes", "formula", "option"])
def test_all_commands_with_a_hostile_name_in_every_field(name, sound, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = write_seeds(tmp_path / "in", name)
    done = []
    for kind, lines in COMMANDS.items():
        for number, line in enumerate(lines):
            out = tmp_path / "out" / f"{kind}-{number}"
            out.mkdir(parents=True)
            subject = given["graphs" if kind == "graph table" else kind]
            outcome = run_line(arguments(line, str(subject), out, sound))
            assert not outcome.wrong, (kind, line, outcome.wrong)
            done.append(outcome.status)
    assert done.count(0) > 0.8 * len(done)
    _run_what_was_written(tmp_path)
    _expect_no_formulas(tmp_path / "out")


def _run_what_was_written(folder: Path) -> None:
    """Run every script in a shell that knows no program but stubs, and look for what it made."""
    stubs, home = folder / "stubs", folder / "home"
    stubs.mkdir()
    home.mkdir()
    for program in ("lfs", "touch", "rm", "id", "cmd"):
        (stubs / program).write_text(f'#!/bin/sh\necho {program} "$@" >> {folder}/ran\n')
        (stubs / program).chmod(0o755)
    for script in (folder / "out").rglob("*.sh"):
        subprocess.run(
            ["/bin/sh", str(script)],
            cwd=home,
            env={"HOME": str(home), "PATH": str(stubs)},
            timeout=10,
            check=True,
        )
    ran = (folder / "ran").read_text(errors="replace").splitlines() if (folder / "ran").exists() else []
    assert [line for line in ran if not line.startswith("lfs setstripe -c ")] == []
    assert not list(folder.rglob("PWNED"))


def _expect_no_formulas(folder: Path) -> None:
    tables = list(folder.rglob("*.csv"))
    assert tables
    for table in tables:
        with table.open(newline="", errors="surrogateescape") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        bad = [
            cell
            for cell in cells
            if cell[:1] in ("=", "+", "@", "\t", "\r") or (cell[:1] == "-" and not _number(cell))
        ]
        assert not bad, (table, bad[:3])


def _number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_hostile_name_on_the_command_line_is_shown_safely(sound, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for kind, lines in COMMANDS.items():
        for line in lines:
            for name in NAMES[:2]:
                outcome = run_line(arguments(line, name.replace("/", ""), tmp_path, sound))
                assert not outcome.wrong, (kind, line, outcome)
                assert outcome.status in (1, 2), (kind, line)


def test_commands_print_through_one_function_alone():
    """`say` and `say_json` know how to make names safe; whoever prints otherwise does not."""
    printing = [
        path.name
        for path in sorted((SOURCE / "cli").rglob("*.py"))
        if "click.echo(" in path.read_text() or "click.secho(" in path.read_text()
    ]

    assert printing == ["completion.py", "output.py"]


def test_scripts_are_quoted_in_one_module_alone():
    quoting = [
        path.relative_to(SOURCE)
        for path in SOURCE.rglob("*.py")
        if any(verb in path.read_text() for verb in ("shlex.quote", "shlex.join"))
    ]

    assert [str(path) for path in quoting if path.parts[0] not in ("lab", "probe")] == ["shell.py"]


def test_a_name_with_control_characters_becomes_no_word_of_a_command():
    assert path_word("/scratch/a b", otherwise="FILE") == "'/scratch/a b'"
    assert path_word("-rf", otherwise="FILE") == "./-rf"
    assert path_word("a\nb", otherwise="FILE") == "FILE"
    assert path_word("", otherwise="FILE") == "FILE"


@pytest.mark.parametrize(
    "command",
    [
        "lfs setstripe -c 4 $(id)",
        "lfs setstripe -c 4 a; id",
        "lfs setstripe -c 4 'a' b",
        "rm -rf ~",
        "srun --exclude=HOST ...",
    ],
)
def test_only_striping_with_one_quoted_path_is_written_as_a_command(command):
    assert executable_line(command) == f"# {command}"


def test_striping_is_written_as_it_is():
    assert (
        executable_line("lfs setstripe -S 1048576 -c 4 '/a b/c'") == "lfs setstripe -S 1048576 -c 4 '/a b/c'"
    )
    with pytest.raises(TuningError, match="of one line"):
        executable_line("lfs setstripe -c 4 a\nid")


@pytest.mark.parametrize(
    "name", ["A=$(id) B", "LD_PRELOAD", "PATH", "SLURM_CONF", "BASH_ENV", "SLURM_TASK_PROLOG", ""]
)
def test_variables_that_are_not_settings_are_refused(name):
    with pytest.raises(TuningError, match="environment variable for settings"):
        export_line(name, "x")


def test_values_of_settings_are_quoted_and_hints_have_a_grammar():
    assert export_line("FORT_BUFFERED", "$(id)") == "export FORT_BUFFERED='$(id)'"
    for key, value in (("a b", "1"), ("a", "x y"), ("a", "$(id)"), ("", "1"), ("a", "1\n")):
        with pytest.raises(TuningError, match="an MPI-IO hint without spaces"):
            checked_hint(key, value)


def test_foreign_advice_with_a_bad_variable_is_refused_in_one_line(sound, tmp_path, capsys):
    advice = json.loads(sound["advice"].read_text())
    advice["items"][0]["change"]["environment"] = {"X=1; touch PWNED; Y": "1"}
    (tmp_path / "advice.json").write_text(json.dumps(advice))

    assert run(["apply", str(tmp_path / "advice.json"), "-o", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_advise_opens_no_file_that_a_log_names(sound, tmp_path, monkeypatch):
    named = tmp_path / "secret"
    os.mkfifo(named)  # opening it for reading would wait for ever
    log = tmp_path / "log.txt"
    log.write_text(Path(sound["darshan text"]).read_text().replace("/s/plain", str(named)))

    assert run(["advise", str(log)]) == 0


def test_letters_that_a_terminal_obeys_are_spelt_out():
    assert printable("a\x1b[1m\nb") == "a\\x1b[1m\nb"
    assert one_line("a\nb") == "a\\nb"
    assert json.loads(printable_json('"\x7f\x9b\u202e\U000e0001"')) == "\x7f\x9b\u202e\U000e0001"
