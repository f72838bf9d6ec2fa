// What collective calls ask of each member in all: bytes, messages and instructions, without their order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "striate/programs/collective_call.hpp"

namespace striate {

struct CollectiveSum {
    std::int64_t sent_bytes, received_bytes, sent_messages, received_messages, instructions;
};

struct CollectiveSumColumns {
    std::span<const std::int64_t> sent_bytes, received_bytes, sent_messages, received_messages, instructions;

    [[nodiscard]] std::size_t size() const { return sent_bytes.size(); }
    [[nodiscard]] CollectiveSum operator[](std::int64_t index) const {
        const auto at = static_cast<std::size_t>(index);
        return {sent_bytes[at], received_bytes[at], sent_messages[at], received_messages[at],
                instructions[at]};
    }
};

// Call c as all members make it costs member m, counted from the root, the sums at first_member[c] + m.
// Instead of a place first_member may say `meets` or `listed` (collective_call.hpp). What listed calls, and
// those whose sizes vary by rank, cost each rank is told per communicator, all calls together; empty where
// there are none.
struct CollectiveSumsInput {
    std::span<const std::uint8_t> kind;
    std::span<const std::int64_t> members, root, bytes, algorithm, first_member;
    CollectiveSumColumns member;
    std::vector<CollectiveSumColumns> listed;
};

class CollectiveSums {
  public:
    // Throws std::invalid_argument when columns do not fit together.
    explicit CollectiveSums(const CollectiveSumsInput& input, std::size_t ranks);

    // What the call costs the member at `position`; nothing where the call only meets, or is listed. Throws
    // std::invalid_argument for a call that has no sums.
    [[nodiscard]] std::optional<CollectiveSum> of(const CollectiveCall& call, std::int64_t position);

  private:
    const CollectiveSumsInput& in_;
    CollectiveIndex index_;
    CollectiveCall last_call_{};
    std::int64_t last_ = CollectiveIndex::unknown;
};

}  // namespace striate
