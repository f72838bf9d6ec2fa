"""Damages datasets in random places, and counts what goes unseen: `python verification/corrupt_dataset.py [COUNT]`.

Each time one bit is flipped, or the end is cut off, in a sub-file or the metadata; then the dataset is read whole,
serially and as ranks read it (mapped where it is not compressed), and verified. All must see it, with an error of ours.
Exit status 1 when anything was not seen.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

import striate.runtime as runtime
from striate.errors import StriateError
from striate.runtime.check import verify
from striate.runtime.store.files import load

KIND = np.dtype([("x", "f4", (2,)), ("v", "f8", (4,))])
CODECS = [None, "zstd", "blosc", ["shuffle", "lz4"], "zlib"]


def make_datasets(folder, random):
    """Small datasets of each codec, some with chunks that were never written."""
    paths = []
    for number, codec in enumerate(CODECS):
        path = folder / f"dataset-{number}"
        records = np.zeros(300, KIND)
        records["v"] = random.integers(0, 40, (300, 4))
        with runtime.create(None, path, (300,), KIND, codec=codec, chunk=800) as dataset:
            dataset.write_all(np.arange(0, 300 - 40 * (number % 2)), records[: 300 - 40 * (number % 2)])
            dataset.write_all(np.arange(100, 130), records[100:130])
        paths.append(path)
    return paths


def live_bytes(path):
    """What may be damaged: the metadata, and of each sub-file the bytes that a chunk still uses."""
    metadata = load(path)
    places = [(path / "metadata.json", at) for at in range((path / "metadata.json").stat().st_size)]
    rows = zip(metadata.chunks.file, metadata.chunks.offset, metadata.chunks.length, strict=True)
    for file, offset, length in rows:
        if file >= 0:
            places += [(path / metadata.subfiles[file].name, at) for at in range(offset, offset + length)]
    return places


def damage(path, at, random):
    """Flip one bit of the file, or cut it there; what was done."""
    content = bytearray(path.read_bytes())
    if random.random() < 0.25:
        path.write_bytes(content[:at])
        return "cut"
    content[at] ^= 1 << int(random.integers(8))
    path.write_bytes(content)
    return "flip"


def is_seen(path):
    """True when all readers and the verification refuse the dataset with an error of ours."""
    return all(_refuses(read, path) for read in (_read_serially, _read_as_ranks, _verify))


def _refuses(read, path):
    try:
        return read(path)
    except StriateError:
        return True


def _read_serially(path):
    with runtime.open_serial(path) as dataset:
        dataset[...]
    return False


def _read_as_ranks(path):
    with runtime.open(None, path) as dataset:
        dataset.read_all(slice(None))
    return False


def _verify(path):
    return bool(verify(path).findings)


def main(arguments):
    count = int(arguments[0]) if arguments else 10_000
    random = np.random.default_rng(1)
    unseen, crashes, ways = 0, 0, {"flip": 0, "cut": 0}
    with tempfile.TemporaryDirectory() as name:
        places = [(path, *place) for path in make_datasets(Path(name), random) for place in live_bytes(path)]
        for _ in range(count):
            dataset, path, at = places[random.integers(len(places))]
            before = path.read_bytes()
            ways[damage(path, at, random)] += 1
            try:
                seen = is_seen(dataset)
            except Exception as error:  # a crash is what is looked for
                crashes += 1
                print(f"{type(error).__name__}: {error} - {path.name}, byte {at}")
                seen = True
            unseen += not seen
            if not seen:
                print(f"not seen: {path.name}, byte {at}")
            path.write_bytes(before)
    print(
        f"{count} corruptions ({ways['flip']} flips, {ways['cut']} cuts): {unseen} undetected, {crashes} crashes"
    )
    return 1 if unseen or crashes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
