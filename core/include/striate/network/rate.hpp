// How long bytes take at a rate, in whole picoseconds, rounded once.
#pragma once

#include <cstdint>
#include <limits>

#include "striate/events/event.hpp"

namespace striate {

enum class Rounding : std::uint8_t {
    nearest_picosecond,     // exact quotient, halves up
    truncated_nanoseconds,  // the clock of PIOsimHD: seconds in floating point, cut to whole nanoseconds
};

inline constexpr double unlimited_rate = std::numeric_limits<double>::infinity();  // takes no time

// Throws Refusal unless the rate is unlimited or lies between 1 B/s and 2^47 B/s and the bytes
// below 2^47.
[[nodiscard]] Ticks service_ticks(std::int64_t bytes, double bytes_per_second, Rounding rounding);

// How long instructions take on a CPU of their own, to the nearest picosecond.
[[nodiscard]] Ticks job_ticks(std::int64_t instructions, double instructions_per_second);

}  // namespace striate
