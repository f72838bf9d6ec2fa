"""Mapping at first generation: every record its own place, headroom that suffices, overflow that is loud."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.thesis_formulas import slot_bytes
from striate.errors import LayoutError
from striate.layout import Extents
from striate.layout.buffering import NodeMemory, safe_buffering, write_count
from striate.layout.mapped.line_buffer import LineBuffer
from striate.layout.mapped.record_map import Area, RecordMap, Slot
from striate.layout.mapped.slots import fill, strip

areas = st.recursive(
    st.just(("slot",)),
    lambda inner: st.tuples(st.just("area"), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=8,
)


@st.composite
def formats(draw):
    """A nested format with names and sizes of its own."""
    numbers = iter(range(1000))

    def build(shape):
        number = next(numbers)
        if shape[0] == "slot":
            return Slot(f"slot{number}", draw(st.integers(1, 9)))
        return Area(f"index{number}", draw(st.integers(1, 4)), *(build(part) for part in shape[1]))

    return RecordMap(*(build(shape) for shape in draw(st.lists(areas, min_size=1, max_size=3))))


def walked(parts, indices=()):
    """Every slot with its indices in the order of the file: the slow twin of the map."""
    for part in parts:
        if isinstance(part, Slot):
            yield part, dict(indices)
        else:
            for copy in range(part.count):
                yield from walked(part.members, (*indices, (part.name, copy)))


@given(formats())
def test_records_follow_one_another_without_gap_or_overlap(record_map):
    position = 0
    for slot, indices in walked(record_map.parts):
        assert int(record_map.offset(slot.name, **indices)) == position
        position += slot.size

    assert position == record_map.size


@given(formats())
def test_all_ranks_compute_the_same_map(record_map):
    again = RecordMap(*record_map.parts)

    assert again == record_map
    assert hash(again) == hash(record_map)
    assert pickle.loads(pickle.dumps(record_map)) == record_map


def thesis_map(runs=8, lines=10):
    trees, parameters = Area("line", lines, Slot("t", 253)), Area("line", lines, Slot("p", 55))
    return RecordMap(Area("run", runs, Slot("t header", 309), trees, Slot("p header", 52), parameters))


def test_offsets_are_asked_for_in_whole_arrays():
    offsets = thesis_map().offset("p", run=np.arange(8)[:, None], line=np.arange(10))

    assert offsets.shape == (8, 10)
    assert int(offsets[7, 9]) == 27473
    assert np.array_equal(np.diff(offsets[:, 0]), np.full(7, 3441))


def test_a_map_of_ten_billion_records_costs_no_more_than_a_small_one():
    assert int(thesis_map(100, 10**8).offset("t", run=99, line=10**8 - 1)) > 3 * 10**12


def test_a_view_holds_each_runs_lines_in_the_order_of_the_file():
    record_map = thesis_map(2, 3)
    mine = [record_map.extents("p", run=1, line=[0, 1, 2]), record_map.extents("t", run=1, line=[0, 1, 2])]
    view = record_map.view(*mine)
    area = 309 + 3 * 253 + 52 + 3 * 55

    assert view.runs == Extents.of([(area + 309, 3 * 253), (area + 309 + 3 * 253 + 52, 3 * 55)])
    assert view.extent == record_map.size == 2 * area


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: thesis_map().offset("q"), "expected a slot (room for one record) among"),
        (
            lambda: thesis_map().offset("t", run=0),
            "expected the indices ['line', 'run'] for the slot (room for one record) 't', got ['run']",
        ),
        (lambda: thesis_map().offset("t", run=8, line=0), "expected the index run from 0 to 7, got 8"),
        (
            lambda: thesis_map().offset("t", run=0, line=[3, -1]),
            "expected the index line from 0 to 9, got -1",
        ),
        (lambda: RecordMap(), "a file format with records of 1 to 2^63 - 1 bytes"),
        (
            lambda: RecordMap(Area("run", 2**40, Slot("x", 2**40))),
            "a file format with records of 1 to 2^63 - 1 bytes",
        ),
        (lambda: RecordMap(Slot("x", 1), Slot("x", 1)), "got 'x' twice"),
        (lambda: RecordMap(Area("run", 2, Area("run", 2, Slot("x", 1)))), "'run' inside itself"),
        (
            lambda: Area("run", 2),
            "expected at least one slot (room for one record) or nested area in area 'run'",
        ),
        (lambda: Area("run", 0, Slot("x", 1)), "expected copies of area 'run'"),
        (lambda: Slot("x", 0), "expected bytes in slot 'x'"),
    ],
)
def test_a_place_the_format_does_not_have_is_refused(call, words):
    with pytest.raises(LayoutError) as refusal:
        call()

    assert words in str(refusal.value)


def parameter_line(generation, numbers):
    return (str(generation) + "".join(f"\t{number:.6e}" for number in numbers) + "\n").encode()


@given(
    st.integers(0, 10**6),
    st.lists(st.floats(-1e99, 1e99).filter(lambda x: x == 0 or abs(x) > 1e-99), min_size=1, max_size=8),
)
def test_the_headroom_holds_every_later_line_and_padding_comes_off(generation, numbers):
    first = parameter_line(0, [abs(number) for number in numbers])
    slot = Slot("p", slot_bytes(len(first), 0, 10**6, signed_columns=len(numbers)))
    line = parameter_line(generation, numbers)

    content = fill(slot, line)

    assert len(content) == slot.size
    assert strip(slot, content) == line


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: fill(Slot("p", 5), b"12345\n", at="generation 7"),
            "at most 5 bytes for the slot (room for one record) 'p', got 6 - at generation 7",
        ),
        (
            lambda: fill(Slot("h", 5, padded=False), b"123\n"),
            "exactly 5 bytes for the slot (room for one record) 'h', got 4",
        ),
        (lambda: fill(Slot("p", 9), b"1\n2\n"), "one line that ends in a newline"),
        (lambda: fill(Slot("p", 9), b"12"), "one line that ends in a newline"),
        (lambda: strip(Slot("p", 4), b"\0\0\0\0"), "to be written, found NUL bytes"),
        (lambda: strip(Slot("p", 4), b"12 4"), "a newline at the end"),
        (lambda: strip(Slot("p", 4), b"1\n"), "expected 4 bytes"),
    ],
)
def test_a_line_that_does_not_fit_its_slot_fails_at_once(call, words):
    with pytest.raises(LayoutError) as refusal:
        call()

    assert words in str(refusal.value)


@given(st.integers(1, 12), st.integers(1, 5), st.sets(st.integers(1, 12)), st.integers(1, 3))
def test_buffered_batches_write_the_file_that_single_writes_make(samples, generations, checkpoints, runs):
    record_map = RecordMap(Area("run", runs, Area("line", samples, Slot("p", 8))))
    buffer = LineBuffer(record_map, generations)
    file, written_after = bytearray(record_map.size), []
    for sample in range(1, samples + 1):
        for run in range(runs):
            buffer.add("p", f"{run}.{sample}\n".encode(), run=run, line=sample - 1)
        batch = buffer.end_sample(checkpoint=sample in checkpoints)
        if batch is None and sample == samples:
            batch = buffer.flush()
        if batch is not None:
            written_after.append(sample)
            put(file, batch)

    wanted = b"".join(
        f"{run}.{sample}".encode().ljust(7) + b"\n" for run in range(runs) for sample in range(1, samples + 1)
    )
    assert bytes(file) == wanted
    assert all(after - before <= generations for before, after in pairwise([0, *written_after]))
    assert {samples, *(point for point in checkpoints if point <= samples)} <= set(written_after)
    assert checkpoints or len(written_after) == write_count(samples, generations)
    assert buffer.flush() is None


def put(file, batch):
    """What a write of the batch does to the file; runs grow, as MPI wants of a view."""
    position = 0
    assert (np.diff(batch.extents.offsets) > 0).all()
    for offset, size in zip(batch.extents.offsets.tolist(), batch.extents.sizes.tolist(), strict=True):
        file[offset : offset + size] = batch.payload[position : position + size]
        position += size
    assert position == len(batch.payload)


def test_two_processes_on_a_node_share_its_memory():
    alone = NodeMemory(2**30, 2**26, 300 * 2**20, 24538, 4)  # equation 6.1: 692060160 / 98152
    shared = NodeMemory(2**30, 2**26, 300 * 2**20, 24538, 4, processes=2)  # (692060160 - 300 MiB) / 196304

    assert alone.largest_buffering() == 7050
    assert shared.largest_buffering() == 1922
    assert safe_buffering([alone, shared]) == 1441
    assert safe_buffering([alone], swapping=True) == 1
    assert NodeMemory(2**20, 2**20, 2**20, 100, 1).largest_buffering() == 1
