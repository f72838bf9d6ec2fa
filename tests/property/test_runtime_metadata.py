"""The metadata file: what is written comes back, what was changed or planted is refused."""

import msgspec
import numpy as np
import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import DamageError, DatasetError
from striate.runtime.store.dtypes import describe_dtype, dtype_from_description
from striate.runtime.store.metadata import Chunks, Metadata, SubFile, decode, encode, subfile_name

IDENTITY = "0123456789abcdef"


def sample(**changes):
    values = {
        "version": 1,
        "identity": IDENTITY,
        "generation": 3,
        "shape": [10],
        "dtype": "<f8",
        "chunk_shape": [5],
        "codec": [],
        "servers": 2,
        "own_directories": False,
        "block_chunks": 1,
        "layout": "",
        "subfiles": [SubFile(subfile_name(IDENTITY, 3, 1), 1, 40)],
        "chunks": Chunks([0, -1], [0, 0], [40, 0], [2**64 - 1, 0]),
    }
    return Metadata(**(values | changes))


def test_what_is_encoded_comes_back():
    assert decode(encode(sample()), "d") == sample()


@given(st.data())
def test_any_changed_bit_is_noticed(data):
    content = bytearray(encode(sample()))
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))

    with pytest.raises(DamageError):
        decode(bytes(content), "d")


@given(st.integers(0, len(encode(sample())) - 1))
def test_any_cut_is_noticed(length):
    with pytest.raises(DamageError):
        decode(encode(sample())[:length], "d")


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 2},
        {"identity": "../../../../etc/"},
        {"servers": 0},
        {"servers": 10**9},
        {"generation": -1},
        {"block_chunks": 0},
        {"layout": "x" * 5000},
        {"shape": []},
        {"shape": [-1]},
        {"shape": [2**62, 2**62]},
        {"shape": [2**60], "chunk_shape": [1]},
        {"chunk_shape": [0]},
        {"dtype": "O"},
        {"dtype": "|O8"},
        {"dtype": "f8, __import__('os')"},
        {"dtype": {"size": 4, "fields": [["a", "<f8", 0]]}},
        {"dtype": {"size": 2**40, "fields": [["a", "<f8", 0]]}},
        {"dtype": {"type": "<f8", "shape": [2**20, 2**20, 2**20]}},
        {"subfiles": [SubFile("../secret.blocks", 1, 40)]},
        {"subfiles": [SubFile("/etc/passwd", 1, 40)]},
        {"subfiles": [SubFile(subfile_name("f" * 16, 3, 1), 1, 40)]},
        {"subfiles": [SubFile(subfile_name(IDENTITY, 3, 1), 2, 40)]},
        {"subfiles": [SubFile(subfile_name(IDENTITY, 3, 1), 1, -1)]},
        {"subfiles": []},
        {"chunks": Chunks([0], [0], [40], [1])},
        {"chunks": Chunks([0, -1], [8, 0], [40, 0], [1, 0])},
        {"chunks": Chunks([0, -1], [-8, 0], [40, 0], [1, 0])},
        {"chunks": Chunks([0, -1], [0, 0], [39, 0], [1, 0])},
        {"chunks": Chunks([0, -1], [0, 0], [2**62, 0], [1, 0])},
        {"chunks": Chunks([0, -1], [0, 0], [40, 7], [1, 0])},
        {"chunks": Chunks([0, -1], [0, 0], [40, 0], [2**64, 0])},
    ],
)
def test_metadata_with_a_wrong_meaning_is_refused_though_its_checksum_is_right(changes):
    with pytest.raises(DatasetError):
        decode(encode(sample(**changes)), "d")


@pytest.mark.parametrize("body", [b"{}", b"[" * 100_000, b'{"version": "one"}', b"\xff", b"null"])
def test_other_json_with_a_right_checksum_is_refused(body):
    heading = f"striate dataset 1 {xxhash.xxh3_128_hexdigest(body)} {len(body)}\n".encode()

    with pytest.raises(DatasetError):
        decode(heading + body, "d")


def test_unknown_fields_are_refused():
    document = msgspec.json.decode(encode(sample()).partition(b"\n")[2])
    body = msgspec.json.encode(document | {"run": "me"})
    heading = f"striate dataset 1 {xxhash.xxh3_128_hexdigest(body)} {len(body)}\n".encode()

    with pytest.raises(DatasetError, match="run"):
        decode(heading + body, "d")


DTYPES = [
    "f8", ">i4", "?", "S7", "U3", "c16", "M8[ns]", "m8[s]", "V5",
    [("x", "f4", (2,)), ("v", "f8", (4,))],
    [("a", "i1"), ("b", [("c", ">f8"), ("d", "S3")])],
    {"names": ["a", "b"], "formats": ["i1", "f8"], "offsets": [0, 8], "itemsize": 24},
]  # fmt: skip


@pytest.mark.parametrize("wanted", DTYPES, ids=str)
def test_types_come_back_from_json_as_they_were(wanted):
    dtype = np.dtype(wanted)
    description = msgspec.json.decode(msgspec.json.encode(describe_dtype(dtype)))

    assert dtype_from_description(description) == dtype


@pytest.mark.parametrize("wanted", ["O", [("a", "O")], "V0", "S0"])
def test_types_without_a_fixed_size_are_refused(wanted):
    with pytest.raises(DatasetError):
        describe_dtype(np.dtype(wanted))
