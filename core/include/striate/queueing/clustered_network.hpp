// The closed network of CLU-AIO: d clusters of processors, each with a disk of its own, on one shared bus.
#pragma once

#include <cstdint>
#include <span>

#include "striate/queueing/bus_network.hpp"

namespace striate {

// One point per index: `clusters` classes of `population` jobs each. Demands are seconds per cycle.
struct ClusteredPoints {
    std::span<const std::int64_t> population;  // N = p / (c d), at least 1
    std::span<const std::int64_t> clusters;    // d, at least 1
    std::span<const double> delay;             // z n
    std::span<const double> bus;               // x n
    std::span<const double> disk;              // y
};

// Exact residences of the multiclass product form, at a cost that does not grow with the number of classes.
//
// With P_m(t) = sum over j of y^(m-j) (z n + x n t)^j / j!, the normalising constant is the integral over t
// of exp(-t) P_N(t)^d. Given t, each cluster is a network of its own with delay s(t) = z n + x n t, so that
// computation = E[s(t)] and I/O = E[y (1 + Q(t))], where t has the density exp(-t) P_N^(d-1) P_(N-1) and Q(t)
// is the mean number at the disk with N - 1 jobs. The density is log-concave: one hill, found and then summed
// by an adaptive Gauss-Legendre rule. Throws std::invalid_argument when the columns do not fit together.
[[nodiscard]] Residences clustered_residences(const ClusteredPoints& points);

}  // namespace striate
