"""Any dataset, and any way to write and read it, as Hypothesis strategies; all ranks draw the same."""

import numpy as np
from hypothesis import strategies as st

SCALARS = st.sampled_from(["f8", ">i4", "u1", "c16", "S7", "f4", "<i2", "?", ">f8", "V3"])
CODECS = st.sampled_from([None, None, None, "zstd", "blosc", ["shuffle", "lz4"], "zlib", "auto"])
MOST_ROWS = {1: 2500, 2: 14, 3: 10}


@st.composite
def dtypes(draw):
    if draw(st.booleans()):
        return np.dtype(draw(SCALARS))
    parts = draw(st.lists(st.tuples(SCALARS, st.sampled_from([(), (2,), (2, 3)])), min_size=1, max_size=3))
    return np.dtype([(f"f{number}", kind, shape) for number, (kind, shape) in enumerate(parts)])


@st.composite
def settings(draw, ranks):
    chosen = draw(st.sets(st.integers(0, ranks - 1), min_size=1))
    servers = draw(st.sampled_from([None, len(chosen), sorted(chosen)]))
    count = ranks if servers is None else len(chosen)
    return {
        "servers": servers,
        "group_factor": draw(st.integers(1, count)),
        "codec": draw(CODECS),
        "chunk": draw(st.sampled_from([64, 1000, 2**20])),
        "buffer": draw(st.sampled_from([1, 5000, 2**26])),
        "share_memory": draw(st.sampled_from([True, True, False, 2])),
    }, count


@st.composite
def slabs(draw, shape):
    parts = []
    for length in shape[: draw(st.integers(1, len(shape)))]:
        low, high = sorted([draw(st.integers(0, length)), draw(st.integers(0, length))])
        parts.append(slice(low, high, draw(st.sampled_from([1, 1, 2]))))
    return tuple(parts)


@st.composite
def indices(draw, rows):
    """Rows in any order, with repeats: a few that are drawn one by one, or many from a seed."""
    kind = draw(st.sampled_from([np.int32, np.int64, np.uint16]))
    if rows == 0:
        return np.zeros(0, kind)
    if draw(st.booleans()):
        return np.array(draw(st.lists(st.integers(0, rows - 1), max_size=12)), kind)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return random.integers(0, rows, draw(st.integers(0, 2 * rows))).astype(kind)


def places(shape, ranks):
    """What each rank addresses."""
    return st.tuples(*[st.one_of(slabs(shape), indices(shape[0]), indices(shape[0]))] * ranks)


@st.composite
def writes(draw, shape, ranks):
    return {
        "where": draw(places(shape, ranks)),
        "sum": draw(st.booleans()),
        "way": draw(st.sampled_from(["at once", "scheduled", "updated", "in the background"])),
        "seed": draw(st.integers(0, 2**32)),
        "read": draw(places(shape, ranks)),
    }


@st.composite
def cases(draw, ranks):
    """A dataset, what is written to it one after another, and how it is opened again."""
    axes = draw(st.sampled_from([1, 1, 1, 2, 3]))
    shape = tuple(draw(st.integers(0, MOST_ROWS[axes])) for _ in range(axes))
    chosen, servers = draw(settings(ranks))
    return {
        "shape": shape,
        "dtype": draw(dtypes()),
        "settings": chosen,
        "own_directories": servers if draw(st.booleans()) else 0,
        "writes": draw(st.lists(writes(shape, ranks), max_size=3)),
        "halves": draw(st.booleans()),
        "last": draw(writes(shape, ranks)),
    }
