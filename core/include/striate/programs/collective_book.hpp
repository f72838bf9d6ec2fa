// Collective algorithms as data: what each member of a group sends and receives, step by step.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "striate/programs/collective_call.hpp"

namespace striate {

enum class Action : std::uint8_t {
    send,     // peer, bytes: payload as it goes on the wire
    recv,     // peer
    wait,     // for all sends and receives so far
    compute,  // instructions, after all sends and receives so far
};

// Schedule s holds one list of actions per member of a group of `members[s]`: member m's list is
// first_action[first_member[s] + m] up to first_action[first_member[s] + m + 1]. Peers are positions in the
// group. Instead of a place first_member may say `meets`, `listed` or `reacts` (collective_call.hpp); a
// listed call's schedule is named in the list of its group's calls.
//
// Group g of communicator c makes its listed calls, and all calls whose sizes vary by rank, in the order of
// call[first_call[first_group[c] + g]] up to call[first_call[first_group[c] + g + 1]]: numbers of schedules.
struct CollectiveColumns {
    static constexpr std::int64_t meets = CollectiveIndex::meets, listed = CollectiveIndex::listed,
                                  reacts = CollectiveIndex::reacts;

    std::span<const std::uint8_t> kind;  // per schedule: a Kind of program.hpp
    std::span<const std::int64_t> members, root, bytes;
    std::span<const std::int64_t> algorithm;  // as the program names it; empty: it names none
    std::span<const std::int64_t> first_member;
    std::span<const std::int64_t> first_action;
    std::span<const std::uint8_t> action;  // per action
    std::span<const std::int32_t> peer;
    std::span<const std::int64_t> amount;
    std::span<const std::int64_t> first_group;  // per communicator
    std::span<const std::int64_t> first_call;   // per group, and one past the end
    std::span<const std::int32_t> call;
};

class CollectiveBook {
  public:
    // Throws std::invalid_argument when columns do not fit together.
    explicit CollectiveBook(const CollectiveColumns& columns);

    using Call = CollectiveCall;
    static constexpr std::int64_t unknown = CollectiveIndex::unknown;

    // The schedule of the `number`-th listed call of a group, or unknown.
    [[nodiscard]] std::int64_t find_listed(std::int32_t communicator, std::int64_t group,
                                           std::int64_t number) const;
    [[nodiscard]] bool has_lists() const { return !columns_.call.empty(); }
    [[nodiscard]] bool is_listed(std::int64_t schedule) const {
        return columns_.first_member[static_cast<std::size_t>(schedule)] == CollectiveColumns::listed;
    }
    [[nodiscard]] bool only_meets(std::int64_t schedule) const {
        return columns_.first_member[static_cast<std::size_t>(schedule)] == CollectiveColumns::meets;
    }

    [[nodiscard]] bool reacts(std::int64_t schedule) const {
        return columns_.first_member[static_cast<std::size_t>(schedule)] == CollectiveColumns::reacts;
    }

    [[nodiscard]] std::int64_t members(std::int64_t schedule) const {
        return columns_.members[static_cast<std::size_t>(schedule)];
    }

    // The schedule written for exactly this call, or unknown.
    [[nodiscard]] std::int64_t find(const Call& call) const { return schedule_of_.find(call); }

    struct Range {
        std::int64_t first, end;
    };
    [[nodiscard]] Range actions(std::int64_t schedule, std::int64_t member) const {
        const auto at =
            static_cast<std::size_t>(columns_.first_member[static_cast<std::size_t>(schedule)] + member);
        return {columns_.first_action[at], columns_.first_action[at + 1]};
    }
    [[nodiscard]] Action action(std::int64_t at) const {
        return static_cast<Action>(columns_.action[static_cast<std::size_t>(at)]);
    }
    [[nodiscard]] std::int32_t peer(std::int64_t at) const {
        return columns_.peer[static_cast<std::size_t>(at)];
    }
    [[nodiscard]] std::int64_t amount(std::int64_t at) const {
        return columns_.amount[static_cast<std::size_t>(at)];
    }

  private:
    void expect_lists() const;

    CollectiveColumns columns_;
    CollectiveIndex schedule_of_;
};

}  // namespace striate
