// The closed network of BUS-AIO: a delay, a shared bus and one pool of disks (paper 000, eqs. 20-22),
// exactly.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace striate {

// Points in rows. All points of a row share population, delay and bus demand; point j of row i, for
// starts[i] <= j < starts[i + 1], adds its own disk demand. Demands are seconds per cycle and not negative.
struct BusRows {
    std::span<const std::int64_t> population;  // jobs, at least 1
    std::span<const double> delay;             // z n
    std::span<const double> bus;               // x n
    std::span<const std::int64_t> starts;      // one more than there are rows
    std::span<const double> disk;              // y, one per point
};

// Where a job spends its cycle.
struct Residences {
    std::vector<double> computation;  // delay and bus, queueing included
    std::vector<double> io;           // disks, queueing included
};

// Mean cycle time at every point. Throws std::invalid_argument when the columns do not fit together.
[[nodiscard]] std::vector<double> bus_cycle_times(const BusRows& rows);

// The same cycle, split; both parts keep full relative precision however small they are.
[[nodiscard]] Residences bus_residences(const BusRows& rows);

}  // namespace striate
