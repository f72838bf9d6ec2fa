// What is said when a run ends and something is still open.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "program_runner.hpp"

namespace striate {

namespace {

constexpr std::size_t most_named = 8;

std::string name(std::int64_t value) { return value == any ? std::string("any") : std::to_string(value); }

void add(std::string& list, const std::string& item) { list.append(list.empty() ? "" : "; ").append(item); }

bool is_collective(std::int64_t context) { return context % 2 != 0; }

}  // namespace

std::string ProgramRunner::place_of(std::uint32_t rank) const {
    std::string text = "rank " + std::to_string(rank);
    if (tasks_[rank].phase == Task::Phase::over) return text;
    return text.append(" at row ").append(std::to_string(cursors_.row(rank)));
}

// A collective's messages are its own: of them only who waits for whom is told.
std::string ProgramRunner::describe(const PointToPoint::Open& open) const {
    std::string text = place_of(tasks_[open.owner].rank);
    if (is_collective(open.context)) {
        return text.append(open.is_send ? " sends to rank " : " waits for rank ").append(name(open.peer));
    }
    text.append(open.is_send ? " sends to rank " : " receives from rank ").append(name(open.peer));
    return text.append(" with tag ").append(name(open.tag));
}

std::string ProgramRunner::who_waits() const {
    std::string list;
    std::size_t named = 0;
    for (const auto& open : messages_.open_operations()) {
        if (tasks_[tasks_[open.owner].rank].phase == Task::Phase::over) continue;
        if (open.is_send && is_collective(open.context)) continue;  // gone, and not waited for
        if (++named <= most_named) add(list, describe(open));
    }
    if (named > most_named) add(list, "and " + std::to_string(named - most_named) + " more");
    for (const auto& [where, joined] : file_meetings_) {
        std::string ranks;
        for (std::size_t i = 0; i < std::min(joined.size(), most_named); ++i) {
            ranks.append(i > 0 ? ", " : "").append(std::to_string(joined[i].rank));
        }
        add(list, "in a call on file " + std::to_string(joined.front().file) + " of communicator " +
                      std::to_string(std::get<0>(where)) + ": rank " + ranks +
                      (joined.size() > most_named ? ", ..." : ""));
    }
    for (const auto& [where, callers] : meetings_) add(list, who_meets(where, callers));
    return list;
}

// All have to come; those who have wait for those who have not.
std::string ProgramRunner::who_meets(const Meeting& where,
                                     const std::vector<PointToPoint::Caller>& callers) const {
    std::string here, missing;
    std::size_t absent = 0;
    std::vector<bool> came(requests_.size());
    for (std::size_t i = 0; i < callers.size(); ++i) {
        const std::uint32_t rank = tasks_[callers[i].owner].rank;
        came[rank] = true;
        if (i < most_named) here.append(i > 0 ? ", " : "").append(place_of(rank));
    }
    const GroupColumns& groups = input_.communicators[static_cast<std::size_t>(std::get<0>(where))];
    const auto group = static_cast<std::size_t>(std::get<1>(where));
    for (auto at = groups.first[group]; at < groups.first[group + 1]; ++at) {
        const auto rank = static_cast<std::uint32_t>(groups.member[static_cast<std::size_t>(at)]);
        if (came[rank]) continue;
        if (++absent <= most_named) missing.append(absent > 1 ? ", " : "").append(std::to_string(rank));
    }
    return here.append(callers.size() > most_named ? ", ..." : "")
        .append(" wait in a collective for rank ")
        .append(missing)
        .append(absent > most_named ? ", ..." : "");
}

void ProgramRunner::expect_all_over() const {
    std::set<std::uint32_t> waiting;  // a rank in a collective has a task for it, too
    for (const Task& task : tasks_) {
        if (task.phase != Task::Phase::over) waiting.insert(task.rank);
    }
    if (!waiting.empty()) {
        const std::string words = waiting.size() == 1 ? " rank waits" : " ranks wait";
        throw Deadlock(std::to_string(waiting.size()) + words + " for ever: " + who_waits());
    }
    std::string lost;
    std::size_t named = 0;
    for (const auto& open : messages_.open_operations()) {
        if (++named <= most_named) add(lost, describe(open));
    }
    if (named > 0) throw Unreceived(std::to_string(named) + " left over at the end: " + lost);
}

}  // namespace striate
