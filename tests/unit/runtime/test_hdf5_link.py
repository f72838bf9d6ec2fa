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
from striate.runtime.store import hdf5_reference


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


MESH = {
    "dimensions": {"time": None, "node": 700, "xyz": 3},
    "variables": {
        "time": Variable("f8", ("time",), units="s"),
        "x": Variable("f8", ("node",), units="m"),
        "velocity": Variable("f4", ("time", "node", "xyz"), units="m/s"),
    },
    "attributes": {"title": "a flow"},
    "chunk": "1 KiB",
}


@pytest.fixture
def group(tmp_path):
    with runtime.create_group(None, tmp_path / "g", **MESH) as made:
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


def through_h5dump(path, name, kind, folder):
    """All values of a dataset as h5dump writes them."""
    if shutil.which("h5dump") is None:
        pytest.skip("no h5dump here")
    raw = folder / "raw"
    subprocess.run(["h5dump", "-d", name, "-b", "LE", "-o", raw, path], capture_output=True, check=True)
    return np.fromfile(raw, kind)


def through_netcdf(path):
    netcdf = pytest.importorskip("netCDF4", reason="netCDF4 reads the file")
    with netcdf.Dataset(path) as file:
        values = {name: np.asarray(variable[...]) for name, variable in file.variables.items()}
        dimensions = {name: variable.dimensions for name, variable in file.variables.items()}
        units = {
            name: variable.units for name, variable in file.variables.items() if hasattr(variable, "units")
        }
        return values, dimensions, units


def test_h5dump_and_netcdf4_read_the_file_that_every_write_makes(tmp_path):
    rng = np.random.default_rng(4)
    path, x, flow = tmp_path / "g", rng.random(700), rng.random((3, 700, 3)).astype("f4")
    with runtime.create_group(None, path, hdf5=True, **MESH) as made:
        made.write_all(slice(None), {"x": x})
        for step in range(2):
            made.append_all(slice(None), {"velocity": flow[step]}, time=step / 2)
    with runtime.open_group(None, path) as opened:  # another writer makes it anew
        opened.append_all(np.arange(700), {"velocity": flow[2]}, time=1)

    link = path / "reference.h5"
    assert link.stat().st_size < 30_000
    assert np.array_equal(through_h5dump(link, "/x", "f8", tmp_path), x)
    assert np.array_equal(through_h5dump(link, "/velocity", "f4", tmp_path), flow.reshape(-1))
    values, dimensions, units = through_netcdf(link)
    assert np.array_equal(values["velocity"], flow)
    assert np.array_equal(values["x"], x)
    assert values["time"].tolist() == [0, 0.5, 1]
    assert dimensions == {"time": ("time",), "x": ("node",), "velocity": ("time", "node", "xyz")}
    assert units == {"time": "s", "x": "m", "velocity": "m/s"}
    with pytest.importorskip("xarray").open_dataset(link, engine="netcdf4", decode_times=False) as found:
        assert found["velocity"].dims == ("time", "node", "xyz")
        assert np.array_equal(found["velocity"].values, flow)


def test_the_file_of_an_array_follows_every_write(tmp_path):
    with runtime.create(None, tmp_path / "d", (50, 4), "i4", chunk=160, hdf5=True) as dataset:
        for value in (1, 2):
            dataset.write_all(np.arange(7, 30), np.full((23, 4), value, "i4"))
            with h5py.File(tmp_path / "d" / "reference.h5") as file:
                assert np.array_equal(file["data"][...], dataset.read_all(...))
    expected = np.zeros((50, 4), "i4")
    expected[7:30] = 2

    assert np.array_equal(
        through_h5dump(tmp_path / "d" / "reference.h5", "/data", "i4", tmp_path), expected.reshape(-1)
    )
    values, _, _ = through_netcdf(tmp_path / "d" / "reference.h5")
    assert np.array_equal(values["data"], expected)


