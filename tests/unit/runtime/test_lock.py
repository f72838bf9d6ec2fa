"""One program at a time writes a dataset; a dead one hinders nobody, and readers never wait."""

import errno
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import striate.runtime as runtime
from striate.cli.main import run
from striate.errors import DatasetError, StorageError
from striate.runtime.store import lock

HOLD = """
import sys, numpy as np, striate.runtime as runtime
from striate.runtime.store import lock
{before}
dataset = runtime.{make}
{write}
print("ready", flush=True)
sys.stdin.read()
"""


def start(make, write="", before=""):
    """Another program that has a dataset open, until it is told to end."""
    code = HOLD.format(make=make, write=write, before=before)
    program = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdout.readline() == "ready\n"
    return program


def end(program):
    program.communicate("", timeout=30)


def kill(program):
    with program:
        program.kill()


@pytest.fixture
def path(tmp_path):
    with runtime.create(None, tmp_path / "d", (100,), "f8") as made:
        made.write_all(..., np.zeros(100))
    return tmp_path / "d"


def test_a_second_program_is_refused_and_told_who_writes(path):
    other = start(f"open(None, {str(path)!r})", "dataset.write_all([1], [1.0])")

    for write in (lambda: runtime.create(None, path, (3,), "f8"), lambda: runtime.repair(path)):
        with pytest.raises(DatasetError, match=f"being written by process {other.pid} on "):
            write()
    with runtime.open(None, path) as dataset:
        assert dataset.read_all([1]) == 1  # readers are never refused
        with pytest.raises(DatasetError, match="only one program can write at a time"):
            dataset.write_all([2], [2.0])
        assert runtime.verify(path).notes == ("a program is writing the dataset",)
        end(other)
        dataset.write_all([2], [2.0])

        assert dataset.read_all([1, 2]).tolist() == [1, 2]


def test_the_lock_of_a_killed_program_is_free(path):
    other = start(f"open(None, {str(path)!r})", "dataset.iwrite_all(..., np.ones(100)).finish_moving()")
    kill(other)
    assert len(list(path.glob("*.blocks"))) == 2

    assert "1 files belong to no completed write" in runtime.verify(path).notes[0]
    with runtime.open(None, path) as dataset:
        dataset.write_all([1], [1.0])

    assert runtime.open_serial(path)[:3].tolist() == [0, 1, 0]
    assert not runtime.verify(path).notes


def test_a_first_write_that_was_killed_is_seen_and_its_files_go(tmp_path, capsys):
    folders = [tmp_path / "disk"]
    folders[0].mkdir()
    make = f"create(None, {str(tmp_path / 'd')!r}, (100,), 'f8', directories=[{str(folders[0])!r}])"
    other = start(make, "dataset.iwrite_all(..., np.ones(100)).finish_moving()")
    kill(other)
    assert len(list(folders[0].iterdir())) == 1

    with pytest.raises(StorageError, match="first write was interrupted"):
        runtime.verify(tmp_path / "d")
    assert run(["repair", str(tmp_path / "d"), "--directory", str(folders[0])]) == 0
    assert capsys.readouterr().out.endswith("1 files removed\n")
    assert not list(folders[0].iterdir())


def test_the_next_write_removes_what_a_killed_first_write_left_in_a_servers_directory(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / f"{'0' * 16}-00000001-0.blocks").write_bytes(b"another dataset's")
    make = f"create(None, {str(tmp_path / 'd')!r}, (100,), 'f8', directories=[{str(disk)!r}])"
    other = start(make, "dataset.iwrite_all(..., np.ones(100)).finish_moving()")
    kill(other)
    with runtime.create(None, tmp_path / "d", (9,), "f8", directories=[disk]) as dataset:
        dataset.write_all(..., np.ones(9))
        ours = dataset._state.identity

    assert sorted(entry.name[:16] for entry in disk.iterdir()) == sorted(["0" * 16, ours])


def without_locks(*_):
    raise OSError(errno.ENOLCK, "no locks available")


BEFORE = "import errno\ndef none(*_): raise OSError(errno.ENOLCK, '')\nlock.fcntl.flock = none"


def test_without_locks_of_the_kernel_a_claim_file_keeps_programs_apart(path, monkeypatch):
    other = start(f"open(None, {str(path)!r})", "dataset.write_all([1], [1.0])", BEFORE)
    monkeypatch.setattr(lock.fcntl, "flock", without_locks)

    with pytest.raises(DatasetError, match=f"being written by process {other.pid} on "):
        runtime.create(None, path, (3,), "f8")
    end(other)
    with runtime.create(None, path, (3,), "f8") as dataset:
        dataset.write_all(..., np.ones(3))
    assert not (path / lock.CLAIM_NAME).exists()


def test_without_locks_of_the_kernel_the_claim_of_a_dead_program_is_free(path, monkeypatch):
    other = start(f"open(None, {str(path)!r})", "dataset.write_all([1], [1.0])", BEFORE)
    kill(other)
    monkeypatch.setattr(lock.fcntl, "flock", without_locks)

    with runtime.open(None, path) as dataset:
        dataset.write_all([2], [2.0])
        assert dataset.read_all([1, 2]).tolist() == [1, 2]


def test_a_commit_past_the_lock_is_refused_and_loses_nothing(path, monkeypatch):
    """Where no lock reaches the other host, the metadata file tells that somebody wrote."""
    with runtime.open(None, path) as ours:
        pending = ours.iwrite_all([1], [1.0])
        (path / lock.FILE_NAME).unlink()  # the other host sees none of it
        monkeypatch.setattr(lock, "_taken", {})
        with runtime.create(None, path, (5,), "f8") as theirs:
            theirs.write_all(..., np.full(5, 7.0))

        with pytest.raises(
            DatasetError, match="another writer changed the dataset meanwhile; this write was not done"
        ):
            pending.wait()
    assert runtime.open_serial(path)[...].tolist() == [7] * 5


def test_a_lock_that_is_a_link_is_refused(path, tmp_path):
    (path / lock.FILE_NAME).unlink(missing_ok=True)
    (path / lock.FILE_NAME).symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StorageError):
        runtime.create(None, path, (3,), "f8")
    assert not (tmp_path / "elsewhere").exists()


def test_a_forked_child_is_another_program(path):
    with runtime.open(None, path) as dataset:
        dataset.write_all([1], [1.0])
        child = os.fork()
        if not child:
            try:
                runtime.create(None, path, (3,), "f8")
            except DatasetError:
                os._exit(7)
            os._exit(0)

        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_info_says_what_a_dataset_is(path, capsys):
    assert run(["info", str(path)]) == 0

    said = capsys.readouterr().out
    assert "a dataset of striate.runtime" in said
    assert "float64 (100,), 800 B" in said
    assert "written  1 times; no program is writing it" in said
