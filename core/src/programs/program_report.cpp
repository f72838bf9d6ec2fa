// What is told when a run ends and something is still open.
#include <cstdint>
#include <set>
#include <vector>

#include "program_runner.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr std::size_t most_told = 8;

bool is_collective(std::int64_t context) { return context % 2 != 0; }

WaitKind kind_of(const PointToPoint::Open& open) {
    if (is_collective(open.context))
        return open.is_send ? WaitKind::collective_send : WaitKind::collective_receive;
    return open.is_send ? WaitKind::send : WaitKind::receive;
}

template <class Item>
void tell(std::vector<Item>& told, std::int64_t& all, const Item& item) {
    if (told.size() < most_told) told.push_back(item);
    ++all;
}

}  // namespace

RankRow ProgramRunner::place_of(std::uint32_t rank) const {
    const bool over = tasks_[rank].phase == Task::Phase::over;
    return {rank, over ? -1 : std::int64_t{cursors_.row(rank)}};
}

Wait ProgramRunner::wait_of(const PointToPoint::Open& open) const {
    return {.kind = kind_of(open),
            .places = {place_of(tasks_[open.owner].rank)},
            .peers = {open.peer},
            .tag = open.tag};
}

std::vector<Wait> ProgramRunner::who_waits() const {
    std::vector<Wait> waits;
    std::int64_t all = 0;
    for (const auto& open : messages_.open_operations()) {
        if (tasks_[tasks_[open.owner].rank].phase == Task::Phase::over) continue;
        if (open.is_send && is_collective(open.context)) continue;  // gone, and not waited for
        tell(waits, all, wait_of(open));
    }
    if (std::int64_t more = all - std::ssize(waits); more > 0) {
        waits.push_back({.kind = WaitKind::others, .all_places = more});
    }
    for (const auto& [where, joined] : file_meetings_) {
        Wait wait{.kind = WaitKind::file,
                  .file = joined.front().file,
                  .communicator = std::get<0>(where),
                  .all_places = 0};
        for (const auto& one : joined) tell(wait.places, wait.all_places, place_of(one.rank));
        waits.push_back(wait);
    }
    for (const auto& [origin, target] : memory_.waiting()) {
        waits.push_back({.kind = WaitKind::step, .places = {place_of(origin)}, .peers = {target}});
    }
    for (const auto& [where, callers] : meetings_) waits.push_back(who_meets(where, callers));
    return waits;
}

// All have to come; those who have wait for those who have not.
Wait ProgramRunner::who_meets(const Meeting& where, const std::vector<PointToPoint::Caller>& callers) const {
    Wait wait{.kind = WaitKind::meeting, .communicator = std::get<0>(where), .all_places = 0, .all_peers = 0};
    std::vector<bool> came(requests_.size());
    for (const auto& caller : callers) {
        const std::uint32_t rank = tasks_[caller.owner].rank;
        came[rank] = true;
        tell(wait.places, wait.all_places, place_of(rank));
    }
    const GroupColumns& groups = input_.communicators[static_cast<std::size_t>(std::get<0>(where))];
    const auto group = static_cast<std::size_t>(std::get<1>(where));
    for (auto at = groups.first[group]; at < groups.first[group + 1]; ++at) {
        const std::int64_t rank = groups.member[static_cast<std::size_t>(at)];
        if (!came[static_cast<std::size_t>(rank)]) tell(wait.peers, wait.all_peers, rank);
    }
    return wait;
}

void ProgramRunner::expect_all_over() const {
    std::set<std::uint32_t> waiting;  // a rank in a collective has a task for it, too
    for (const Task& task : tasks_) {
        if (task.phase != Task::Phase::over) waiting.insert(task.rank);
    }
    if (!waiting.empty()) throw Refusal(Reason::deadlock, {.count = std::ssize(waiting)}, who_waits());
    std::vector<Wait> lost;
    std::int64_t all = 0;
    for (const auto& open : messages_.open_operations()) tell(lost, all, wait_of(open));
    if (all > 0) throw Refusal(Reason::unreceived, {.count = all}, lost);
}

}  // namespace striate
