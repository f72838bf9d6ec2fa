"""The kernels over records against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from striate import _core

kinds = st.sampled_from([np.int32, np.int64])


@given(st.lists(st.integers(0, 199), max_size=300), kinds)
def test_marks_are_the_set_of_indices(values, kind):
    bits = np.zeros(3, np.uint64)  # 64 * 3 records from 5 on
    _core.mark_records(np.array(values, kind), 5, bits)
    marked = np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")) + 5

    assert marked.tolist() == sorted({value for value in values if 5 <= value < 197})


@given(st.lists(st.integers(0, 130), max_size=300), st.sets(st.integers(0, 127)), kinds)
def test_the_last_claim_of_each_live_record_is_kept(values, alive, kind):
    live = np.zeros(2, np.uint64)
    _core.mark_records(np.array(sorted(alive), kind), 0, live)
    kept = _core.resolve_records(np.array(values, kind), 0, live)

    last = {value: at for at, value in enumerate(values)}
    assert kept.tolist() == sorted(at for value, at in last.items() if value in alive)


@given(st.integers(1, 400), st.integers(1, 9), st.data(), kinds)
def test_buckets_are_a_stable_sort_by_round_and_owner(records, owners, data, kind):
    domain = -(-records // owners)
    window = data.draw(st.integers(1, domain))
    values = data.draw(st.lists(st.integers(0, records - 1), max_size=200))
    segments = np.array(data.draw(st.permutations(range(owners))), np.int32)
    segments[data.draw(st.integers(0, owners)) :] = -1
    kept = (
        data.draw(st.none() | st.sets(st.integers(0, max(0, len(values) - 1))).map(sorted))
        if values
        else None
    )
    chosen = None if kept is None else np.array(kept, kind)
    order, place, starts = _core.bucket_records(
        np.array(values, kind), chosen, records, domain, window, segments
    )

    indices = np.array(values, np.int64)[slice(None) if kept is None else kept]
    owner, within = indices // domain, indices % domain
    rounds, segment = within // window, segments[owner]
    bucket = rounds * (owners + 1) + np.where(segment >= 0, 0, owner + 1)
    wanted = np.argsort(bucket, kind="stable")
    sources = np.arange(len(values)) if kept is None else np.array(kept, np.int64)
    assert order.tolist() == sources[wanted].tolist()
    assert place.tolist() == (within % window + np.where(segment >= 0, segment * window, 0))[wanted].tolist()
    assert np.diff(starts).tolist() == np.bincount(bucket, minlength=len(starts) - 1).tolist()


@given(st.integers(1, 70), st.integers(1, 60), st.data(), kinds)
def test_records_move_as_numpy_moves_them(size, records, data, kind):
    numbers = st.lists(st.integers(0, records - 1), min_size=1, max_size=40, unique=True)
    to = np.array(data.draw(numbers), kind)
    source = np.random.default_rng(size).integers(0, 256, (records, size), np.uint8)
    start = data.draw(st.lists(st.integers(0, records - 1), min_size=len(to), max_size=len(to)))
    target = np.zeros((records, size), np.uint8)
    _core.move_records(target.reshape(-1), to, source.reshape(-1), np.array(start, kind), len(to), size)

    expected = np.zeros_like(target)
    expected[to] = source[start]
    assert np.array_equal(target, expected)


@pytest.mark.parametrize(
    ("to", "source"), [([5], None), ([-1], None), (None, [5]), (None, [-2]), ([0, 1], [0])]
)
def test_positions_outside_the_memory_are_refused(to, source):
    target, memory = np.zeros(10, np.uint8), np.zeros(10, np.uint8)
    columns = [None if values is None else np.array(values, np.int64) for values in (to, source)]
    with pytest.raises((IndexError, ValueError)):
        _core.move_records(target, columns[0], memory, columns[1], len(to or source), 2)


def test_moving_forty_byte_records_is_faster_than_numpy(benchmark_ratio):
    random = np.random.default_rng(1)
    order = random.permutation(200_000).astype(np.int32)
    source, target = np.zeros(8_000_000, np.uint8), np.zeros(8_000_000, np.uint8)
    wide = np.dtype((np.void, 40))

    def ours():
        _core.move_records(target, order, source, None, len(order), 40)

    def numpy():
        target.view(wide)[order] = source.view(wide)

    assert benchmark_ratio(numpy, ours) > 1.5
