"""Groups of variables: names, dimensions and attributes as others see them, whole steps, one schedule for all."""

import contextlib

import fsspec
import numpy as np
import pytest
import zarr

import striate.runtime as runtime
from striate.cli.main import run
from striate.errors import DamageError, DatasetError, StorageError
from striate.runtime import Variable

NODES = 500


def make(path, *, keep=None, **settings):
    return runtime.create_group(
        None,
        path,
        dimensions={"time": None, "node": NODES, "xyz": 3, "cell": 40},
        variables={
            "time": Variable("f8", ("time",), units="s"),
            "x": Variable("f8", ("node",), units="m", coordinate=True),
            "pressure": Variable(
                "f8", ("time", "node"), units="Pa", attributes={"range": np.array([0, 1.5])}
            ),
            "velocity": Variable("f4", ("time", "node", "xyz"), codec="zstd"),
            "material": Variable("i4", ("cell",), attributes={"meaning": "iron or not"}),
            "mask": Variable("?", ("cell", "xyz")),
        },
        attributes={"title": "a flow", "version": 3},
        keep=keep,
        chunk="1 KiB",
        **settings,
    )


def pressure(step):
    return np.arange(NODES) * 1.0 + 1000 * step


def velocity(step):
    return (np.arange(3 * NODES, dtype="f4") * (step + 1)).reshape(NODES, 3)


def append(group, step, where=slice(None)):
    rows = np.arange(NODES)[where] if not isinstance(where, runtime.RowSchedule) else np.arange(NODES)[::-1]
    records = {"pressure": pressure(step)[rows], "velocity": velocity(step)[rows]}
    return group.append_all(where, records, time=0.5 * step)


@pytest.fixture
def path(tmp_path):
    with make(tmp_path / "g") as group:
        group.write_all(slice(None), {"x": np.linspace(0, 1, NODES)})
        group.write_all(slice(None), {"material": np.arange(40, dtype="i4"), "mask": np.ones((40, 3), "?")})
        for step in range(4):
            append(group, step)
    return tmp_path / "g"


def test_any_step_of_any_variable_comes_back(path):
    with runtime.open_group(None, path) as group:
        assert group.dimensions == {"node": NODES, "xyz": 3, "cell": 40, "time": 4}
        for step in range(4):
            assert np.array_equal(group.read_all("pressure", step=step), pressure(step))
            assert np.array_equal(group.read_all("velocity", [7, 3], step=step), velocity(step)[[7, 3]])
        assert group.read_all("x", [NODES - 1]) == 1
        assert group.read_all("mask", slice(0, 2)).all()
        assert group.scalar("time").tolist() == [0, 0.5, 1, 1.5]
        assert group.attributes == {"title": "a flow", "version": 3}
        assert group.describe("pressure")["attributes"] == {"range": [0.0, 1.5], "units": "Pa"}


def test_one_schedule_serves_all_variables_of_its_dimension(tmp_path):
    with make(tmp_path / "g") as group:
        nodes = group.schedule("node", np.arange(NODES)[::-1])
        group.write_all(nodes, {"x": np.arange(NODES)[::-1] * 1.0})
        append(group, 2, nodes)

        assert np.array_equal(group.read_all("x"), np.arange(NODES) * 1.0)
        assert np.array_equal(group.read_all("velocity"), velocity(2))
        assert np.array_equal(group.read_all("velocity", nodes), velocity(2)[::-1])
        with pytest.raises(DatasetError, match="along the dimension 'cell', got another"):
            group.read_all("material", nodes)


def test_sums_add_what_one_call_brings_to_every_variable(tmp_path):
    with make(tmp_path / "g") as group:
        where = np.array([1, 1, 4])
        group.write_all(where, {"x": np.ones(3)}, combine="sum")
        assert group.read_all("x", slice(0, 5)).tolist() == [0, 2, 0, 0, 1]
        nodes = group.schedule("node", where, combine="sum")
        group.write_all(nodes, {"x": np.full(3, 2.0)})
        assert group.read_all("x", slice(0, 5)).tolist() == [0, 4, 0, 0, 2]
        with pytest.raises(DatasetError, match="with which the schedule"):
            group.write_all(nodes, {"x": np.ones(3)}, combine="last")


