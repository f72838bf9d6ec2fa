// Who belongs together in one communicator (striate.workload.application.Groups).
#pragma once

#include <cstdint>
#include <span>

namespace striate {

struct GroupColumns {
    std::span<const std::int64_t> group;     // per rank, -1 outside
    std::span<const std::int64_t> position;  // per rank
    std::span<const std::int64_t> first;     // per group, and one past the end
    std::span<const std::int64_t> member;    // world ranks
};

}  // namespace striate
