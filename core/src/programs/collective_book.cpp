#include "striate/programs/collective_book.hpp"

#include <algorithm>

namespace striate {

CollectiveBook::CollectiveBook(const CollectiveColumns& columns) : columns_(columns) {
    const std::size_t schedules = columns.kind.size();
    if (columns.members.size() != schedules || columns.root.size() != schedules ||
        columns.bytes.size() != schedules || columns.first_member.size() != schedules ||
        (!columns.algorithm.empty() && columns.algorithm.size() != schedules)) {
        throw std::invalid_argument("the columns of the collective schedules differ in length");
    }
    const auto actions = static_cast<std::int64_t>(columns.action.size());
    if (columns.peer.size() != columns.action.size() || columns.amount.size() != columns.action.size()) {
        throw std::invalid_argument("the columns of the collective actions differ in length");
    }
    const auto& first = columns.first_action;
    if (schedules > 0 && (first.empty() || first.front() != 0 || first.back() != actions ||
                          !std::is_sorted(first.begin(), first.end()))) {
        throw std::invalid_argument("first_action must rise from 0 to the number of actions");
    }
    for (std::size_t schedule = 0; schedule < schedules; ++schedule) {
        const std::int64_t start = columns.first_member[schedule];
        const std::int64_t members = columns.members[schedule];
        const auto kind = static_cast<Kind>(columns.kind[schedule]);
        const std::int64_t algorithm = columns.algorithm.empty() ? -1 : columns.algorithm[schedule];
        if (!is_varying(kind)) {
            schedule_of_.add({kind, members, columns.root[schedule], columns.bytes[schedule], algorithm},
                             static_cast<std::int64_t>(schedule));
        }
        if (start <= CollectiveColumns::meets && start >= CollectiveColumns::reacts) continue;
        if (start < 0 || members < 1 || start + members >= static_cast<std::int64_t>(first.size())) {
            throw std::invalid_argument("a collective schedule outside first_action");
        }
        for (auto at = static_cast<std::size_t>(first[static_cast<std::size_t>(start)]);
             at < static_cast<std::size_t>(first[static_cast<std::size_t>(start + members)]); ++at) {
            if (columns.action[at] > 3) throw std::invalid_argument("an unknown collective action");
            const bool communicates = columns.action[at] <= 1;
            if (communicates &&
                (columns.peer[at] < 0 || columns.peer[at] >= members || columns.amount[at] < 0)) {
                throw std::invalid_argument(
                    "a collective action with a peer outside its group or negative bytes");
            }
        }
    }
    expect_lists();
}

void CollectiveBook::expect_lists() const {
    const auto groups = static_cast<std::int64_t>(columns_.first_call.size()) - 1;
    const auto& first = columns_.first_call;
    if (groups >= 0 &&
        (first.front() != 0 || first.back() != static_cast<std::int64_t>(columns_.call.size()) ||
         !std::is_sorted(first.begin(), first.end()))) {
        throw std::invalid_argument("first_call must rise from 0 to the number of calls");
    }
    for (const std::int64_t group : columns_.first_group) {
        if (group < 0 || group > groups) throw std::invalid_argument("a first group outside first_call");
    }
    for (const std::int32_t schedule : columns_.call) {
        const bool there = schedule >= 0 && static_cast<std::size_t>(schedule) < columns_.kind.size();
        if (!there || is_listed(schedule)) throw std::invalid_argument("a listed call without a schedule");
    }
}

std::int64_t CollectiveBook::find_listed(std::int32_t communicator, std::int64_t group,
                                         std::int64_t number) const {
    if (static_cast<std::size_t>(communicator) >= columns_.first_group.size()) return unknown;
    const auto at =
        static_cast<std::size_t>(columns_.first_group[static_cast<std::size_t>(communicator)] + group);
    if (at + 1 >= columns_.first_call.size()) return unknown;
    const std::int64_t call = columns_.first_call[at] + number;
    return call < columns_.first_call[at + 1] ? columns_.call[static_cast<std::size_t>(call)] : unknown;
}

}  // namespace striate
