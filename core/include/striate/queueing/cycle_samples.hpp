// Times of single cycles of the closed networks, whose means other files have exactly: a simulation.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace striate {

// `population` jobs; a cycle is a number of loops, each a delay and a visit to the bus, and then a visit to a
// disk. All times are exponential, queues are first come, first served. Job j uses disk j modulo `disks`.
struct CycleNetwork {
    std::int64_t population = 1, disks = 1;
    double delay = 0, bus = 0, disk = 0;  // means of one visit
    double loops = 1;                     // mean number of loops; from 1
    bool fixed = false;  // always that number, between two whole ones a mixture; else geometric
};

// Times of `samples` cycles, in no order. `together`: all jobs begin a cycle at once, it ends when the last
// has left the bus and one access to the disks is over (SIO); else every job goes on alone, and the times are
// those of all jobs once they have forgotten how they began. Fewer samples where `most_visits` to the bus are
// made first. `keep_going` is called from time to time and may throw.
[[nodiscard]] std::vector<double> cycle_samples(const CycleNetwork& network, bool together,
                                                std::int64_t samples, std::int64_t most_visits,
                                                const std::function<void()>& keep_going);

}  // namespace striate
