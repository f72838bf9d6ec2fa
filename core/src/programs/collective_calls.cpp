#include "striate/programs/collective_calls.hpp"

#include <stdexcept>

#include "striate/refusal.hpp"

namespace striate {

CollectiveCalls::Wanted CollectiveCalls::wanted(std::uint32_t rank, std::int64_t open_bytes) const {
    const Kind kind = cursors_.kind(rank);
    const auto operand = [&](int at) {
        return at < 0 ? 0 : cursors_.operand(rank, static_cast<std::size_t>(at));
    };
    const auto group = static_cast<std::size_t>(groups(rank).group[rank]);
    const std::int64_t members = groups(rank).first[group + 1] - groups(rank).first[group];
    if (kind == Kind::open) return {{Kind::bcast, members, 0, open_bytes}, blocking};
    if (kind < Kind::barrier || kind > Kind::reduce_scatter) {
        throw Refusal(Reason::unknown_operation, {.rank = rank, .row = cursors_.row(rank)});
    }
    const CollectiveOperands at = collective_operands(kind);
    return {{kind, members, operand(at.root), operand(at.bytes), operand(at.algorithm)}, operand(at.request)};
}

std::int64_t CollectiveCalls::schedule(std::uint32_t rank, const CollectiveBook::Call& call) {
    std::int64_t schedule = is_varying(call.kind) ? CollectiveBook::unknown : book_.find(call);
    const bool listed =
        schedule == CollectiveBook::unknown ? is_varying(call.kind) : book_.is_listed(schedule);
    if (!listed) return schedule;
    if (made_.empty() || cursors_.kind(rank) == Kind::open) return CollectiveBook::unknown;
    const std::int32_t communicator = cursors_.communicator(rank);
    const std::size_t at = rank * communicators_.size() + static_cast<std::size_t>(communicator);
    schedule = book_.find_listed(communicator, groups(rank).group[rank], made_[at]++);
    if (schedule != CollectiveBook::unknown && book_.members(schedule) != call.members) {
        throw std::invalid_argument("a listed call of another group's size");
    }
    return schedule;
}

}  // namespace striate
