// CPUs of nodes, shared equally: with more jobs than CPUs every job runs at CPUs / jobs of full speed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/network/rate.hpp"

namespace striate {

// Keeps, per node, a clock of work done per job; a job ends when that clock reaches its start plus its work.
// So starting or ending a job touches that clock alone, not every job. The end of a job is
// noticed a moment later.
class Processors {
  public:
    static constexpr Ticks usual_notice = 1000;
    static constexpr std::uint32_t generations = 1U << 29;  // then they count from 0 again

    Processors(std::span<const std::int32_t> cpus_per_node, Rounding rounding);

    // When to look at the node next. `generation` tells a later call whether plans have changed meanwhile.
    struct Alarm {
        Ticks time = -1;  // -1: nothing new to wait for
        std::uint32_t generation = 0;
    };

    // A job of `work` ticks at full speed starts now. Throws std::invalid_argument on negative work.
    [[nodiscard]] Alarm start(std::uint32_t node, Ticks now, Ticks work, std::uint64_t cookie,
                              Ticks notice = usual_notice);

    // The alarm has gone off: appends the cookies of the jobs that are over, in order of (end, cookie).
    [[nodiscard]] Alarm finish(std::uint32_t node, Ticks now, std::uint32_t generation,
                               std::vector<std::uint64_t>& over);

    // CPU time the node's jobs have taken.
    [[nodiscard]] Ticks busy(std::uint32_t node) const { return nodes_[node].busy; }

  private:
    struct Job {
        Ticks end;  // on the node's clock of work
        std::uint64_t cookie;
        Ticks notice;
        friend bool operator>(const Job& left, const Job& right) {
            return left.end != right.end ? left.end > right.end : left.cookie > right.cookie;
        }
    };
    struct Node {
        std::int64_t cpus;
        Ticks work = 0;   // done per job since the beginning
        Ticks since = 0;  // when that was true
        Ticks busy = 0;
        std::uint32_t generation = 0;
        std::vector<Job> jobs;  // a heap, the next to end on top
    };

    static void catch_up(Node& node, Ticks now);
    [[nodiscard]] Alarm plan(Node& node, Ticks now) const;

    std::vector<Node> nodes_;
    Rounding rounding_;
};

}  // namespace striate
