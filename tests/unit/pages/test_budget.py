"""One budget for all levels of all runs: nothing is wasted, nobody starves, ranks come first."""

from hypothesis import given
from hypothesis import strategies as st

from striate.pages.columns import estimated_size, pack
from striate.pages.run import Run
from striate.pages.timeline.bars import bars_of
from striate.pages.timeline.budget import fair, shared_out
from striate.pages.timeline.bundles import bundled_apart
from striate.pages.timeline.fitted import most_items
from striate.pages.timeline.items import ROUGH, columns_of, items_of
from unit.pages.runs import busy, flooded

wishes = st.lists(st.integers(0, 10**7), min_size=1, max_size=8)


@given(wishes, st.integers(0, 10**7))
def test_shares_are_max_min_fair(wanted, room):
    found = fair(wanted, room)

    assert sum(found) <= room
    assert all(0 <= has <= wants for has, wants in zip(found, wanted, strict=True))
    if sum(wanted) <= room:
        assert found == wanted
        return
    # Who gets less than wanted gets no less than anybody else, but for what a division leaves over.
    least = min(has for has, wants in zip(found, wanted, strict=True) if has < wants)
    assert max(found) <= least + len(wanted)
    assert sum(found) > room - len(wanted)


@given(
    st.lists(st.lists(st.integers(0, 10**7), min_size=4, max_size=4), min_size=1, max_size=3),
    st.integers(0, 10**7),
)
def test_ranks_have_two_thirds_of_the_room_if_they_want_them(wanted, room):
    found = shared_out(wanted, room)
    ranks, others = (sum(sum(levels[part]) for levels in found) for part in (slice(1), slice(1, None)))
    all_ranks = sum(levels[0] for levels in wanted)

    assert ranks + others <= room
    assert ranks >= min(all_ranks, int(room * 2 / 3)) - len(wanted)
    assert sum(map(sum, found)) >= min(room, sum(map(sum, wanted))) - 4 * len(wanted)


def test_items_fit_into_the_bytes_and_leave_little_room():
    drawn = [bars_of(Run("busy", trace=busy(20_000))), bars_of(Run("flooded", trace=flooded()))]
    room = 60_000
    most = most_items(drawn, room, most=10**6)
    sizes = [
        len(pack(columns_of(bars, bundled_apart(bars, most=few)), (ROUGH,))[1])
        for bars, few in zip(drawn, most, strict=True)
    ]

    assert sum(sizes) <= room
    assert sum(sizes) > room / 2


def test_an_estimate_of_bytes_is_not_too_low():
    bars = bars_of(Run("busy", trace=busy(5000)))
    columns = items_of(bars, bundled_apart(bars, most=[5000, 0, 0, 0]))

    assert len(pack(columns, (ROUGH,))[1]) <= estimated_size(columns, (ROUGH,))
