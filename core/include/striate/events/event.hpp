// One thing that will happen: 16 bytes, whose second word is both the tie-break and the payload.
#pragma once

#include <cstdint>

namespace striate {

using Ticks = std::int64_t;  // picoseconds

inline constexpr std::uint64_t arrival_key = std::uint64_t{1} << 63;  // else a completion

struct Event {
    Ticks time;
    std::uint64_t key;  // kind in the top bit, index of the model's own station or slot below

    [[nodiscard]] unsigned __int128 order() const {
        return static_cast<unsigned __int128>(static_cast<std::uint64_t>(time)) << 64 | key;
    }
    // Simulated time is never negative, so one wide comparison orders by time, then by key.
    friend bool operator<(const Event& left, const Event& right) { return left.order() < right.order(); }
    friend bool operator==(const Event& left, const Event& right) = default;
};

}  // namespace striate
