// Sums of simulated time that may pass the end of the clock: refused, never wrapped round.
#pragma once

#include "striate/events/event.hpp"
#include "striate/refusal.hpp"

namespace striate {

// The last moment that is played, after 53 days. A moment up to here and one job fit 63 bits together.
inline constexpr Ticks last_tick = Ticks{1} << 62;

[[noreturn]] inline void refuse_long_run() { throw Refusal(Reason::run_too_long); }

inline void expect_on_clock(Ticks moment) {
    if (moment > last_tick) [[unlikely]]
        refuse_long_run();
}

// A sum of times none of which is negative.
[[nodiscard]] inline Ticks after(Ticks moment, Ticks more) {
    Ticks sum = 0;
    if (__builtin_add_overflow(moment, more, &sum)) [[unlikely]]
        refuse_long_run();
    return sum;
}

[[nodiscard]] inline Ticks times(std::int64_t count, Ticks each) {
    Ticks product = 0;
    if (__builtin_mul_overflow(count, each, &product)) [[unlikely]]
        refuse_long_run();
    return product;
}

}  // namespace striate
