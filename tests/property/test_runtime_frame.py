"""Frames and codecs: every byte comes back, every change is seen, nothing grows beyond its size."""

import bz2
import lzma
import zlib

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate.errors import DamageError, DatasetError
from striate.runtime.store.codec import COMPRESSORS, Pipeline, pipeline_from, pipeline_from_configs
from striate.runtime.store.frame import seal, unseal

codecs = st.sampled_from([None, *sorted(COMPRESSORS), ["shuffle", "zstd"], ["shuffle", "lz4"]])


def stored(frame):
    return np.frombuffer(b"".join(frame.buffers()), np.uint8)


@given(st.binary(min_size=40, max_size=4000), codecs, st.sampled_from([1, 8, 512]))
def test_a_chunk_comes_back_from_its_frame(content, codec, alignment):
    raw = np.frombuffer(content[: len(content) // 40 * 40], np.uint8)
    pipeline = pipeline_from(codec, 40)
    frame = seal(raw, pipeline, record_bytes=40, alignment=alignment)
    again = pipeline_from_configs(pipeline.configs)

    assert frame.length == stored(frame).size
    assert codec is not None or frame.length % alignment == 0
    back = unseal(
        stored(frame), length=frame.length, expected=frame.checksum, pipeline=again, chunk_bytes=raw.size
    )
    assert back.tobytes() == raw.tobytes()


@given(st.binary(min_size=1, max_size=300), st.data())
def test_any_changed_bit_of_a_frame_is_seen(content, data):
    frame = seal(np.frombuffer(content, np.uint8), Pipeline(()), record_bytes=1, alignment=64)
    changed = stored(frame).copy()
    changed[data.draw(st.integers(0, changed.size - 1))] ^= 1 << data.draw(st.integers(0, 7))

    with pytest.raises(DamageError):
        unseal(
            changed,
            length=frame.length,
            expected=frame.checksum,
            pipeline=Pipeline(()),
            chunk_bytes=len(content),
        )


BOMB = bytes(50_000_000)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("zlib", zlib.compress(BOMB)),
        ("bz2", bz2.compress(BOMB)),
        ("lzma", lzma.compress(BOMB, preset=0)),
        ("zstd", numcodecs.Zstd().encode(BOMB)),
        ("lz4", numcodecs.LZ4().encode(BOMB)),
        ("blosc", numcodecs.Blosc().encode(BOMB)),
        ("gzip", numcodecs.GZip().encode(BOMB)),
    ],
)
def test_a_bomb_is_refused_without_going_off(name, content):
    import tracemalloc

    pipeline = pipeline_from_configs([numcodecs.get_codec({"id": name}).get_config()])
    tracemalloc.start()
    with pytest.raises(DamageError):
        pipeline.decode(np.frombuffer(content, np.uint8), 1000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 5_000_000


@pytest.mark.parametrize("config", [{"id": "pickle"}, {"id": "json2"}, {"id": "nothing"}, {}, {"id": 3},
                                    {"id": "zstd", "strength": 1}])  # fmt: skip
def test_codecs_that_are_not_known_to_be_safe_are_refused(config):
    with pytest.raises(DatasetError):
        pipeline_from_configs([config], allowed=["pickle"])


@pytest.mark.parametrize("codec", ["gunzip", numcodecs.Pickle(), [numcodecs.Zstd(), numcodecs.Zstd()], 3])
def test_codecs_that_cannot_be_right_are_refused(codec):
    with pytest.raises(DatasetError):
        pipeline_from(codec, 8)


def test_a_codec_that_loses_digits_is_refused():
    with pytest.raises(DatasetError):
        pipeline_from(numcodecs.FixedScaleOffset(offset=0, scale=0.1, dtype="u1", astype="u1"), 8)


@given(st.binary(max_size=200), st.sampled_from(sorted(COMPRESSORS)))
def test_rubbish_is_an_error_of_ours_for_every_codec(content, name):
    pipeline = pipeline_from_configs([numcodecs.get_codec({"id": name}).get_config()])

    with pytest.raises(DamageError):
        pipeline.decode(np.frombuffer(content, np.uint8), 77)
