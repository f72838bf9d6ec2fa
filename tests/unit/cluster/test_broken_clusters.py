"""Every broken cluster file is refused in one line that names the path of the mistake."""

from pathlib import Path

import pytest

from striate.cli.main import run
from striate.cluster import load_cluster
from striate.errors import ClusterError
from striate.limits import SMALL_FILE

DATA = Path(__file__).resolve().parents[2] / "data"
BROKEN = sorted((DATA / "broken_clusters").glob("*.toml"))
GOOD = sorted((DATA / "good_clusters").glob("*.toml"))


def expectation(path: Path) -> tuple[str, str]:
    """Path and message that the first line of the file promises: `# expect: PATH | MESSAGE`."""
    first = path.read_bytes().splitlines()[0].decode()
    where, _, message = first.removeprefix("# expect: ").partition(" | ")
    return where, message


def test_there_are_at_least_twenty_broken_files():
    assert len(BROKEN) >= 20


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_the_files_that_the_broken_ones_are_made_from_are_good(path):
    assert load_cluster(path).nodes == 4


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_a_broken_file_is_refused_in_one_line_with_its_path(path, capsys):
    where, message = expectation(path)

    status = run(["check", str(path)])

    out, err = capsys.readouterr()
    assert status == 1
    assert out == ""
    assert err.count("\n") == 1
    assert f" - at {where}" in err
    assert message in err
    assert path.name in err


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_the_path_of_a_mistake_is_exact(path):
    where, _ = expectation(path)

    with pytest.raises(ClusterError) as refusal:
        load_cluster(path)

    assert refusal.value.at is not None
    assert refusal.value.at == where or not where.startswith("$")
    assert refusal.value.source == str(path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no-such-machine", "no such file, and no bundled cluster description"),
        ("a\0b", "no such file"),
        ("tests", "directory"),
    ],
)
def test_what_is_no_file_is_refused(name, words, capsys, monkeypatch):
    monkeypatch.chdir(DATA.parents[1])

    assert run(["check", name]) == 1
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert words in err


def test_a_file_too_large_is_refused_unread(tmp_path, capsys):
    path = tmp_path / "large.toml"
    with path.open("wb") as file:
        file.truncate(SMALL_FILE + 1)

    assert run(["check", str(path)]) == 1
    assert "at most 16 MiB" in capsys.readouterr().err


def test_deep_nesting_is_refused(tmp_path):
    path = tmp_path / "deep.toml"
    path.write_text("name = " + "[" * 100_000)

    with pytest.raises(ClusterError, match="not TOML"):
        load_cluster(path)


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 5000])
def test_a_number_of_thousands_of_digits_is_refused(tmp_path, number):
    path = tmp_path / "digits.toml"
    path.write_text((DATA / "good_clusters" / "star.toml").read_text().replace('"4 GiB"', number))

    with pytest.raises(ClusterError) as refusal:
        load_cluster(path)
    assert len(str(refusal.value)) < 400


def test_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path):
    path = tmp_path / "windows.toml"
    text = (DATA / "good_clusters" / "star.toml").read_text()
    path.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    assert load_cluster(path).nodes == 4
