// A fixed point instead of a recursion: Linearizer (Chandy and Neuse, 1982) for the symmetric clustered
// network.
#pragma once

#include <span>

#include "striate/queueing/bus_network.hpp"

namespace striate {

// One point per index; populations may be fractions, so that a sum over them can become an integral.
struct LinearizerPoints {
    std::span<const double> population;  // jobs of one class
    std::span<const double> clusters;    // classes, each with its own disk
    std::span<const double> delay;       // z n
    std::span<const double> bus;         // x n
    std::span<const double> disk;        // y
};

// Approximate residences in a time that does not depend on population or classes. One class is BUS-AIO.
// Throws std::invalid_argument when the columns differ in length.
[[nodiscard]] Residences linearizer_residences(const LinearizerPoints& points);

}  // namespace striate
