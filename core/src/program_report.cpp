// What is said when a run ends and something is still open.
#include <algorithm>

#include "program_runner.hpp"

namespace striate {

namespace {

constexpr std::size_t most_named = 8;

std::string name(std::int64_t value) { return value == any ? std::string("any") : std::to_string(value); }

void add(std::string& list, const std::string& item) { list.append(list.empty() ? "" : "; ").append(item); }

}  // namespace

std::string ProgramRunner::describe(const PointToPoint::Open& open) const {
    const std::uint32_t rank = tasks_[open.owner].rank;
    std::string text = "rank " + std::to_string(rank);
    if (tasks_[rank].phase != Task::Phase::over)
        text.append(" at row ").append(std::to_string(cursors_.row(rank)));
    text.append(open.is_send ? " sends to rank " : " receives from rank ").append(name(open.peer));
    return text.append(" with tag ").append(name(open.tag));
}

std::string ProgramRunner::who_waits() const {
    std::string list;
    std::size_t named = 0;
    for (const auto& open : messages_.open_operations()) {
        if (tasks_[tasks_[open.owner].rank].phase == Task::Phase::over) continue;
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
    for (const auto& [where, callers] : meetings_) {
        std::string ranks;
        for (std::size_t i = 0; i < std::min(callers.size(), most_named); ++i) {
            ranks.append(i > 0 ? ", " : "").append(std::to_string(callers[i].owner));
        }
        add(list, "in a barrier of communicator " + std::to_string(std::get<0>(where)) + ": rank " + ranks +
                      (callers.size() > most_named ? ", ..." : ""));
    }
    return list;
}

void ProgramRunner::expect_all_over() const {
    const auto waiting = std::count_if(tasks_.begin(), tasks_.end(),
                                       [](const Task& task) { return task.phase != Task::Phase::over; });
    if (waiting > 0) throw Deadlock(std::to_string(waiting) + " wait for ever: " + who_waits());
    std::string lost;
    std::size_t named = 0;
    for (const auto& open : messages_.open_operations()) {
        if (++named <= most_named) add(lost, describe(open));
    }
    if (named > 0) throw Unreceived(std::to_string(named) + " left over at the end: " + lost);
}

}  // namespace striate
