"""Codecs: filters that keep the size, then one compressor, of numcodecs; decoded never beyond the known size."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from striate.errors import DamageError, DatasetError

Bytes = npt.NDArray[np.uint8]

FILTERS = frozenset({"shuffle", "delta"})
COMPRESSORS = frozenset({"blosc", "zstd", "lz4", "zlib", "gzip", "bz2", "lzma"})
CHECKSUMS = frozenset(
    {"crc32", "crc32c"}
)  # kept with the bytes, so that readers of other makes see damage too
# These make or run Python objects, or change the values: never right for a checked array.
REFUSED = frozenset(
    {"pickle", "json", "json2", "msgpack", "msgpack2", "categorize", "vlen-utf8", "vlen-bytes", "vlen-array"}
)


@dataclass(frozen=True)
class Pipeline:
    """What is done to a chunk before it is stored: each codec in turn. No codecs: nothing."""

    codecs: tuple[Any, ...]

    def __bool__(self) -> bool:
        return bool(self.codecs)

    @property
    def configs(self) -> list[dict[str, Any]]:
        """The codecs as plain data."""
        return [codec.get_config() for codec in self.codecs]

    def encode(self, raw: npt.NDArray[Any]) -> Bytes:
        """The bytes to store for one chunk."""
        content: Any = raw
        for codec in self.codecs:
            content = codec.encode(content)
        return np.frombuffer(content, np.uint8)

    def decode(self, stored: Bytes, size: int) -> Bytes:
        """The `size` bytes of a chunk; raises DamageError when `stored` holds more, fewer, or none."""
        content: Any = stored
        for codec in reversed(self.codecs):
            content = _decode_bounded(codec, content, size)
        if memoryview(content).nbytes != size:
            raise DamageError(
                f"expected a chunk of {size} bytes after decoding, got {memoryview(content).nbytes}"
            )
        return np.frombuffer(content, np.uint8)


def pipeline_from_configs(configs: Sequence[dict[str, Any]], allowed: Iterable[str] = ()) -> Pipeline:
    """The pipeline a metadata file names; refuses codecs that are not known to be safe or named by the reader."""
    names = [config.get("id") for config in configs]
    known = (FILTERS | COMPRESSORS | CHECKSUMS | set(allowed)) - REFUSED
    for number, name in enumerate(names):
        if not isinstance(name, str) or name not in known:
            raise DatasetError(
                f"expected a codec among {', '.join(sorted(known))} in the dataset's metadata, got {name!r}",
                at=f"$.codec[{number}]",
            )
    return Pipeline(_in_order([_from_config(config) for config in configs]))


def pipeline_from(codec: Any, record_bytes: int) -> Pipeline:
    """The pipeline a caller asks for: None, a name, a codec of numcodecs, or a list of them; tried once."""
    if codec is None:
        return Pipeline(())
    wanted = list(codec) if isinstance(codec, list | tuple) else [codec]
    codecs = [_named(item, record_bytes) if isinstance(item, str) else item for item in wanted]
    pipeline = Pipeline(_in_order(codecs))
    _refuse_lossy(pipeline, record_bytes)
    return pipeline


def _in_order(codecs: list[Any]) -> tuple[Any, ...]:
    for number, codec in enumerate(codecs):
        name = getattr(codec, "codec_id", None)
        if name is None or name in REFUSED:
            raise DatasetError(f"expected a codec from bytes to bytes, got {name or codec!r}")
        last = number + 1 == len(codecs) - (codecs[-1].codec_id in CHECKSUMS)
        if number + 1 < len(codecs) and not last and name not in FILTERS:
            raise DatasetError(
                "expected only shuffle or delta before the last codec (a checksum may follow it), "
                f"got {name!r}"
            )
    return tuple(codecs)


def _from_config(config: dict[str, Any]) -> Any:
    import numcodecs

    try:
        return numcodecs.get_codec(dict(config))
    except Exception as error:  # a codec's own constructor may raise anything at a wrong setting
        raise DatasetError(
            f"expected settings of a codec in the dataset's metadata, got {config}: {error}", at="$.codec"
        ) from None


def _named(name: str, record_bytes: int) -> Any:
    import numcodecs

    if name == "shuffle":
        return numcodecs.Shuffle(elementsize=record_bytes)
    if name == "blosc":
        return numcodecs.Blosc(cname="lz4", clevel=1, shuffle=numcodecs.Blosc.SHUFFLE)
    if name == "zstd":
        return numcodecs.Zstd(level=1)
    if name not in COMPRESSORS | CHECKSUMS:
        raise DatasetError(
            f"expected a codec among {', '.join(sorted(COMPRESSORS | CHECKSUMS))}, got {name!r}"
        )
    return numcodecs.get_codec({"id": name})


def _refuse_lossy(pipeline: Pipeline, record_bytes: int) -> None:
    sample = np.arange(64 * record_bytes, dtype=np.int64).astype(np.uint8)
    try:
        back = pipeline.decode(pipeline.encode(sample), sample.size)
    except Exception as error:  # any codec may stand here
        raise DatasetError(f"the codec cannot encode bytes: {error}") from None
    if not np.array_equal(back, sample):
        raise DatasetError(
            "expected a lossless codec, got one that does not decode to the bytes that it encoded"
        )


def _decode_bounded(codec: Any, stored: Any, size: int) -> Any:
    """Decode into memory of `size` bytes, whatever `stored` claims; a checksum alone makes nothing larger."""
    bounded = _STREAMS.get(codec.codec_id)
    try:
        if codec.codec_id in CHECKSUMS:
            return codec.decode(stored)
        if bounded is not None:
            content: Any = bounded(memoryview(stored), size)
        else:
            content = np.empty(size, np.uint8)
            result = codec.decode(stored, out=content)
            if np.asarray(result).nbytes != size:
                content = b""
    except Exception as error:  # broken input may raise anything in a codec's own library
        raise DamageError(f"the codec {codec.codec_id} cannot decode the stored bytes: {error}") from None
    if memoryview(content).nbytes != size:
        raise DamageError(f"expected {size} bytes from the codec {codec.codec_id}, got more or fewer")
    return content


def _inflate(window_bits: int) -> Callable[[memoryview, int], bytes]:
    def run(stored: memoryview, size: int) -> bytes:
        stream = zlib.decompressobj(window_bits)
        return _complete(stream.decompress(stored, size + 1), stream.eof)

    return run


def _stream(make: Callable[[], Any]) -> Callable[[memoryview, int], bytes]:
    def run(stored: memoryview, size: int) -> bytes:
        stream = make()
        return _complete(stream.decompress(stored.tobytes(), size + 1), stream.eof)

    return run


def _complete(content: bytes, ended: bool) -> bytes:
    if not ended:
        raise ValueError("the compressed stream does not end with the chunk")
    return content


_STREAMS: dict[str, Callable[[memoryview, int], bytes]] = {
    "zlib": _inflate(zlib.MAX_WBITS),
    "gzip": _inflate(zlib.MAX_WBITS | 16),
    "bz2": _stream(bz2.BZ2Decompressor),
    "lzma": _stream(lzma.LZMADecompressor),
}
