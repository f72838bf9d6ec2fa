// A resource's clock that remembers where it stood idle, so that work which is told late is still done in
// time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

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
        const auto first = std::partition_point(gaps_.begin() + forgotten_, gaps_.end(),
                                                [&](const Gap& gap) { return gap.to <= ready; });
        if (first == gaps_.end()) return append(ready, work);
        const Ticks begun = std::max(first->from, ready);
        const bool head = first->from < begun;  // of the first gap is left
        for (auto gap = first; gap != gaps_.end(); ++gap) {
            const Ticks from = std::max(gap->from, begun);
            const Ticks room = gap->to - from;
            if (room >= work) {
                take(first, head, gap, begun, from + work);
                return {begun, from + work};
            }
            work -= room;
        }
        if (head) first->to = begun;
        gaps_.erase(first + (head ? 1 : 0), gaps_.end());
        return {begun, append(ready, work).over};
    }

    // When work that is ready at `ready` would begin, as far as is known now.
    [[nodiscard]] Ticks begin(Ticks ready) const {
        if (ready >= latest_) return std::max(end_, ready);
        const auto first = std::partition_point(gaps_.begin() + forgotten_, gaps_.end(),
                                                [&](const Gap& gap) { return gap.to <= ready; });
        return std::max(first == gaps_.end() ? end_ : first->from, ready);
    }

    // Nothing will be ready before `time`: gaps that are over by then need not be remembered.
    void forget(Ticks time) {
        if (gaps_.size() < few) return;
        while (forgotten_ < std::ssize(gaps_) && gaps_[static_cast<std::size_t>(forgotten_)].to <= time)
            ++forgotten_;
        clear_forgotten();
    }

    // Everything so far is over at `time`; nothing can be done before it any more.
    void level(Ticks time) {
        end_ = time;
        latest_ = 0;
        forgotten_ = 0;
        gaps_.clear();
    }

    [[nodiscard]] Ticks end() const { return end_; }

  private:
    struct Gap {
        Ticks from, to;
    };
    static constexpr std::size_t few = 16;
    using Place = typename std::vector<Gap>::iterator;

    Span append(Ticks ready, Ticks work) {
        const Ticks begun = std::max(end_, ready);
        if (begun > end_) insert(gaps_.end(), {end_, begun});
        end_ = after(begun, work);
        return {begun, end_};
    }

    // Takes all between `begun`, in the gap `first`, and `over`, in the gap `last`, out of the gaps.
    void take(Place first, bool head, Place last, Ticks begun, Ticks over) {
        const bool tail = over < last->to;
        if (first == last && head && tail) {
            const Gap rest{over, last->to};
            first->to = begun;
            return insert(first + 1, rest);
        }
        if (head) first->to = begun;
        if (tail) last->from = over;
        const Place from = first + (head ? 1 : 0), to = last + (tail ? 0 : 1);
        if (from < to) gaps_.erase(from, to);
    }

    // Earliest first; the earliest one makes room when there are too many.
    void insert(Place place, const Gap& gap) {
        if (gaps_.size() - static_cast<std::size_t>(forgotten_) == kept) {
            if (place == gaps_.begin() + forgotten_) return;
            ++forgotten_;
        }
        gaps_.insert(place, gap);
        latest_ = std::max(latest_, gap.to);
        clear_forgotten();
    }

    void clear_forgotten() {
        if (2 * forgotten_ <= std::ssize(gaps_)) return;
        gaps_.erase(gaps_.begin(), gaps_.begin() + forgotten_);
        forgotten_ = 0;
    }

    Ticks end_ = 0;
    Ticks latest_ = 0;              // no gap ends behind it
    std::ptrdiff_t forgotten_ = 0;  // gaps at the front that no longer count
    std::vector<Gap> gaps_;
};

}  // namespace striate
