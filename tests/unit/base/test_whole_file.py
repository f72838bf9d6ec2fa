"""Outputs are whole or not there, and never take the place of a device, a pipe or a link."""

import os
import stat
import threading
from pathlib import Path

import pytest

from striate.errors import OutputError
from striate.whole_file import whole_file

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
