"""A program whose mesh, elements and matrices are scikit-fem's keeps its fields, and goes on with other ranks."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("skfem")

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "clients" / "fem_heat.py"


def test_a_restart_on_other_ranks_goes_on_as_one_run_would(run_ranks, tmp_path):
    xarray = pytest.importorskip("xarray")
    run_ranks(4, PROGRAM, tmp_path / "broken", 3)

    ended = run_ranks(2, PROGRAM, tmp_path / "broken", 4)

    assert ended == run_ranks(1, PROGRAM, tmp_path / "whole", 7)
    assert ended.startswith("step 7: heat 0.1564288464")
    broken, whole = (opened(xarray, tmp_path / name) for name in ("broken", "whole"))
    assert broken["temperature"].shape == (8, whole.sizes["node"])
    assert broken["temperature"].attrs["units"] == "K"
    assert {"x", "y"} <= set(broken.coords)
    np.testing.assert_allclose(broken["temperature"], whole["temperature"], rtol=1e-12)


def opened(xarray, path):
    """All of the group, by xarray and Zarr alone."""
    fsspec, zarr = pytest.importorskip("fsspec"), pytest.importorskip("zarr")
    files = fsspec.filesystem("reference", fo=str(path / "reference.json"), asynchronous=True)
    store = zarr.storage.FsspecStore(files, read_only=True)
    with xarray.open_dataset(store, engine="zarr", consolidated=False, zarr_format=2) as found:
        return found.load()