@pytest.mark.parametrize("name", ["reference.json", "reference-zarr3.json"])
def test_xarray_shows_names_dimensions_coordinates_and_attributes(path, name):
    xarray = pytest.importorskip("xarray", reason="xarray opens the reference")
    files = fsspec.filesystem("reference", fo=str(path / name), asynchronous=True)
    store = zarr.storage.FsspecStore(files)

    with xarray.open_dataset(store, engine="zarr", consolidated=False) as found:
        assert found.attrs == {"title": "a flow", "version": 3}
        assert set(found.coords) == {"time", "x"}
        assert found["velocity"].dims == ("time", "node", "xyz")
        assert found["pressure"].attrs == {"range": [0.0, 1.5], "units": "Pa"}
        assert found["time"].values.tolist() == [0, 0.5, 1, 1.5]
        for step in range(4):
            assert np.array_equal(found["pressure"].values[step], pressure(step))
            assert np.array_equal(found["velocity"].values[step], velocity(step))
        assert found["mask"].values.all()
        assert found["material"].values.tolist() == list(range(40))


def test_the_last_steps_are_kept_and_the_files_of_others_go(tmp_path):
    with make(tmp_path / "g", keep=2) as group:
        for step in range(5):
            append(group, step)

        assert list(group.steps) == [3, 4]
        assert np.array_equal(group.read_all("pressure", step=3), pressure(3))
        with pytest.raises(DatasetError, match=r"a step that is kept \(3 to 4\), got 0"):
            group.read_all("pressure", step=0)
    assert len(list((tmp_path / "g").glob("*.blocks"))) == 2
    assert len(list((tmp_path / "g").glob("*.index"))) == 2
    with runtime.open_group(None, tmp_path / "g") as group:  # it goes on with what was asked for
        append(group, 5)
        assert list(group.steps) == [4, 5]


def test_a_reader_sees_new_steps_when_it_is_refreshed(path):
    with runtime.open_group(None, path) as reader, runtime.open_group(None, path) as writer:
        append(writer, 4)
        assert len(reader.steps) == 4
        assert reader.refresh()
        assert np.array_equal(reader.read_all("pressure"), pressure(4))


def test_a_step_that_was_cut_off_is_no_step_and_its_files_go(path):
    with runtime.open_group(None, path) as group:
        identity, generation = group.metadata.identity, group.generation
    (path / f"{identity}-{generation + 1:08d}-0.blocks").write_bytes(b"half")
    (path / f"{identity}-{generation + 1:08d}.index").write_bytes(b"half")
    with runtime.open_group(None, path) as group:
        append(group, 9)
        assert np.array_equal(group.read_all("pressure", step=4), pressure(9))
        assert np.array_equal(group.read_all("pressure", step=3), pressure(3))


