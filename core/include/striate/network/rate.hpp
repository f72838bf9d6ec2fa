// How long bytes take at a rate, in whole picoseconds, rounded once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

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

// Services of packets of other than full size: few sizes and rates make up nearly all of them.
class OddServices {
  public:
    explicit OddServices(Rounding rounding) : rounding_(rounding) {}

    // What `service_ticks` says.
    [[nodiscard]] Ticks ticks(std::int64_t bytes, double rate) {
        const std::uint64_t mixed =
            (std::bit_cast<std::uint64_t>(rate) ^ static_cast<std::uint64_t>(bytes)) * 0x9e3779b97f4a7c15U;
        Known& known = known_[static_cast<std::size_t>(mixed >> 32) % most_known];
        if (known.bytes != bytes || known.rate != rate)
            known = {bytes, rate, service_ticks(bytes, rate, rounding_)};
        return known.ticks;
    }

  private:
    struct Known {
        std::int64_t bytes = -1;
        double rate = 0;
        Ticks ticks = 0;
    };
    static constexpr std::size_t most_known = 1024;

    Rounding rounding_;
    std::vector<Known> known_{most_known};  // by a hash of size and rate, the last one asked for
};

// How long instructions take on a CPU of their own, to the nearest picosecond.
[[nodiscard]] Ticks job_ticks(std::int64_t instructions, double instructions_per_second);

}  // namespace striate
