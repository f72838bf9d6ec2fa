// Collectives: each member of a group works through its own list of sends, receives and waits.
#include <algorithm>
#include <utility>

#include "program_runner.hpp"

#include "striate/refusal.hpp"

namespace striate {

namespace {

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

void ProgramRunner::start_collective(std::uint32_t rank) {
    const std::int32_t communicator = cursors_.communicator(rank);
    const std::int64_t group = groups(rank).group[rank];
    const std::int64_t first = first_member(rank);
    const std::int64_t members = groups(rank).first[place(group) + 1] - first;
    const CollectiveCalls::Wanted wanted = collectives_.wanted(rank, input_.open_bytes);
    const std::int64_t number = calls_[rank * input_.communicators.size() + place(communicator)]++;
    const std::int64_t schedule = collectives_.schedule(rank, wanted.call);
    open_part(rank, wanted.request);
    const bool only_meets = wanted.call.kind == Kind::barrier || cursors_.kind(rank) == Kind::open;
    if (schedule == CollectiveBook::unknown ? only_meets : book_.only_meets(schedule)) {
        return meet({communicator, group, number}, {rank, wanted.request}, members);
    }
    if (schedule == CollectiveBook::unknown) {
        throw Refusal(
            Reason::no_schedule,
            {.rank = rank, .row = cursors_.row(rank), .bytes = wanted.call.bytes, .count = members});
    }
    const bool reacts = book_.reacts(schedule);
    const auto [action, last_action] =
        reacts ? CollectiveBook::Range{} : book_.actions(schedule, groups(rank).position[rank]);
    const std::uint32_t index = take_task();
    tasks_[rank].quiet = !only_meets || wanted.call.kind == Kind::barrier;
    tasks_[index] = {.rank = rank,
                     .quiet = true,  // its steps are those of its schedule
                     .communicator = communicator,
                     .action = action,
                     .last_action = last_action,
                     .tag = number,
                     .first_member = first,
                     .request = wanted.request};
    if (steps_) steps_->start(index, rank, cursors_.row(rank));
    if (reacts) {
        tasks_[index].reaction =
            take_reaction({schedule, communicator, group, number, groups(rank).position[rank]});
    }
    act(index);
}

std::uint32_t ProgramRunner::take_task() {
    if (free_tasks_.empty()) {
        tasks_.emplace_back();
        return static_cast<std::uint32_t>(tasks_.size() - 1);
    }
    const std::uint32_t index = free_tasks_.back();
    free_tasks_.pop_back();
    return index;
}

// Carries out actions until one must wait, or all are done. The call itself is the first step; each wait ends
// a step, and the next one costs at least what any step costs.
void ProgramRunner::act(std::uint32_t index) {
    if (steps_) steps_->end_computing(index, network_->now());
    if (tasks_[index].file_work >= 0) return act_on_file(index);
    if (tasks_[index].reaction >= 0) return act_on_reaction(index);
    while (tasks_[index].action < tasks_[index].last_action) {
        const std::int64_t at = tasks_[index].action;
        const Action action = book_.action(at);
        if (action == Action::wait && tasks_[index].open > 0) return await(index);
        ++tasks_[index].action;
        if (steps_ && action == Action::wait) steps_->end(index, network_->now());
        if (action == Action::send || action == Action::recv) {
            ++tasks_[index].open;
            exchange(index, action == Action::send, book_.peer(at), book_.amount(at));
        } else if (action == Action::compute || tasks_[index].action < tasks_[index].last_action) {
            return take_collective_step(index, action == Action::compute ? at : at + 1);
        }
    }
    if (tasks_[index].open > 0) return await(index);
    if (steps_) steps_->end(index, network_->now());
    const Task done = tasks_[index];
    tasks_[index].phase = Task::Phase::over;
    free_tasks_.push_back(index);
    part_over(done.rank, done.request);
}

// The instructions of a step, if the action at its beginning tells any.
void ProgramRunner::take_collective_step(std::uint32_t index, std::int64_t at) {
    Task& task = tasks_[index];
    Ticks work = step(task.rank);
    if (book_.action(at) == Action::compute) {
        work = std::max(work, instructions(task.rank, book_.amount(at)));
        task.action = at + 1;
    }
    if (steps_) steps_->begin(index, network_->now(), book_.action(at) == Action::compute);
    task.phase = Task::Phase::stepping;
    start_job(task.rank, work, index);
}

void ProgramRunner::exchange(std::uint32_t index, bool outward, std::int32_t peer, std::int64_t payload) {
    const Task task = tasks_[index];
    const auto& member = input_.communicators[place(task.communicator)].member;
    const std::int64_t where = context(task.communicator, true);
    if (steps_) steps_->exchange(index, network_->now(), outward, peer, payload);
    if (peer == any) return messages_.receive({index, blocking}, task.rank, {where, task.tag, any});
    const auto other = static_cast<std::uint32_t>(member[place(task.first_member + peer)]);
    if (outward) {
        messages_.send_raw({index, blocking}, {where, task.tag, task.rank, other}, payload);
    } else {
        messages_.receive({index, blocking}, task.rank, {where, task.tag, other});
    }
}

// A barrier without a schedule: the last one to come lets all go on.
void ProgramRunner::meet(const Meeting& where, const PointToPoint::Caller& who, std::int64_t members) {
    auto& here = meetings_[where];
    here.push_back(who);
    if (static_cast<std::int64_t>(here.size()) < members) return;
    const auto everyone = std::move(here);
    meetings_.erase(where);
    for (const auto& caller : everyone) part_over(caller.owner, caller.request);
}

}  // namespace striate