def test_steps_in_too_many_pieces_for_one_list_are_a_virtual_dataset(tmp_path, monkeypatch):
    monkeypatch.setattr(hdf5_reference, "MOST_PIECES", 2)
    variables = {"a": Variable("i4", ("t", "n")), "b": Variable("i4", ("t", "n"))}
    with runtime.create_group(
        None, tmp_path / "g", dimensions={"t": None, "n": 40}, variables=variables, hdf5=True
    ) as group:
        for step in range(4):  # of `b` only every second step is written
            group.append_all(slice(None), {name: np.full(40, step, "i4") for name in "ab"[: 1 + step % 2]})

    values, _, _ = through_netcdf(tmp_path / "g" / "reference.h5")
    assert values["a"][:, 0].tolist() == [0, 1, 2, 3]
    assert values["b"][:, 39].tolist() == [0, 1, 0, 3]
    assert through_h5dump(tmp_path / "g" / "reference.h5", "/b", "i4", tmp_path)[::40].tolist() == [
        0,
        1,
        0,
        3,
    ]


def test_attributes_that_hdf5_has_no_type_for_are_text_or_numbers(tmp_path):
    mixed = {
        "CLASS": "a",
        "flags": [True, False],
        "mixed": [1, "two"],
        "ragged": [[1], [2, 3]],
        "long": ["x" * 9000] * 9,
    }
    with runtime.create_group(
        None,
        tmp_path / "g",
        dimensions={"n": 3},
        variables={"v": Variable("f8", "n", attributes=mixed)},
        hdf5=True,
    ) as group:
        group.write_all(slice(None), {"v": np.arange(3.0)})

    with h5py.File(tmp_path / "g" / "reference.h5") as file:
        found = dict(file["v"].attrs)
        assert found["CLASS_"] == "a"
        assert found["flags"].tolist() == [1, 0]
        assert found["mixed"] == '[1, "two"]'
        assert found["ragged"] == "[[1], [2, 3]]"
        assert found["long"].shape == (9,)
        assert file["v"].dims[0][0].name == "/n"


def test_what_hdf5_cannot_read_in_place_is_refused(tmp_path):
    with runtime.create(None, tmp_path / "d", (100,), "f8", codec="zstd") as dataset:
        dataset.write_all(..., np.ones(100))
    with pytest.raises(DatasetError, match="expected an uncompressed dataset"):
        runtime.link_hdf5(tmp_path / "d", tmp_path / "d.h5")
    with pytest.raises(DatasetError, match="expected no codec with hdf5"):
        runtime.create(None, tmp_path / "e", (100,), "f8", codec="zstd", hdf5=True)
    with pytest.raises(DatasetError, match="expected uncompressed variables, got 'v'"):
        runtime.create_group(
            None,
            tmp_path / "g",
            dimensions={"n": 9},
            variables={"v": Variable("f8", "n", codec="lz4")},
            hdf5=True,
        )
    assert not list(tmp_path.glob("*.h5"))


def test_chunks_that_were_never_written_are_zeros_for_hdf5(tmp_path):
    expected = np.zeros(1000)
    expected[[1, 950]] = 1, 2
    with runtime.create(None, tmp_path / "e", (1000,), "f8", chunk=800) as dataset:
        dataset.write_all([1, 950], [1.0, 2.0])

    with h5py.File(runtime.link_hdf5(tmp_path / "e", tmp_path / "e.h5")) as file:
        assert np.array_equal(file["data"][...], expected)


def test_convert_links_on_demand_and_refuses_other_endings(group, tmp_path, capsys):
    output = tmp_path / "g.h5"

    assert run(["convert", str(group), str(output), "--link"]) == 0
    assert "points into" in capsys.readouterr().out
    assert run(["convert", str(group), str(output), "--link"]) == 1
    assert run(["convert", str(group), str(tmp_path / "g.npy"), "--link"]) == 2
    with h5py.File(output) as file:
        assert file["x"][699] == 699
