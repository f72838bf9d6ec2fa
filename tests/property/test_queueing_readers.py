"""Whatever bytes a reader is given, it answers or refuses in one line."""

import os
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from striate.errors import StriateError
from striate.queueing import load_model, read_observations
from striate.queueing.read import read_model

cells = st.one_of(st.integers(-3, 10**20).map(str), st.floats().map(str), st.text(max_size=6), st.just(""))
tables = st.lists(st.lists(cells, max_size=4).map(",".join), max_size=6).map("\n".join)
values = st.recursive(
    st.one_of(
        st.integers(),
        st.floats(),
        st.booleans(),
        st.text(max_size=20),
        st.sampled_from(["1 s", "inverse", "sio"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
names = st.sampled_from(
    ["parallel_seconds", "serial_seconds", "scale", "messages", "group", "cycles", "contention", "imbalance", "kind",
     "bursts_per_io", "reference_seconds", "startup_on_one_processor", "loops", "solver", "colour"]
)  # fmt: skip


def refused_in_one_line(action) -> bool:
    message = ""
    try:
        action()
    except StriateError as refusal:
        message = str(refusal).strip()
    assert "\n" not in message
    return bool(message)


def written(content: bytes) -> Path:
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"striate-readers-{os.getpid()}"
    path.write_bytes(content)
    return path


@given(tables)
@example("1,2,3")
@example("4,4,1e308\n1,1,1e-320")
def test_any_table_is_read_or_refused(rows):
    path = written(b"p,d,speedup\n" + rows.encode("utf-8", "surrogatepass"))
    try:
        refused_in_one_line(lambda: read_observations(path))
    finally:
        path.unlink()


@given(st.binary(max_size=200))
@example(b"\x00")
@example(b"[" * 190)
@example(b'[spmd]\nparallel_seconds = "1e400 s"')
def test_any_bytes_are_refused_as_a_model(content):
    path = written(content)
    try:
        assert refused_in_one_line(lambda: load_model(path))
    finally:
        path.unlink()


@given(st.dictionaries(names, values, max_size=6))
@example({"parallel_seconds": 1, "scale": "power:1e999"})
@example({"parallel_seconds": 1, "scale": {"9": float("nan")}})
@example({"parallel_seconds": 10**400})
def test_any_document_is_a_model_or_refused(table):
    refused_in_one_line(lambda: read_model({"spmd": table}).time(4, 2))
