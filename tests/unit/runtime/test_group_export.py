"""A group becomes one HDF5 file or Zarr store of its own: all variables, steps, lists, names and attributes."""

import h5py
import numpy as np
import pytest
import zarr

import striate.runtime as runtime
from striate.cli.main import run
from striate.runtime import Variable, group_export

ROWS = 50
LISTS = [[float(row)] * (row % 4) for row in range(ROWS)]


@pytest.fixture
def path(tmp_path):
    with runtime.create_group(
        None,
        tmp_path / "g",
        dimensions={"time": None, "node": ROWS, "xyz": 3},
        variables={
            "time": Variable("f8", ("time",), units="s"),
            "x": Variable("f8", ("node",), units="m", coordinate=True),
            "velocity": Variable("f4", ("time", "node", "xyz"), codec="zstd"),
            "kind": Variable("?", ("time", "node")),
            "near": Variable("f8", ("node",), ragged=True),
            "marks": Variable("f8", ("time", "node"), ragged=True),
        },
        attributes={"title": "a flow"},
        keep=2,
        chunk=256,
    ) as group:
        group.write_all(slice(None), {"x": np.arange(ROWS) / 4, "near": LISTS})
        for step in range(3):
            group.append_all(
                slice(None),
                {
                    "velocity": np.full((ROWS, 3), step, "f4"),
                    "kind": np.arange(ROWS) % 2 == step % 2,
                    "marks": LISTS[: 10 * step] + [[]] * (ROWS - 10 * step),
                },
                time=step / 2,
            )
    return tmp_path / "g"


def check(read):
    """What any copy of the group must show: the last two of three steps."""
    every = np.concatenate([part for part in LISTS if part])
    some = np.concatenate([part for part in LISTS[:10] if part])

    assert np.array_equal(read("time"), [0.5, 1])
    assert np.array_equal(read("x"), np.arange(ROWS) / 4)
    assert (read("velocity") == np.array([1, 2])[:, None, None]).all()
    assert read("velocity").shape == (2, ROWS, 3)
    assert np.array_equal(read("kind")[1], np.arange(ROWS) % 2 == 0)
    assert np.array_equal(read("near"), every)
    assert np.array_equal(read("near_count"), [len(part) for part in LISTS])
    assert np.array_equal(read("marks")[0, : len(some)], some)
    assert not read("marks")[0, len(some) :].any()


def test_a_group_becomes_a_file_of_netcdf(path, tmp_path, monkeypatch):
    monkeypatch.setattr(group_export, "PIECE", 100)  # in several pieces

    assert run(["convert", str(path), str(tmp_path / "g.h5")]) == 0
    with h5py.File(tmp_path / "g.h5") as file:
        check(lambda name: file[name][...])
        assert [axis.label for axis in file["velocity"].dims] == ["time", "node", "xyz"]
        assert file["velocity"].dims[1][0].shape == (ROWS,)
        assert (file.attrs["title"], file["x"].attrs["units"]) == ("a flow", "m")


def test_a_group_becomes_a_zarr_store(path, tmp_path):
    assert run(["convert", str(path), str(tmp_path / "g.zarr")]) == 0
    found = zarr.open_group(str(tmp_path / "g.zarr"), mode="r")
    check(lambda name: found[name][...])
    assert found["velocity"].attrs["_ARRAY_DIMENSIONS"] == ["time", "node", "xyz"]
    assert dict(found.attrs) == {"title": "a flow", "coordinates": "x"}


@pytest.mark.filterwarnings("error")
def test_xarray_shows_zeros_and_whole_numbers_of_a_zarr_store_as_they_are(path, tmp_path):
    xarray = pytest.importorskip("xarray")
    assert run(["convert", str(path), str(tmp_path / "g.zarr")]) == 0

    with xarray.open_dataset(tmp_path / "g.zarr", engine="zarr") as found:
        check(lambda name: found[name].to_numpy())
        assert (found["near_count"].dtype, found["kind"].dtype) == (np.int64, np.bool_)


def test_a_damaged_group_is_not_copied(path, tmp_path, capsys):
    victim = max(path.glob("*.blocks"))
    victim.write_bytes(victim.read_bytes()[:-1] + b"\xff")

    assert run(["convert", str(path), str(tmp_path / "g.h5")]) == 1
    assert "checksum" in capsys.readouterr().err
    assert not (tmp_path / "g.h5").exists()
    assert run(["convert", str(path), str(tmp_path / "g.npy")]) == 1
    assert "ending in .h5, .zarr for a group" in capsys.readouterr().err
