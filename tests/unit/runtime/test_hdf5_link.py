"""HDF5 tools read the very bytes of an uncompressed dataset through a small file beside it."""

import shutil
import subprocess

import h5py
import numpy as np
import pytest

import striate.runtime as runtime
from striate.cli.main import run
from striate.errors import DatasetError
from striate.runtime import Variable


@pytest.mark.parametrize(
    ("shape", "kind"), [((3000,), "f8"), ((37, 11), ">i4"), ((500,), [("a", "f4"), ("b", "i8")])]
)
def test_h5py_reads_the_sub_files_of_an_array(tmp_path, shape, kind):
    array = np.zeros(shape, kind)
    array.reshape(-1).view("u1")[:] = np.random.default_rng(1).integers(0, 60, array.nbytes)
    with runtime.create(None, tmp_path / "d", shape, kind, chunk=900) as dataset:
        dataset.write_all(..., array)
        dataset.write_all([shape[0] - 1], array[-1:])  # the last chunk is in another sub-file now
    link = runtime.link_hdf5(tmp_path / "d", tmp_path / "d.h5")

    with h5py.File(link) as file:
        assert file["data"][...].tobytes() == array.tobytes()
        assert file["data"].external is not None
    assert link.stat().st_size < array.nbytes + 20_000


@pytest.fixture
def group(tmp_path):
    with runtime.create_group(
        None,
        tmp_path / "g",
        dimensions={"time": None, "node": 700, "xyz": 3},
        variables={
            "time": Variable("f8", ("time",), units="s"),
            "x": Variable("f8", ("node",), units="m"),
            "velocity": Variable("f4", ("time", "node", "xyz"), units="m/s"),
        },
        attributes={"title": "a flow"},
        chunk="1 KiB",
    ) as made:
        made.write_all(slice(None), {"x": np.arange(700.0)})
        for step in range(3):
            made.append_all(slice(None), {"velocity": np.full((700, 3), step, "f4")}, time=step / 2)
    return tmp_path / "g"


def test_h5py_reads_all_steps_of_a_group_with_units_and_dimensions(group, tmp_path):
    with h5py.File(runtime.link_hdf5(group, tmp_path / "g.h5")) as file:
        assert file.attrs["title"] == "a flow"
        assert np.array_equal(file["x"][...], np.arange(700.0))
        assert [np.unique(step).tolist() for step in file["velocity"][...]] == [[0], [1], [2]]
        assert file["velocity"].attrs["units"] == "m/s"
        assert [dimension.label for dimension in file["velocity"].dims] == ["time", "node", "xyz"]
        assert file["time"][...].tolist() == [0, 0.5, 1]


def test_h5dump_reads_the_same(group, tmp_path):
    if shutil.which("h5dump") is None:
        pytest.skip("no h5dump here")
    link = runtime.link_hdf5(group, tmp_path / "g.h5")
    said = subprocess.run(
        ["h5dump", "-d", "/x", "-s", "699", "-c", "1", str(link)], capture_output=True, text=True
    )

    assert "(699): 699" in said.stdout


def test_netcdf4_reads_the_same(group, tmp_path):
    netcdf = pytest.importorskip("netCDF4", reason="netCDF4 reads the link")
    with netcdf.Dataset(runtime.link_hdf5(group, tmp_path / "g.h5")) as file:
        assert file["velocity"][2].max() == 2


def test_what_hdf5_cannot_read_in_place_is_refused(tmp_path):
    with runtime.create(None, tmp_path / "d", (100,), "f8", codec="zstd") as dataset:
        dataset.write_all(..., np.ones(100))
    with pytest.raises(DatasetError, match="expected an uncompressed dataset"):
        runtime.link_hdf5(tmp_path / "d", tmp_path / "d.h5")
    with runtime.create(None, tmp_path / "e", (1000,), "f8", chunk=800) as dataset:
        dataset.write_all([1], [1.0])
    with pytest.raises(DatasetError, match="expected every chunk written, got 9 that were not"):
        runtime.link_hdf5(tmp_path / "e", tmp_path / "e.h5")
    assert not list(tmp_path.glob("*.h5"))


def test_convert_links_on_demand_and_refuses_other_endings(group, tmp_path, capsys):
    output = tmp_path / "g.h5"

    assert run(["convert", str(group), str(output), "--link"]) == 0
    assert "points into" in capsys.readouterr().out
    assert run(["convert", str(group), str(output), "--link"]) == 1
    assert run(["convert", str(group), str(tmp_path / "g.npy"), "--link"]) == 2
    with h5py.File(output) as file:
        assert file["x"][699] == 699
