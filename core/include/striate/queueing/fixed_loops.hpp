// The computation burst of SIO when every job makes the same number of loops: the mean is simulated.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace striate {

// One row per program: `population` jobs start together in the delay, visit the bus in order of arrival, and
// leave after `loops` visits. `apart` is the known mean of the largest sum of a job's delays alone.
struct FixedLoopRows {
    std::span<const std::int64_t> population;
    std::span<const double> delay;  // z, the mean of one visit
    std::span<const double> bus;    // x, the mean of one visit
    std::span<const std::int64_t> loops;
    std::span<const double> apart;
};

struct SimulatedTimes {
    std::vector<double> mean;
    std::vector<double> error;  // one standard error of the mean
};

// Mean time until the last job leaves. Runs are added until the standard error is below `tolerance` of the
// mean, or `most_visits` have been simulated for the row. Two sums whose means are known, the largest of the
// jobs' delays and the work of the bus, are control variates. The same rows give the same times.
// `keep_going` is called between batches of runs and may throw.
[[nodiscard]] SimulatedTimes fixed_loop_times(const FixedLoopRows& rows, double tolerance,
                                              std::int64_t most_visits,
                                              const std::function<void()>& keep_going);

}  // namespace striate
