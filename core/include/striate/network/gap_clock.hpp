// A resource's clock that remembers where it stood idle, so that work which is told late is still done in
// time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "striate/events/clock_sums.hpp"
#include "striate/events/event.hpp"

namespace striate {

// Graphs that are processed at once reach far ahead on some clocks; without the gaps, everything told later
// would queue behind them, and processors would form convoys. The latest `kept` gaps are remembered.
template <std::size_t kept>
class GapClock {
  public:
    struct Span {
        Ticks begun, over;
    };

    // Does `work` as soon as the resource is idle, from `ready` on; in parts, where idle times are short.
    Span serve(Ticks ready, Ticks work) {
        if (ready >= latest_) return append(ready, work);
        Ticks begun = -1;
        std::size_t first = used_;  // of those that are not over; mostly there are few
        while (first > 0 && at(first - 1).to > ready) --first;
        for (std::size_t i = first; i < used_; ++i) {
            const Gap gap = at(i);
            const Ticks from = std::max(gap.from, ready);
            if (begun < 0) begun = from;
            const Ticks room = gap.to - from;
            if (room >= work) {
                shorten(i, from, from + work);
                return {begun, from + work};
            }
            work -= room;
            i -= shorten(i, from, gap.to);
        }
        const Span rest = append(ready, work);
        return {begun < 0 ? rest.begun : begun, rest.over};
    }

    // Everything so far is over at `time`; nothing can be done before it any more.
    void level(Ticks time) {
        end_ = time;
        latest_ = 0;
        used_ = 0;
    }

    [[nodiscard]] Ticks end() const { return end_; }

  private:
    struct Gap {
        Ticks from, to;
    };

    Span append(Ticks ready, Ticks work) {
        const Ticks begun = std::max(end_, ready);
        if (begun > end_) insert(used_, {end_, begun});
        end_ = after(begun, work);
        return {begun, end_};
    }

    // The gaps, earliest first, lie in a ring.
    [[nodiscard]] Gap& at(std::size_t place) { return gaps_[(first_ + place) % kept]; }

    // Takes [from, to) out of a gap; 1 when nothing is left of it.
    std::size_t shorten(std::size_t place, Ticks from, Ticks to) {
        Gap& gap = at(place);
        const bool before = from > gap.from, after = to < gap.to;
        if (before && after) {
            const Ticks end = std::exchange(gap.to, from);
            insert(place + 1, {to, end});
        } else if (before) {
            gap.to = from;
        } else if (after) {
            gap.from = to;
        } else {
            for (; place + 1 < used_; ++place) at(place) = at(place + 1);
            --used_;
            return 1;
        }
        return 0;
    }

    // The earliest gap makes room when there are too many.
    void insert(std::size_t place, const Gap& gap) {
        if (used_ == kept) {
            if (place == 0) return;
            first_ = (first_ + 1) % kept;
            --used_;
            --place;
        }
        for (std::size_t i = used_++; i > place; --i) at(i) = at(i - 1);
        at(place) = gap;
        latest_ = std::max(latest_, gap.to);
    }

    Ticks end_ = 0;
    Ticks latest_ = 0;  // no gap ends behind it
    std::uint32_t first_ = 0, used_ = 0;
    std::array<Gap, kept> gaps_{};
};

}  // namespace striate
