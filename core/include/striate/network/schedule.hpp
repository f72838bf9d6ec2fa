// A schedule is data: messages, what each waits for, and how long is computed before it starts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/network/network.hpp"
#include "striate/network/stations.hpp"

namespace striate {

// Step i waits for its dependencies, then for `delay` ticks, then sends `bytes` from `source` to `target`. A
// step whose source is negative sends nothing: it joins its dependencies.
struct ScheduleColumns {
    std::span<const std::int32_t> source, target;
    std::span<const std::int64_t> bytes;
    std::span<const std::int64_t> delay;
    std::span<const std::int64_t> first_dependency;  // per step, and one past the end
    std::span<const std::int32_t> dependency;        // steps
    std::span<const std::uint8_t>
        dependency_sent;  // nonzero: wait until it is sent, else until it is delivered
};

struct ScheduleResult {
    std::vector<std::int64_t> start, sent, delivered;  // per step, in ticks
    std::vector<StationTotals> stations;               // in the order of Stations
    std::vector<double> waited;  // per station: seconds that packets have waited, all together
    std::int64_t events = 0;
    std::int64_t skipped = 0;  // of those events, known without playing them
    ShortCuts short_cuts;
    std::int64_t end = 0;  // when nothing was left to happen
};

// Throws std::invalid_argument on columns that do not fit together, std::domain_error when a target cannot be
// reached, std::runtime_error when steps wait for each other for ever.
[[nodiscard]] ScheduleResult simulate_schedule(Stations& stations, const ScheduleColumns& schedule,
                                               const RunOptions& options);

}  // namespace striate
