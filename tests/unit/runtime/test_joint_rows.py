"""Variables moved as joint rows are stored byte for byte as variables moved by themselves are."""

import numpy as np
import pytest

import striate.runtime as runtime
from striate.runtime import Variable
from striate.runtime.move.groups import joint_rows, writing
from striate.runtime.plan.budget import Budget

KINDS = {"a": "f4", "b": "u1", "c": ("f8", 3), "d": "i2", "e": ("f8", 5)}  # e is too wide for company


def written(path, rows, where, settings):
    """A static write and two steps, the second of some rows only; the bytes of the sub-files in order."""
    variables = {}
    for name, kind in KINDS.items():
        kind, inner = kind if isinstance(kind, tuple) else (kind, 0)
        dimensions = ("row", f"n{inner}") if inner else ("row",)
        variables |= {name: Variable(kind, dimensions), f"s{name}": Variable(kind, ("time", *dimensions))}
    variables["sa"] = Variable("f4", ("time", "row"), codec="zstd")
    dimensions = {"time": None, "row": rows, "n3": 3, "n5": 5}
    records = {
        name: (np.arange(len(where) * max(1, inner)) * 7 % 251)
        .astype(kind)
        .reshape((-1, inner) if inner else -1)
        for name, (kind, inner) in ((n, k if isinstance(k, tuple) else (k, 0)) for n, k in KINDS.items())
    }
    with runtime.create_group(None, path, dimensions=dimensions, variables=variables, **settings) as group:
        group.write_all(where, records)
        group.append_all(where, {f"s{name}": part for name, part in records.items()})
        some = {f"s{name}": part[::2] for name, part in records.items() if name != "b"}
        group.append_all(where[::2], some)
        group.write_all(where[:3], {name: part[-3:] for name, part in records.items()})
        found = [group.read_all(name) for name in KINDS]
        found += [group.read_all(f"s{name}", step=step) for step in range(2) for name in KINDS]
    files = sorted(path.glob("*.blocks"), key=lambda file: file.name[16:])
    return [array.tobytes() for array in found], [file.read_bytes() for file in files]


@pytest.mark.parametrize("seed", range(8))
def test_joint_rows_are_stored_as_rows_by_themselves(tmp_path, monkeypatch, seed):
    random = np.random.default_rng(seed)
    rows = int(random.integers(3, 900))
    where = random.permutation(rows) if seed % 2 else random.integers(0, rows, rows * 2)
    settings = {
        "chunk": int(random.choice([64, 700, 4000])),
        "buffer": "16 KiB" if seed % 4 == 3 else "1 MiB",
    }
    joined = []
    monkeypatch.setattr(
        writing,
        "moved_together",
        lambda *given: joined.append(joint_rows.moved_together(*given)) or joined[-1],
    )
    together = written(tmp_path / "together", rows, where, settings)
    if seed % 4 == 1:  # all rows are named, and there is room
        assert joined[:2] == [["a", "b", "c", "d"], ["sa", "sb", "sc", "sd"]]
    monkeypatch.setattr(writing, "moved_together", lambda *_: [])
    apart = written(tmp_path / "apart", rows, where, settings)

    assert together == apart


def test_a_spare_chunk_needs_room_beside_windows_and_messages():
    # 64 bytes: 4 of messages each way and 56 of windows on one node; 2 windows of 3 chunks of 8 leave 8.
    assert Budget(64, 8, 1, one_node=True).window_chunks(100) == 3
    assert Budget(64, 8, 1, one_node=True).has_spare_chunk(100)
    assert not Budget(64, 8, 1, one_node=True).has_spare_chunk(7)  # one window of 7 chunks fills all
    assert not Budget(64, 8, 1).has_spare_chunk(100)  # half is for messages, half for windows
