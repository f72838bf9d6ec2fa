// What members of collective calls do inside them, step by step, as bars of a timeline.
#pragma once

#include <cstdint>
#include <vector>

#include "striate/events/timeline.hpp"
#include "striate/layout/extents.hpp"

namespace striate {

// A task is one member in one call. A step lasts from its first message, access or instruction to the moment
// when all that it began is over; computing has a bar of its own.
class CollectiveSteps {
  public:
    explicit CollectiveSteps(Timeline& timeline) : timeline_(timeline) {}

    // The task belongs to a call of `rank` that stands in `row` of the program table.
    void start(std::uint32_t task, std::uint32_t rank, std::uint32_t row);
    // A step begins on the rank's CPU; it `computes` where the algorithm says so.
    void begin(std::uint32_t task, Ticks now, bool computes);
    void end_computing(std::uint32_t task, Ticks now);
    // A message of the step: out, of `bytes`, or in, whose bytes `receive` tells. The peer may be any.
    void exchange(std::uint32_t task, Ticks now, bool outward, std::int32_t peer, std::int64_t bytes);
    void receive(std::uint32_t task, std::int64_t source, std::int64_t bytes);
    void access(std::uint32_t task, Ticks now, bool writes, const RunsView& runs);
    // All that the step began is over.
    void end(std::uint32_t task, Ticks now);

  private:
    static constexpr Ticks no_time = -1;
    static constexpr std::int32_t nobody = -1, several = -2;
    struct Step {
        std::uint32_t rank = 0, row = 0;
        Ticks began = no_time, computes_since = no_time;
        std::int64_t sent = 0, received = 0, accessed = 0, offset = -1;
        std::int32_t target = nobody, source = nobody;
        bool sends = false, receives = false, accesses = false, writes = false;
    };

    [[nodiscard]] Step& open(std::uint32_t task, Ticks now);
    [[nodiscard]] static Bar bar_of(const Step& step);

    Timeline& timeline_;
    std::vector<Step> steps_;
};

}  // namespace striate
