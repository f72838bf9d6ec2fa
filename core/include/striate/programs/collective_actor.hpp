// A collective whose members decide step by step, by what they have heard: a user's own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/programs/collective_book.hpp"

namespace striate {

// One member of one call of a group.
struct ActingMember {
    std::int64_t schedule;  // the call's number in the book
    std::int32_t communicator;
    std::int64_t group, number;  // the group's number-th collective call
    std::int64_t position;       // in the group
};

// A send, a receive (its peer may be `any`), or instructions to compute before both.
struct ActorStep {
    Action action;
    std::int32_t peer;
    std::int64_t amount;
};

class CollectiveActor {
  public:
    virtual ~CollectiveActor() = default;
    // What the member does next, all at once; false: it has come to the end. `heard` are the senders of the
    // messages that its last step received, as positions, in the order in which they were matched.
    [[nodiscard]] virtual bool next(const ActingMember& member, std::span<const std::int64_t> heard,
                                    Ticks now, std::vector<ActorStep>& step) = 0;
};

}  // namespace striate
