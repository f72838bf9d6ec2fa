"""What a group keeps from one write to the next is what it would find anew."""

from dataclasses import fields, replace

import msgspec
import numpy as np
import pytest

import striate.runtime as runtime
from striate.runtime import Variable
from striate.runtime.plan.placement import offsets_in_subfiles
from striate.runtime.store.group_reference import group_references
from striate.runtime.store.group_tables import empty_tables, static_tables

ROWS = 300


def make(path, *, keep=None, kind="f8"):
    variables = {
        "time": Variable("f8", ("time",)),
        "plain": Variable("f4", ("time", "row"), attributes={"kind": "a number"}),
        "packed": Variable("i2", ("time", "row", "part"), codec="zstd"),
        "lists": Variable("f8", ("time", "row"), ragged=True),
        "still": Variable(kind, ("row",), units="m", coordinate=True),
        "names": Variable("i4", ("row",), ragged=True),
    }
    dimensions = {"time": None, "row": ROWS, "part": 3}
    return runtime.create_group(
        None,
        path,
        dimensions=dimensions,
        variables=variables,
        keep=keep,
        chunk=700,
        attributes={"title": "x"},
    )


def append(group, random, step):
    rows = random.permutation(ROWS)[: ROWS if step % 2 else 40]
    lists = [np.ones(int(length)) for length in random.integers(0, 5 * step + 1, len(rows))]
    records = {"plain": np.ones(len(rows), "f4"), "packed": np.ones((len(rows), 3), "i2"), "lists": lists}
    group.append_all(rows, records, time=0.5 * step)


def write(group, random):
    names = [np.ones(int(length), "i4") for length in random.integers(0, 9, ROWS)]
    group.write_all(slice(None), {"still": np.arange(ROWS) * 1.0, "names": names})


def refuse_a_stale_reference(group):
    state = group._state
    indexes = [group._indexes.of(state, step) for step in group.metadata.steps]
    anew = group_references(group.metadata, state.setting.store, indexes)
    for name, content in anew.items():
        found = state.setting.store.path / name
        assert (found.read_bytes() if found.exists() else None) == content


@pytest.mark.parametrize("kind", ["f8", [("x", "f4"), ("y", "i8")]])  # records have no words in Zarr 3
@pytest.mark.parametrize("keep", [None, 2])
def test_the_reference_of_every_write_is_that_of_a_handle_without_a_past(tmp_path, keep, kind):
    random = np.random.default_rng(3)
    with make(tmp_path / "group", keep=keep, kind=kind) as group:
        for step in range(5):
            append(group, random, step)
            refuse_a_stale_reference(group)
            if step == 2 and kind == "f8":
                write(group, random)
                refuse_a_stale_reference(group)


def unlike(one, other):
    """The fields in which two states of a variable differ."""
    found = []
    for name in (field.name for field in fields(one)):
        mine, theirs = getattr(one, name), getattr(other, name)
        if name == "plan":
            alike = np.array_equal(mine.server_of_chunk, theirs.server_of_chunk)
            mine, theirs = replace(mine, server_of_chunk=None), replace(theirs, server_of_chunk=None)
        elif name == "table":
            alike = mine.columns() == theirs.columns()
            mine, theirs = mine.subfiles, theirs.subfiles
        elif name == "pipeline":
            alike, mine, theirs = True, mine.configs, theirs.configs
        else:
            alike = True
        if not alike or mine != theirs:
            found.append(name)
    return found


def test_states_that_are_kept_are_those_of_a_handle_without_a_past(tmp_path):
    random = np.random.default_rng(4)
    with make(tmp_path / "group") as group:
        for step in range(3):
            append(group, random, step)
            write(group, random)
            kept = group._state
            anew = replace(kept, setting=replace(kept.setting, memo={}))
            for growing in (False, True):
                table = (
                    static_tables(kept.metadata) if not growing else empty_tables(kept.metadata, growing=True)
                )
                mine, theirs = (state.states(table.fixed, growing=growing) for state in (kept, anew))
                assert list(mine) == list(theirs)
                assert {name: unlike(mine[name], theirs[name]) for name in mine} == {
                    name: [] for name in mine
                }
                now = {"generation": kept.metadata.generation, "committed": kept.committed}
                plain = {name: replace(state, **now) for name, state in mine.items()}
                assert {name: unlike(mine[name], plain[name]) for name in mine} == {name: [] for name in mine}
            assert unlike(kept.any_state(), anew.any_state()) == []
            assert kept.largest_share() == anew.largest_share()


def test_a_variable_that_was_changed_has_a_grid_of_its_own(tmp_path):
    with make(tmp_path / "group") as group:
        metadata, entry = group.metadata, group.metadata.entries["plain"]

        assert metadata.grid_of(entry).item_bytes == 4
        assert metadata.grid_of(msgspec.structs.replace(entry, dtype="<f8")).item_bytes == 8
        assert metadata.grid_of(entry).item_bytes == 4


@pytest.mark.parametrize("seed", range(5))
def test_variables_that_are_placed_together_lie_as_if_placed_one_after_another(seed):
    random = np.random.default_rng(seed)
    servers, chunks = int(random.integers(1, 6)), int(random.integers(0, 20))
    server_of_chunk = random.integers(0, servers, chunks)
    sizes = random.integers(1, 9, 4) * 4096
    starts = random.integers(0, 9, servers) * 4096

    together, ends = offsets_in_subfiles(
        np.tile(server_of_chunk, len(sizes)), np.repeat(sizes, chunks), starts
    )

    apart = []
    for size in sizes:
        offsets, starts = offsets_in_subfiles(server_of_chunk, np.full(chunks, size), starts)
        apart.append(offsets)
    assert np.array_equal(together, np.concatenate(apart))
    assert np.array_equal(ends, starts)
