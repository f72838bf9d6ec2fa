// A resource's clock that remembers where it stood idle, so that work which is told late is still done in
// time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

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
        if (ready >= end_ || used_ == 0) return append(ready, work);
        Ticks begun = -1;
        for (std::size_t i = 0; i < used_; ++i) {
            if (gaps_[i].to <= ready) continue;
            const Ticks from = std::max(gaps_[i].from, ready);
            if (begun < 0) begun = from;
            const Ticks room = gaps_[i].to - from;
            if (room >= work) {
                shorten(i, from, from + work);
                return {begun, from + work};
            }
            work -= room;
            i -= shorten(i, from, gaps_[i].to);
        }
        const Span rest = append(ready, work);
        return {begun < 0 ? rest.begun : begun, rest.over};
    }

    // Everything so far is over at `time`; nothing can be done before it any more.
    void level(Ticks time) {
        end_ = time;
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

    // Takes [from, to) out of a gap; 1 when nothing is left of it.
    std::size_t shorten(std::size_t at, Ticks from, Ticks to) {
        const Gap gap = gaps_[at];
        const bool before = from > gap.from, after = to < gap.to;
        if (before && after) {
            gaps_[at].to = from;
            insert(at + 1, {to, gap.to});
        } else if (before) {
            gaps_[at].to = from;
        } else if (after) {
            gaps_[at].from = to;
        } else {
            std::copy(gaps_.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                      gaps_.begin() + static_cast<std::ptrdiff_t>(used_),
                      gaps_.begin() + static_cast<std::ptrdiff_t>(at));
            --used_;
            return 1;
        }
        return 0;
    }

    // The earliest gap makes room when there are too many.
    void insert(std::size_t at, Gap gap) {
        if (used_ == kept) {
            if (at == 0) return;
            std::copy(gaps_.begin() + 1, gaps_.begin() + static_cast<std::ptrdiff_t>(at), gaps_.begin());
            gaps_[at - 1] = gap;
            return;
        }
        std::copy_backward(gaps_.begin() + static_cast<std::ptrdiff_t>(at),
                           gaps_.begin() + static_cast<std::ptrdiff_t>(used_),
                           gaps_.begin() + static_cast<std::ptrdiff_t>(used_) + 1);
        gaps_[at] = gap;
        ++used_;
    }

    Ticks end_ = 0;
    std::size_t used_ = 0;
    std::array<Gap, kept> gaps_{};
};

}  // namespace striate