def test_a_write_that_fails_changes_nothing(path):
    before = {entry.name for entry in path.iterdir()}
    with runtime.open_group(None, path) as group:
        with pytest.raises(DatasetError, match="expected records of shape"):
            group.append_all(slice(None), {"pressure": pressure(1), "velocity": velocity(1)[:5]}, time=2)
        with pytest.raises(DatasetError, match="does not grow"):
            group.write_all(slice(None), {"pressure": pressure(1)})
        with pytest.raises(DatasetError, match="along one common dimension"):
            group.write_all(slice(None), {"x": np.zeros(NODES), "material": np.zeros(40, "i4")})
        with pytest.raises(DatasetError, match="a variable of the group among"):
            group.write_all(slice(None), {"y": np.zeros(NODES)})
        assert len(group.steps) == 4
    assert {entry.name for entry in path.iterdir()} == before


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"variables": {}}, "at least one variable"),
        ({"variables": {"a/b": Variable("f8", ("node",))}}, "the name of a variable or dimension in letters"),
        ({"variables": {"a": Variable("f8", ("nowhere",))}}, "dimensions among"),
        ({"variables": {"a": Variable("f8", ("node", "time"))}}, r"the growing one \(length None\) first"),
        ({"variables": {"a": Variable("O", ("node",))}}, "Python objects"),
        ({"variables": {"a": Variable("f8", ("node",), attributes={"b": float("nan")})}}, "finite number"),
        ({"variables": {"a": Variable("f8", ("node",), attributes={"b": object()})}}, "finite number, text"),
        (
            {"variables": {"a": Variable("f8", ("node",), attributes={"units": "m"})}},
            r"as Variable\(units=...\)",
        ),
        ({"dimensions": {"node": None, "time": None}}, "one growing dimension"),
        ({"keep": 0}, "a number of steps of at least 1"),
    ],
)
def test_groups_that_cannot_be_are_refused(tmp_path, declared, said):
    settings = {"dimensions": {"node": 5, "time": None}, "variables": {"a": Variable("f8", ("node",))}}
    with pytest.raises(DatasetError, match=said):
        runtime.create_group(None, tmp_path / "g", **(settings | declared))


def test_a_refusal_of_records_names_the_variable(tmp_path):
    variables = {name: Variable("f4", ("node",)) for name in ("a", "b")}
    with runtime.create_group(None, tmp_path / "g", dimensions={"node": 5}, variables=variables) as group:
        good = np.zeros(5, "f4")
        with pytest.raises(DatasetError, match=r"expected records of shape .* - at b"):
            group.write_all(slice(None), {"a": good, "b": good[1:]})


def test_a_group_and_an_array_are_told_apart(path, tmp_path):
    with pytest.raises(DatasetError, match="use `open_group`"):
        runtime.open(None, path)
    with runtime.create(None, tmp_path / "a", (3,), "f8") as array:
        array.write_all(..., np.ones(3))
    with pytest.raises(DatasetError, match="a single array: use `open`"):
        runtime.open_group(None, tmp_path / "a")


def test_an_array_takes_the_place_of_a_group_and_a_group_of_an_array(path):
    with runtime.create(None, path, (3,), "f8") as array:
        array.write_all(..., np.ones(3))
    assert not list(path.glob("*.index"))
    assert runtime.open_serial(path)[...].tolist() == [1, 1, 1]
    with make(path) as group:
        append(group, 1)
    assert len(list(path.glob("*.blocks"))) == 1
    assert not runtime.verify(path).findings


def test_servers_directories_hold_the_steps(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    with make(tmp_path / "g", directories=[disk], keep=1) as group:
        for step in range(3):
            append(group, step)
    assert len(list(disk.iterdir())) == 1
    with runtime.open_group(None, tmp_path / "g", directories=[disk]) as group:
        assert np.array_equal(group.read_all("pressure"), pressure(2))


def test_every_damage_is_seen(path):
    for victim in sorted([*path.glob("*.blocks"), *path.glob("*.index"), path / "metadata.json"]):
        content = bytearray(victim.read_bytes())
        for place in range(0, len(content), max(1, len(content) // 7)):
            damaged = content.copy()
            damaged[place] ^= 4
            victim.write_bytes(damaged)

            with contextlib.suppress(
                DamageError, StorageError, DatasetError
            ):  # or it cannot be understood at all
                assert runtime.verify(path).findings, f"byte {place} of {victim.name}"
        victim.write_bytes(content)
    assert not runtime.verify(path).findings


def test_a_missing_step_file_is_found(path):
    max(path.glob("*.blocks")).unlink()

    verdict = runtime.verify(path)
    assert "the sub-file is missing" in verdict.findings[0]


def test_info_and_verify_speak_of_groups(path, capsys):
    assert run(["info", str(path)]) == 0
    said = capsys.readouterr().out
    assert "a group of striate.runtime" in said
    assert "pressure" in said
    assert "(time, node)" in said
    assert run(["verify", str(path)]) == 0
    assert "sound" in capsys.readouterr().out
    assert run(["repair", str(path)]) == 0
