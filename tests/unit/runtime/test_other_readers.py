"""Others read our datasets: zarr, fsspec and xarray through the reference, anyone after `striate convert`."""

import fsspec
import h5py
import numpy as np
import pytest
import zarr

import striate.runtime as runtime
from striate.cli.main import run
from striate.errors import DamageError

RECORD = np.dtype([("x", "f4", (2,)), ("v", "f8", (4,))])


def through_reference(path, zarr_format=2):
    """The array as a reader sees it who knows nothing of Striate."""
    return zarr.open_group(store_of(path, zarr_format), mode="r")["data"]


def store_of(path, zarr_format):
    name = {2: "reference.json", 3: "reference-zarr3.json"}[zarr_format]
    files = fsspec.filesystem("reference", fo=str(path / name), asynchronous=True)
    return zarr.storage.FsspecStore(files)


def written(path, array, **settings):
    with runtime.create(None, path, array.shape, array.dtype, **settings) as dataset:
        dataset.write_all(..., array)
    return path


@pytest.mark.parametrize(
    "codec", [None, "zstd", "blosc", ["shuffle", "lz4"], "crc32", ["lz4", "crc32"]], ids=str
)
@pytest.mark.parametrize("shape", [(1000,), (37, 11), (3, 5, 40)])
def test_zarr_reads_the_reference(tmp_path, shape, codec):
    array = np.random.default_rng(1).integers(0, 9, shape).astype("f8")
    path = written(tmp_path / "dataset", array, chunk=500, codec=codec)

    assert np.array_equal(through_reference(path)[...], array)


@pytest.mark.parametrize("codec", [None, "zstd", "blosc", "gzip", "crc32c", ["zstd", "crc32c"]], ids=str)
@pytest.mark.parametrize(
    ("shape", "kind"), [((1000,), ">f8"), ((37, 11), "i2"), ((3, 40), "c8"), ((99,), "?")]
)
def test_zarr_3_reads_the_same_chunks(tmp_path, shape, kind, codec):
    array = np.random.default_rng(1).integers(0, 9, shape).astype(kind)
    path = written(tmp_path / "dataset", array, chunk=500, codec=codec)
    found = through_reference(path, zarr_format=3)

    assert found.metadata.zarr_format == 3
    assert found.dtype.kind == array.dtype.kind
    assert np.array_equal(found[...], array)


@pytest.mark.parametrize(
    ("codec", "kind"), [("lz4", "f8"), (["shuffle", "zstd"], "f8"), (None, RECORD)], ids=str
)
def test_what_zarr_3_cannot_say_is_left_to_zarr_2(tmp_path, codec, kind):
    path = written(tmp_path / "dataset", np.zeros(100, kind), codec=codec)

    assert not (path / "reference-zarr3.json").exists()
    assert through_reference(path).metadata.zarr_format == 2


def test_zarr_3_sees_damage_where_the_checksum_is_a_codec(tmp_path):
    path = written(tmp_path / "dataset", np.arange(1000.0), codec="crc32c")
    victim = next(path.glob("*.blocks"))
    content = bytearray(victim.read_bytes())
    content[4000] ^= 1
    victim.write_bytes(content)

    with pytest.raises(ValueError, match="checksum"):
        through_reference(path, zarr_format=3)[...]


@pytest.mark.parametrize("codec", ["crc32", ["shuffle", "lz4", "crc32"]], ids=str)
def test_zarr_sees_damage_where_a_checksum_goes_with_the_bytes(tmp_path, codec):
    path = written(tmp_path / "dataset", np.arange(1000.0), codec=codec)
    victim = next(path.glob("*.blocks"))
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 1
    victim.write_bytes(content)

    with pytest.raises(RuntimeError, match="checksum"):
        through_reference(path)[...]
    with pytest.raises(DamageError):
        runtime.open_serial(path)[...]


def test_zarr_reads_records_as_plain_fields(tmp_path):
    array = np.zeros(300, RECORD)
    array["x"][:, 1], array["v"][:, 3] = np.arange(300), -np.arange(300)
    found = through_reference(written(tmp_path / "dataset", array, chunk=900))[...]

    assert np.array_equal(found["x_1"], array["x"][:, 1])
    assert np.array_equal(found["v_3"], array["v"][:, 3])


def test_zarr_reads_what_was_never_written_as_zeros(tmp_path):
    with runtime.create(None, tmp_path / "dataset", (1000,), "i4", chunk=400) as dataset:
        dataset.write_all(np.arange(500, 600), np.arange(100, dtype="i4"))
    expected = np.zeros(1000, "i4")
    expected[500:600] = np.arange(100)

    assert np.array_equal(through_reference(tmp_path / "dataset")[...], expected)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_xarray_opens_the_reference(tmp_path, zarr_format):
    xarray = pytest.importorskip("xarray", reason="xarray opens the reference")
    array = np.arange(600.0).reshape(60, 10)
    path = written(tmp_path / "dataset", array, chunk=800)
    store = store_of(path, zarr_format)

    with xarray.open_dataset(store, engine="zarr", consolidated=False, zarr_format=zarr_format) as found:
        assert found["data"].dims == ("axis_0", "axis_1")
        assert np.array_equal(found["data"].values, array)


def test_a_moved_dataset_is_read_with_a_new_template(tmp_path):
    array = np.arange(100.0)
    written(tmp_path / "before", array)
    (tmp_path / "before").rename(tmp_path / "after")
    files = fsspec.filesystem(
        "reference",
        fo=str(tmp_path / "after" / "reference.json"),
        template_overrides={"u": str(tmp_path / "after")},
        asynchronous=True,
    )
    group = zarr.open_group(zarr.storage.FsspecStore(files), mode="r")

    assert np.array_equal(group["data"][...], array)


@pytest.mark.parametrize("kind", ["f8", RECORD], ids=["numbers", "records"])
@pytest.mark.parametrize("suffix", [".npy", ".h5", ".zarr"])
def test_convert_gives_the_same_array(tmp_path, suffix, kind, capsys):
    array = np.zeros(500, kind)
    array.view("u1")[:] = np.random.default_rng(2).integers(0, 60, array.nbytes)
    path = written(tmp_path / "dataset", array, chunk=900)
    output = tmp_path / f"out{suffix}"

    assert run(["convert", str(path), str(output)]) == 0
    if suffix == ".npy":
        found = np.load(output)
    elif suffix == ".h5":
        with h5py.File(output) as file:
            found = file["data"][...]
    else:
        found = zarr.open_array(str(output), mode="r")[...]
    assert found.tobytes() == array.tobytes()
    assert run(["convert", str(path), str(output)]) == 1
    assert run(["convert", str(path), str(output), "--force"]) == 0
    assert [entry.name for entry in tmp_path.iterdir() if "part" in entry.name] == []


def test_an_unknown_output_is_a_mistake_of_usage(tmp_path):
    path = written(tmp_path / "dataset", np.arange(3))

    assert run(["convert", str(path), str(tmp_path / "out.xls")]) == 2


def test_a_damaged_dataset_is_not_converted(tmp_path):
    path = written(tmp_path / "dataset", np.arange(3000))
    victim = next(path.glob("*.blocks"))
    victim.write_bytes(bytes(victim.stat().st_size))

    assert run(["convert", str(path), str(tmp_path / "out.npy")]) == 1
    assert not (tmp_path / "out.npy").exists()
