// Occupancy of a server over time: a curve of bounded size, however long the run is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "striate/events/event.hpp"

namespace striate {

// Slices of time of equal width, each with the time integral and the maximum of every amount. When there
// would be more than `most_slices`, two neighbours become one and the width doubles.
class OccupancyCurve {
  public:
    static constexpr std::size_t most_slices = 1024;
    static constexpr Ticks first_width = 1'000'000;  // one microsecond

    // Bytes on their way to the disks, bytes in the read cache, requests that wait before the disks.
    using Amounts = std::array<std::int64_t, 3>;
    struct Slice {
        Ticks covered = 0;
        std::array<double, 3> sum{};  // amount times ticks
        Amounts most{};
    };

    // The amounts from now on.
    void set(Ticks now, const Amounts& amounts);
    // Nothing comes after `end`.
    void finish(Ticks end) { set(end, now_); }

    [[nodiscard]] Ticks width() const { return width_; }
    [[nodiscard]] const std::vector<Slice>& slices() const { return slices_; }

  private:
    [[nodiscard]] Slice& slice_of(Ticks time);
    void double_width();

    std::vector<Slice> slices_;
    Ticks width_ = first_width;
    Ticks since_ = 0;
    Amounts now_{};
};

}  // namespace striate
