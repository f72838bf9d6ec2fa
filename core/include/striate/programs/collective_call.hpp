// A collective call as all members of its group make it, and how what was made for it is found again.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "striate/programs/program.hpp"

namespace striate {

struct CollectiveCall {
    Kind kind;
    std::int64_t members, root, bytes;
    std::int64_t algorithm = -1;  // as the program names it; -1: it names none
    friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
};

// Which operands of a row say what; -1: none does, and 0 is meant.
struct CollectiveOperands {
    int bytes, root, algorithm, request;
};
[[nodiscard]] constexpr CollectiveOperands collective_operands(Kind kind) {
    if (kind == Kind::barrier) return {-1, -1, 0, 1};
    if (is_rooted(kind)) return {0, 1, 2, 3};
    if (kind == Kind::alltoallv || kind == Kind::reduce_scatter) return {0, -1, 2, 3};
    return {0, -1, 1, 2};
}

class CollectiveIndex {
  public:
    // Places that stand for no schedule: `meets`, all members go on when the last has come, at no cost;
    // `listed`, the schedule depends on the group and is told apart from the others by the call's place;
    // `reacts`, members are asked step by step what they do (collective_actor.hpp).
    static constexpr std::int64_t meets = -1, listed = -2, reacts = -3;
    static constexpr std::int64_t unknown = -1;

    void add(const CollectiveCall& call, std::int64_t number) { number_of_[call] = number; }
    [[nodiscard]] std::int64_t find(const CollectiveCall& call) const {
        const auto found = number_of_.find(call);
        return found == number_of_.end() ? unknown : found->second;
    }

  private:
    struct Hash {
        std::size_t operator()(const CollectiveCall& call) const {
            std::uint64_t mixed = static_cast<std::uint64_t>(call.kind);
            for (const std::int64_t part : {call.members, call.root, call.bytes, call.algorithm}) {
                mixed = (mixed ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15U;
                mixed ^= mixed >> 29;
            }
            return static_cast<std::size_t>(mixed);
        }
    };
    std::unordered_map<CollectiveCall, std::int64_t, Hash> number_of_;
};

}  // namespace striate
