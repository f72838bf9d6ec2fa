// How much one rank sends and receives in a collective call, by the algorithm MPI libraries choose by
// default.
#pragma once

#include <cstdint>

#include "striate/programs/program.hpp"

namespace striate {

struct Volume {
    std::int64_t sent_bytes = 0;
    std::int64_t received_bytes = 0;
    std::int64_t received_messages = 0;  // each costs a latency
};

// The volume of `kind` for the rank at `position` of a group of `size`; `root` is a position too.
// Trees are binomial, rings for allgather, pairwise exchange for alltoall; allreduce doubles recursively
// up to `reduce_scatter_from` bytes and is a reduce-scatter with an allgather beyond.
[[nodiscard]] Volume volume_of(Kind kind, std::int64_t size, std::int64_t position, std::int64_t root,
                               std::int64_t bytes);

inline constexpr std::int64_t reduce_scatter_from = 8192;

}  // namespace striate
