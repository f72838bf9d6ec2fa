// Collectives whose members are asked step by step what they do.
#include "program_runner.hpp"

namespace striate {

namespace {

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

std::int32_t ProgramRunner::take_reaction(const ActingMember& member) {
    auto index = static_cast<std::int32_t>(reactions_.size());
    if (free_reactions_.empty()) {
        reactions_.emplace_back();
    } else {
        index = free_reactions_.back();
        free_reactions_.pop_back();
        reactions_[place(index)] = {};
    }
    reactions_[place(index)].member = member;
    return index;
}

// As in a written schedule: a step computes, starts its messages, and is over when all of them are. The call
// itself is the first step; each further one costs at least what any step costs.
void ProgramRunner::act_on_reaction(std::uint32_t index) {
    const std::size_t mine = place(tasks_[index].reaction);
    while (true) {
        if (reactions_[mine].prepared) {
            reactions_[mine].prepared = false;
            const std::vector<ActorStep> started = std::move(reactions_[mine].step);
            for (const ActorStep& one : started) {
                if (one.action == Action::compute) continue;
                ++tasks_[index].open;
                exchange(index, one.action == Action::send, one.peer, one.amount);
            }
        }
        if (tasks_[index].open > 0) return await(index);
        if (steps_) steps_->end(index, network_->now());
        Reaction& reaction = reactions_[mine];
        const std::vector<std::int64_t> heard = std::move(reaction.heard);
        reaction.heard.clear();
        reaction.step.clear();
        if (!input_.actor->next(reaction.member, heard, network_->now(), reaction.step)) break;
        reaction.prepared = true;
        Ticks work = reaction.first ? 0 : step(tasks_[index].rank);
        reaction.first = false;
        bool computes = false;
        for (const ActorStep& one : reaction.step) {
            if (one.action == Action::compute) {
                work = std::max(work, instructions(tasks_[index].rank, one.amount));
                computes = true;
            }
        }
        if (work > 0) {
            if (steps_) steps_->begin(index, network_->now(), computes);
            tasks_[index].phase = Task::Phase::stepping;
            return start_job(tasks_[index].rank, work, index);
        }
    }
    const Task done = tasks_[index];
    tasks_[index].phase = Task::Phase::over;
    tasks_[index].reaction = -1;
    free_reactions_.push_back(static_cast<std::int32_t>(mine));
    free_tasks_.push_back(index);
    part_over(done.rank, done.request);
}

// The sender, as the task's communicator counts ranks.
std::int64_t ProgramRunner::position_in(const Task& task, const Envelope& message) const {
    return input_.communicators[place(task.communicator)].position[message.source];
}

}  // namespace striate
