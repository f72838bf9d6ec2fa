#include "striate/collective_book.hpp"

#include <algorithm>

namespace striate {

CollectiveBook::CollectiveBook(const CollectiveColumns& columns) : columns_(columns) {
    const std::size_t schedules = columns.kind.size();
    if (columns.members.size() != schedules || columns.root.size() != schedules ||
        columns.bytes.size() != schedules || columns.first_member.size() != schedules) {
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
        if (start < 0 || members < 1 || start + members >= static_cast<std::int64_t>(first.size())) {
            throw std::invalid_argument("a collective schedule outside first_action");
        }
        for (auto at = static_cast<std::size_t>(first[static_cast<std::size_t>(start)]);
             at < static_cast<std::size_t>(first[static_cast<std::size_t>(start + members)]); ++at) {
            if (columns.action[at] > 3) throw std::invalid_argument("an unknown collective action");
            const bool talks = columns.action[at] <= 1;
            if (talks && (columns.peer[at] < 0 || columns.peer[at] >= members || columns.amount[at] < 0)) {
                throw std::invalid_argument(
                    "a collective action with a peer outside its group or negative bytes");
            }
        }
        schedule_of_[{static_cast<Kind>(columns.kind[schedule]), members, columns.root[schedule],
                      columns.bytes[schedule]}] = static_cast<std::int64_t>(schedule);
    }
}

}  // namespace striate
