"""Where the servers' directories are is part of the dataset: readers need not be told, unless they were moved."""

import numpy as np
import pytest

import striate.runtime as runtime
from striate.cli.main import run
from striate.errors import DatasetError
from striate.runtime import Variable
from striate.runtime.store.metadata import check_directory_names


@pytest.fixture
def disk(tmp_path):
    (tmp_path / "disk").mkdir()
    return tmp_path / "disk"


def test_an_array_is_found_without_its_directories(tmp_path, disk, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with runtime.create(None, "d", (10,), "f8", directories=["disk"]) as dataset:
        dataset.write_all(..., np.arange(10.0))
    monkeypatch.chdir("/")
    path = tmp_path / "d"

    assert not list(path.glob("*.blocks"))
    with runtime.open(None, path) as dataset:
        dataset.write_all([3], [30.0])
    assert runtime.open_serial(path)[2:5].tolist() == [2, 30, 4]
    assert not runtime.verify(path).findings
    assert runtime.repair(path) == 0
    assert run(["info", str(path)]) == 0
    assert f"each in a directory of its own: {disk}" in capsys.readouterr().out


def test_a_group_is_found_without_its_directories(tmp_path, disk):
    path = tmp_path / "g"
    variables = {"a": Variable("f4", ("time", "node"))}
    with runtime.create_group(
        None, path, dimensions={"time": None, "node": 5}, variables=variables, directories=[disk]
    ) as group:
        group.append_all(slice(None), {"a": np.arange(5, dtype="f4")})
    with runtime.open_group(None, path) as group:
        group.append_all([1], {"a": np.ones(1, "f4")})

        assert group.read_all("a", step=0).tolist() == [0, 1, 2, 3, 4]
    assert not runtime.verify(path).findings
    assert len(list(disk.glob("*.blocks"))) == 2


def test_moved_directories_are_named_once_more(tmp_path, disk):
    path = tmp_path / "d"
    with runtime.create(None, path, (4,), "i4", directories=[disk]) as dataset:
        dataset.write_all(..., np.arange(4, dtype="i4"))
    moved = disk.rename(tmp_path / "moved")

    with pytest.raises(OSError, match="the sub-file is missing"):
        runtime.open_serial(path)[...]
    with runtime.open(None, path, directories=[moved]) as dataset:
        dataset.write_all([0], np.array([9], "i4"))
    assert runtime.open_serial(path)[...].tolist() == [9, 1, 2, 3]


@pytest.mark.parametrize("names", [["disk"], ["/a", "/b"], ["/a\0b"], ["/" + "x" * 5000]])
def test_directories_that_cannot_be_are_refused(names):
    with pytest.raises(DatasetError, match="directories"):
        check_directory_names(names, 1, own=True)
