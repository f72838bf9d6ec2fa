"""Tuned settings as files: what is written, what is refused, and what the runtime reads back."""

import subprocess
import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.collectives.registry import ALGORITHMS
from striate.errors import DatasetError, TuningError
from striate.interval import Interval
from striate.runtime import read_settings
from striate.tuning.apply import MPICH, ApplyPlan, plan_of_changes, plan_of_tuned
from striate.tuning.change import Change
from striate.tuning.tuned import Tuned

NAMES = 'program = "a"\ncluster = "b"\n[predicted]\n'
scalars = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.text(max_size=20),
    st.floats(allow_nan=False, allow_infinity=False),
)
tables = st.dictionaries(
    st.text(min_size=1, max_size=8),
    st.recursive(
        st.one_of(scalars, st.lists(scalars, max_size=3)),
        lambda inner: st.dictionaries(st.text(min_size=1, max_size=8), inner, max_size=3),
        max_leaves=6,
    ),
    max_size=4,
)


def tuned(**settings):
    return Tuned(program="mesh", cluster="here", predicted=Interval(1, 1, 1), settings=settings)


@given(tables)
def test_tables_survive_the_file_of_tuned_settings(table):
    made = msgspec.structs.replace(tuned(), parameters=table)

    assert tomllib.loads(made.to_toml())["parameters"] == table


def test_tuned_settings_survive_their_file(tmp_path):
    made = Tuned(
        program="mesh",
        cluster="here",
        predicted=Interval(0.5, 1, 2),
        now=Interval(1, 2, 3),
        parameters={"ranks": 2},
        settings={"servers": 2, "chunk": "1 MiB"},
        ties=[{"servers": 1}, {"servers": 3}],
        costs={"codecs": {"zstd": {"share": 0.5}}},
    )
    (tmp_path / "tuned.toml").write_text(made.to_toml())

    assert Tuned.load(tmp_path / "tuned.toml") == made


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("= 1", "not TOML"),
        ('schema = "striate.tuned/1"', "not a tuning"),
        (
            'schema = "striate.tuned/9"\n' + NAMES + "low = 1\nestimate = 1\nhigh = 1\n[settings]\n",
            "expected schema",
        ),
        (NAMES + "low = 3\nestimate = 2\nhigh = 1\n[settings]\n", "not a tuning"),
    ],
)
def test_files_that_are_no_tuning_are_refused(tmp_path, text, words):
    (tmp_path / "tuned.toml").write_text(text)

    with pytest.raises(TuningError, match=words):
        Tuned.load(tmp_path / "tuned.toml")


def test_a_program_on_the_runtime_gets_its_configuration(tmp_path):
    plan = plan_of_tuned(tuned(servers=2, chunk="1 MiB", codec="none", ranks=4), {}, on_runtime=True)
    files = plan.files(tmp_path)
    for name, content in files.items():
        (tmp_path / name).write_text(content)

    assert set(files) == {"runtime.toml", "environment.sh"}
    assert read_settings(tmp_path / "runtime.toml") == {"servers": 2, "chunk": 2**20, "codec": None}
    assert plan.notes == ("start the program with 4 ranks: mpiexec -n 4",)


def test_other_programs_get_hints_environment_and_the_stripe_command(tmp_path):
    hints = {"striping_unit": "1048576", "striping_factor": "4"}
    made = tuned(placement="block", collectives="alltoall=bruck; allreduce=ring", buffered=4)
    plan = plan_of_tuned(made, hints, on_runtime=False)
    files = plan.files(tmp_path)

    assert files["hints.txt"] == "striping_unit 1048576\nstriping_factor 4\n"
    assert files["commands.sh"] == "lfs setstripe -S 1048576 -c 4 DIRECTORY\n"
    assert "export SLURM_DISTRIBUTION=block\n" in files["environment.sh"]
    assert "export MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=brucks\n" in files["environment.sh"]
    assert "export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring\n" in files["environment.sh"]
    assert plan.notes == ("set the program's own buffered to 4",)


def test_a_hostile_value_stays_a_value(tmp_path):
    plan = ApplyPlan(environment={"FORT_BUFFERED": "$(touch made); `id` 'x'"})
    (tmp_path / "environment.sh").write_text(plan.files(tmp_path)["environment.sh"])

    shown = subprocess.run(
        ["sh", "-c", '. ./environment.sh; printf %s "$FORT_BUFFERED"'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert shown.stdout == "$(touch made); `id` 'x'"
    assert not (tmp_path / "made").exists()


def test_a_hint_with_a_line_break_is_refused(tmp_path):
    with pytest.raises(TuningError, match="without spaces"):
        ApplyPlan(hints={"a": "1\nb 2"}).files(tmp_path)


def test_of_two_pieces_of_advice_the_one_with_the_larger_gain_holds():
    plan = plan_of_changes([Change("first", hints={"a": "1"}), Change("second", hints={"a": "2", "b": "3"})])

    assert plan.hints == {"a": "1", "b": "3"}


def test_every_algorithm_that_mpich_is_told_of_is_one_of_ours():
    assert set(MPICH) <= set(ALGORITHMS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("servers = true", "a setting among"),
        ('colour = "red"', "a setting among"),
        ('chunk = "large"', "a size"),
        ('layout = "round"', "a layout such as"),
        ("= 1", "not TOML"),
    ],
)
def test_settings_that_the_runtime_does_not_have_are_refused(tmp_path, text, words):
    (tmp_path / "runtime.toml").write_text(text)

    with pytest.raises(DatasetError, match=words):
        read_settings(tmp_path / "runtime.toml")


def test_the_environment_names_the_settings(tmp_path, monkeypatch):
    (tmp_path / "runtime.toml").write_text('buffer = "8 MiB"\nlayout = "simple:2:1MiB"\n')
    monkeypatch.delenv("STRIATE_RUNTIME", raising=False)
    assert read_settings() == {}

    monkeypatch.setenv("STRIATE_RUNTIME", str(tmp_path / "runtime.toml"))
    assert read_settings()["buffer"] == 2**23
    assert str(read_settings()["layout"]) == "simple:2:1MiB"


@pytest.mark.parametrize("value", ["nan", "inf", '"many"'])
def test_a_number_of_servers_that_is_none_is_refused_in_one_line(tmp_path, value, capsys):
    from striate.cli.main import run

    settings = (
        f'schema = "striate.tuned/1"\nprogram = "x"\ncluster = "y"\nsettings = {{ servers = {value} }}\n'
    )
    (tmp_path / "t.toml").write_text(settings + "predicted = { low = 1.0, estimate = 2.0, high = 3.0 }\n")

    assert run(["apply", str(tmp_path / "t.toml"), "-o", str(tmp_path / "out")]) == 1
    assert "expected a whole number" in capsys.readouterr().err


def test_components_are_applied_by_the_command_of_the_file_system():
    made = tuned(layout="lustre:8:-E 4M -c 1 -E -1 -c -1")

    plan = plan_of_tuned(made, {}, on_runtime=False)

    assert plan.files(Path())["commands.sh"] == "lfs setstripe -E 4M -S 1M -c 1 -E -1 -S 1M -c 8 DIRECTORY\n"
