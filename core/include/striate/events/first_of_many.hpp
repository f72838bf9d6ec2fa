// Which of many things happens first, when their times keep changing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "striate/events/event.hpp"

namespace striate {

// A knockout tournament: changing a time plays again only the games above it, as long as their winners
// change.
class FirstOfMany {
  public:
    static constexpr Ticks never = std::numeric_limits<Ticks>::max();

    explicit FirstOfMany(std::size_t count) : leaves_(std::bit_ceil(count)), times_(2 * leaves_, never) {}

    void set(std::uint32_t index, Ticks time) {
        std::size_t at = leaves_ + index;
        times_[at] = time;
        while (at > 1) {
            const Ticks winner = std::min(times_[at], times_[at ^ 1]);
            at /= 2;
            if (times_[at] == winner) return;
            times_[at] = winner;
        }
    }

    [[nodiscard]] Ticks time() const { return times_[1]; }

    // The first of those with the earliest time.
    [[nodiscard]] std::uint32_t index() const {
        std::size_t at = 1;
        while (at < leaves_) at = times_[2 * at] == times_[at] ? 2 * at : 2 * at + 1;
        return static_cast<std::uint32_t>(at - leaves_);
    }

  private:
    std::size_t leaves_;
    std::vector<Ticks> times_;
};

}  // namespace striate
