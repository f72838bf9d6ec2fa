#include "striate/programs/collective_sums.hpp"

#include <algorithm>
#include <stdexcept>

namespace striate {

namespace {

bool fits(const CollectiveSumColumns& sums) {
    const auto same = [&](std::size_t size) { return size == sums.size(); };
    return same(sums.received_bytes.size()) && same(sums.sent_messages.size()) &&
           same(sums.received_messages.size()) && same(sums.instructions.size());
}

}  // namespace

CollectiveSums::CollectiveSums(const CollectiveSumsInput& input, std::size_t ranks) : in_(input) {
    const std::size_t calls = input.kind.size();
    for (const auto& column : {input.members, input.root, input.bytes, input.algorithm, input.first_member}) {
        if (column.size() != calls)
            throw std::invalid_argument("the columns of the collective sums differ in length");
    }
    const bool listed = std::ranges::all_of(input.listed, [&](const CollectiveSumColumns& sums) {
        return fits(sums) && (sums.size() == 0 || sums.size() == ranks);
    });
    if (!fits(input.member) || !listed) {
        throw std::invalid_argument("sums of collective calls for another number of members");
    }
    for (std::size_t call = 0; call < calls; ++call) {
        const std::int64_t first = input.first_member[call];
        const bool placed = first == CollectiveIndex::meets || first == CollectiveIndex::listed;
        if (!placed && (first < 0 || input.members[call] < 1 ||
                        first + input.members[call] > static_cast<std::int64_t>(input.member.size()))) {
            throw std::invalid_argument("sums of a collective call outside their columns");
        }
        index_.add({static_cast<Kind>(input.kind[call]), input.members[call], input.root[call],
                    input.bytes[call], input.algorithm[call]},
                   static_cast<std::int64_t>(call));
    }
}

std::optional<CollectiveSum> CollectiveSums::of(const CollectiveCall& call, std::int64_t position) {
    if (last_ == CollectiveIndex::unknown || !(call == last_call_)) {  // neighbours make the same call
        last_ = index_.find(call);
        last_call_ = call;
    }
    if (last_ == CollectiveIndex::unknown) throw std::invalid_argument("a collective call without sums");
    const std::int64_t first = in_.first_member[static_cast<std::size_t>(last_)];
    if (first < 0) return std::nullopt;
    return in_.member[first + (position - call.root + call.members) % call.members];
}

}  // namespace striate
