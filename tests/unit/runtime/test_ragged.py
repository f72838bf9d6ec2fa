"""Ragged variables: a list of its own length for every row, with the guarantees of any other."""

import fsspec
import h5py
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import striate.runtime as runtime
from striate.errors import DamageError, DatasetError
from striate.runtime import Ragged, Variable
from striate.runtime.move.communicator.ranks import OneRank
from striate.runtime.move.groups.list_placement import ListPlacement
from striate.runtime.plan.ragged import positions

LISTS = [[1, 2, 3], [], [7], [8, 9]]


def make(path, **settings):
    return runtime.create_group(
        None,
        path,
        dimensions={"time": None, "cell": 4},
        variables={
            "near": Variable("i8", ("cell",), ragged=True, units="1"),
            "particles": Variable("f8", ("time", "cell"), ragged=True),
            "mass": Variable("f8", ("time", "cell")),
        },
        **settings,
    )


def plain(ragged):
    return [part.tolist() for part in ragged]


def test_lists_come_back_and_rows_that_nobody_names_keep_theirs(tmp_path):
    with make(tmp_path / "g", chunk=8) as group:
        assert plain(group.read_all("near")) == [[], [], [], []]
        group.write_all(slice(None), {"near": LISTS})
        group.write_all([3, 1, 1], {"near": [[], [4, 4], [5]]})  # of two for one row the later
    with runtime.open_group(None, tmp_path / "g") as group:
        assert plain(group.read_all("near")) == [[1, 2, 3], [5], [7], []]
        assert plain(group.read_all("near", [2, 0, 2])) == [[7], [1, 2, 3], [7]]
        assert group.read_all("near_count").tolist() == [3, 1, 1, 0]
        assert group.read_all("near_start").tolist() == [0, 3, 4, 5]
    assert not runtime.verify(tmp_path / "g").findings


@pytest.mark.parametrize("codec", [None, "zstd"])
def test_lists_of_steps_begin_empty_and_go_with_other_variables(tmp_path, codec):
    variables = {"p": Variable("f8", ("t", "c"), ragged=True, codec=codec), "m": Variable("f4", ("t", "c"))}
    with runtime.create_group(
        None, tmp_path / "g", dimensions={"t": None, "c": 3}, variables=variables, keep=2
    ) as group:
        rows = group.schedule("c", [2, 0])
        for step in range(4):
            lists = Ragged(np.array([step, 1]), np.arange(step + 1.0))
            group.append_all(rows, {"p": lists, "m": np.full(2, step, "f4")})
        assert plain(group.read_all("p", step=3)) == [[3.0], [], [0.0, 1.0, 2.0]]
        assert plain(group.read_all("p", rows, step=2)) == [[0.0, 1.0], [2.0]]
        assert len(list((tmp_path / "g").glob("*.blocks"))) == 2


def test_others_read_lists_with_their_counts(tmp_path):
    xarray = pytest.importorskip("xarray", reason="xarray opens the reference")
    path = tmp_path / "g"
    with make(path, hdf5=True, chunk=16) as group:
        group.write_all(slice(None), {"near": LISTS})
        group.append_all([0, 3], {"particles": [[0.5], [1.5, 2.5]], "mass": [1.0, 2.0]})
        group.append_all([1], {"particles": [[4.5]]})
        group.append_all([1], {"mass": [4.5]})
    wanted = [[0.5, 1.5, 2.5], [4.5, 0, 0], [0, 0, 0]]
    for name in ("reference.json", "reference-zarr3.json"):
        files = fsspec.filesystem("reference", fo=str(path / name), asynchronous=True)
        store = zarr.storage.FsspecStore(files)
        with xarray.open_dataset(store, engine="zarr", consolidated=False, mask_and_scale=False) as found:
            assert found["near"].dims == ("near_element",)
            assert found["near"].values.tolist() == [1, 2, 3, 7, 8, 9]
            assert found["near_count"].attrs == {"sample_dimension": "near_element"}
            assert found["particles"].dims == ("time", "particles_element")
            assert found["particles"].values.tolist() == wanted
            assert found["particles_start"].values.tolist() == [[0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]
    with h5py.File(path / "reference.h5") as file:
        assert file["particles"][...].tolist() == wanted
        assert file["near"][...].tolist() == [1, 2, 3, 7, 8, 9]
        assert file["near"].dims[0][0].name == "/near_element"


def test_damage_to_lists_or_to_their_counts_is_seen(tmp_path):
    with make(tmp_path / "g", chunk=64) as group:
        group.write_all(slice(None), {"near": LISTS})
    victim = next((tmp_path / "g").glob("*.blocks"))
    sound = victim.read_bytes()
    for place in range(0, len(sound), 997):
        victim.write_bytes(sound[:place] + bytes([sound[place] ^ 1]) + sound[place + 1 :])
        assert runtime.verify(tmp_path / "g").findings
        with runtime.open_group(None, tmp_path / "g") as group, pytest.raises(DamageError):
            group.read_all("near")


@pytest.mark.parametrize(
    ("lists", "words"),
    [
        ([[1], [2]], "expected 4 list lengths"),
        (Ragged(np.array([1, 1, 1, 2]), np.zeros(4, "i4")), "array of 5 values"),
        (Ragged(np.array([1, -1, 2, 2]), np.zeros(4, "i4")), "expected 4 list lengths"),
        ([[0.5], [], [], []], "expected lists of int64, got float64"),
        (5, "expected a list for every row, or a Ragged, got int"),
        ([1, 2, 3, 4], "expected a list for every row, or a Ragged, got list"),
    ],
)
def test_lists_that_do_not_fit_are_refused(tmp_path, lists, words):
    with make(tmp_path / "g") as group:
        with pytest.raises(DatasetError, match=words):
            group.write_all(slice(None), {"near": lists})
        with pytest.raises(DatasetError, match="made with combine 'last' for ragged variables"):
            group.write_all([1], {"near": [[1]]}, combine="sum")
        with pytest.raises(DatasetError, match="expected no `out` for the ragged variable"):
            group.read_all("near", out=np.zeros(4))


def test_names_that_lists_need_are_refused_when_taken(tmp_path):
    lists = Variable("f8", ("c",), ragged=True)
    for dimensions, variables, words in [
        (
            {"c": 3},
            {"p": lists, "p_count": Variable("f8", ("c",))},
            "is already used for the counts or starts of a ragged variable",
        ),
        ({"c": 3, "p_element": 2}, {"p": lists}, "the name of the dimension 'p_element'"),
        (
            {"c": 3, "d": 2},
            {"p": Variable("f8", ("c", "d"), ragged=True)},
            "along one dimension of fixed length",
        ),
        ({"t": None}, {"p": Variable("f8", ("t",), ragged=True)}, "along one dimension of fixed length"),
    ]:
        with pytest.raises(DatasetError, match=words):
            runtime.create_group(None, tmp_path / "g", dimensions=dimensions, variables=variables)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), max_size=30))
def test_lists_are_placed_in_the_order_of_rows_and_the_last_claim_counts(claims):
    rows = np.array([row for row, _ in claims], np.int64)
    counts = np.array([count for _, count in claims], np.int64)
    placed = ListPlacement(OneRank(), 10, rows, counts).placed()
    last = dict(claims)

    assert placed.elements == sum(last.values())
    assert placed.starts.tolist() == [sum(last.get(row, 0) for row in range(end)) for end in range(10)]
    for at, (row, _) in enumerate(claims):
        is_last = row not in rows[at + 1 :]
        assert placed.begins[at] == (placed.starts[row] if is_last else -1)


def test_positions_of_runs_one_after_another():
    assert positions(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
