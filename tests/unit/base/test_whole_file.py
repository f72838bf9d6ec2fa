"""Outputs are whole or not there, and never take the place of a device, a pipe or a link."""

import os
import stat
import threading
from pathlib import Path

import pytest

from striate.errors import OutputError
from striate.whole_file import remove_unfinished, whole_file, whole_folder

FULL = Path("/dev/full")


def test_a_block_that_ends_well_replaces_the_file(tmp_path):
    (tmp_path / "page").write_text("old")
    with whole_file(tmp_path / "page") as place:
        place.write_text("new")
        assert (tmp_path / "page").read_text() == "old"

    assert (tmp_path / "page").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["page"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_a_block_that_is_interrupted_leaves_nothing(tmp_path, stop):
    def write_half():
        with whole_file(tmp_path / "page") as place:
            place.write_text("half")
            raise stop

    with pytest.raises(stop):
        write_half()

    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    with whole_file(tmp_path / "link") as place:
        place.write_text("new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_a_pipe_gets_the_content_and_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    heard = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "pipe").read_text()))
    reader.start()
    with whole_file(tmp_path / "pipe") as place:
        place.write_text("a page")
    reader.join()

    assert heard == ["a page"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.skipif(not FULL.is_char_device(), reason="no /dev/full here")
def test_a_full_device_is_said_in_words():
    with (
        pytest.raises(OutputError, match=r"^cannot write: No space left on device - at /dev/full$"),
        whole_file(FULL) as place,
    ):
        place.write_bytes(b"x")

    assert FULL.is_char_device()


def test_a_directory_that_is_not_there_is_refused(tmp_path):
    with (
        pytest.raises(OutputError, match=r"cannot write: No such file or directory - at .*nowhere"),
        whole_file(tmp_path / "nowhere" / "page") as place,
    ):
        place.write_text("x")


def test_the_mode_of_a_replaced_file_is_kept(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("old")
    secret.chmod(0o600)
    with whole_file(secret) as place:
        assert place.stat().st_mode & 0o777 == 0o600
        place.write_text("new")

    assert secret.read_text() == "new"
    assert secret.stat().st_mode & 0o777 == 0o600


def test_a_new_file_has_the_mode_of_the_umask(tmp_path):
    previous = os.umask(0o027)
    try:
        with whole_file(tmp_path / "new") as place:
            place.write_text("x")
    finally:
        os.umask(previous)

    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o640


def test_the_place_has_a_random_name_and_is_made_by_us_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("os.urandom", bytes)
    (tmp_path / "victim").write_text("kept")
    (tmp_path / f".striate-{'00' * 8}.part").symlink_to(tmp_path / "victim")
    with pytest.raises(OutputError, match="File exists"), whole_file(tmp_path / "out") as place:
        place.write_text("evil")

    assert (tmp_path / "victim").read_text() == "kept"


def test_a_folder_is_replaced_as_a_whole_or_stays(tmp_path):
    out = tmp_path / "out"
    for content in ("one", "two"):
        with whole_folder(out) as place:
            place.mkdir()
            (place / "file").write_text(content)

    def fill_the_disk():
        with whole_folder(out) as place:
            place.mkdir()
            raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space"):
        fill_the_disk()

    assert (out / "file").read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_unfinished_can_be_removed_at_once(tmp_path):
    def lose_it():
        with whole_file(tmp_path / "out") as place:
            place.write_text("half")
            remove_unfinished()
            assert list(tmp_path.iterdir()) == []

    with pytest.raises(OutputError, match="No such file"):
        lose_it()
