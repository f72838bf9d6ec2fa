"""Level of detail: bundles keep every state's time, count and bytes, and lanes never overlap."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import striate
from striate.pages.run import Run
from striate.pages.timeline.apart import MOST_LANES, apart, clipped
from striate.pages.timeline.bars import MOST_STATES, bars_of
from striate.pages.timeline.bundles import BUNDLE, bundled
from unit.pages.runs import busy, flooded, small, trace


def totals(bars, items):
    """(time, count, bytes) of every state over single bars and bundles."""
    found = np.zeros((3, len(bars.states)), np.int64)
    singles = items.bar
    np.add.at(found[0], bars.state[singles], (bars.end - bars.start)[singles])
    np.add.at(found[1], bars.state[singles], 1)
    np.add.at(found[2], bars.state[singles], bars.bytes[singles])
    np.add.at(found[0], items.part_state, items.part_time)
    np.add.at(found[1], items.part_state, items.part_count)
    np.add.at(found[2], items.part_state, items.part_bytes)
    return found.tolist()


@pytest.mark.parametrize("most", [10, 60, 500, 10_000])
def test_bundles_keep_what_their_bars_add_up_to(most):
    bars = bars_of(Run("busy", trace=busy(1000)))
    items = bundled(bars, most=most)

    assert totals(bars, items) == totals(bars, bundled(bars, most=10**9))
    assert len(items) <= max(most, 4)
    assert (items.start <= items.end).all()
    same = items.lane[1:] == items.lane[:-1]
    assert (items.end[:-1][same] <= items.start[1:][same]).all()


def test_few_bars_stay_single():
    bars = bars_of(Run("small", trace=small()))
    items = bundled(bars, most=1000)

    assert len(items) == len(bars)
    assert not (items.state == BUNDLE).any()


def test_a_long_bar_among_short_ones_stays_single():
    rows = [(0, "posix", "read", at, at + 0.5) for at in range(100)]
    rows.append((0, "posix", "write", 200, 900))
    bars = bars_of(Run("x", trace=trace(rows, ranks=1)))
    items = bundled(bars, most=20)

    writes = items.state == bars.states.index("write")
    assert writes.sum() == 1
    assert (items.end - items.start)[writes] == [700_000_000]


def test_messages_on_links_hide_no_call_of_a_rank():
    bars = bars_of(Run("flooded", trace=flooded()))
    items = bundled(bars, most=9000)
    level = bars.level_of_lane[items.lane]

    # 4,000 calls and 40,000 messages: the calls stay single in two thirds of the room, the messages share the rest
    assert (items.state[level == 0] >= 0).all()
    assert (level == 0).sum() == 4000
    assert (items.state[level == 2] == BUNDLE).any()
    assert len(items) <= 9000
    assert totals(bars, items) == totals(bars, bundled(bars, most=10**9))


spans = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60), st.integers(0, 30)), max_size=60)


@given(spans)
def test_no_two_bars_of_a_lane_overlap(rows):
    rows = sorted((line, start, -(start + length)) for line, start, length in rows)
    line, start, end = (
        (np.array(column, np.int64) for column in zip(*rows, strict=True))
        if rows
        else [np.empty(0, np.int64)] * 3
    )
    end = -end
    lane = apart(line, start, end)

    for one in set(zip(line.tolist(), lane.tolist(), strict=True)):
        mine = (line == one[0]) & (lane == one[1])
        assert (end[mine][:-1] <= start[mine][1:]).all()


def test_what_finds_no_room_is_cut_and_takes_the_last_lane():
    count = MOST_LANES + 5
    line, start, end = np.zeros(count, np.int64), np.arange(count), np.full(count, 10_000)
    lane = apart(line, start, end)
    order = np.lexsort((start, lane))

    assert lane.max() == MOST_LANES - 1
    until = clipped(lane[order], start[order], end[order])
    assert (until[-6:-1] == start[order][-5:]).all()


def test_regions_stand_over_calls_over_system_calls():
    bars = bars_of(Run("small", trace=small()))
    layers = {bars.states[state]: set() for state in range(len(bars.states))}
    for lane, state in zip(bars.lane.tolist(), bars.state.tolist(), strict=True):
        layers[bars.states[state]].add(int(bars.layer_of_lane[lane]))

    assert layers == {"step": {0}, "write": {1, 2}, "read": {1}, "send": {1}, "recv": {1}}


def test_regions_beyond_all_measure_share_one_state():
    names = [f"region {number}" for number in range(MOST_STATES + 50)]
    rows = [
        (0, "program", "region", number, number + 0.9, {"region": number}) for number in range(len(names))
    ]
    bars = bars_of(Run("x", trace=trace(rows, ranks=1, regions=names)))

    assert len(bars.states) == MOST_STATES
    assert bars.states[-1] == "other states"
    assert np.bincount(bars.state)[-1] == 51


@pytest.mark.parametrize("rows", [[], [(0, "posix", "read", 5, 5)]], ids=["nothing", "a bar of no length"])
def test_next_to_nothing_can_be_drawn(rows):
    made = trace(rows)
    bars = bars_of(Run("x", trace=made))

    assert len(bundled(bars, most=10)) == len(rows)
    assert len(bundled(bars.between(10**9, 10**10), most=10)) == 0
    assert "timeline" in striate.show(made)
