// Collective access by way of aggregators: the plan of two-phase I/O, played as messages and accesses.
#include <algorithm>
#include <utility>

#include "program_runner.hpp"
#include "striate/events/clock_sums.hpp"
#include "striate/storage/two_phase.hpp"

namespace striate {

namespace {

constexpr std::int64_t exchange_header = 20;  // before the data of a message of a collective call

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

// Positions in the group.
std::vector<std::int64_t> ProgramRunner::aggregators(const std::vector<Joined>& members,
                                                     const CollectiveRule& rule) const {
    const std::int64_t size = std::ssize(members);
    std::vector<std::int64_t> chosen;
    if (rule.aggregators == CollectiveRule::one_a_node) {
        std::vector<std::uint32_t> nodes;
        for (std::int64_t position = 0; position < size; ++position) {
            const std::uint32_t home = node(members[place(position)].rank);
            if (std::find(nodes.begin(), nodes.end(), home) != nodes.end()) continue;
            nodes.push_back(home);
            chosen.push_back(position);
        }
        return chosen;
    }
    const bool all = rule.aggregators == CollectiveRule::every_member || rule.aggregators > size;
    const std::int64_t count = all ? size : rule.aggregators;
    for (std::int64_t number = 0; number < count; ++number) chosen.push_back(number * size / count);
    return chosen;
}

// Every member lists its runs, and gets its list of steps. In a round of a write it sends to the aggregators,
// which have merged the lists of their domains and then access the file; a read goes the other way round.
// Where rounds are pipelined an aggregator has two buffers: it waits for the access of a round together with
// the exchange of the next.
void ProgramRunner::exchange_access(std::vector<Joined> everyone, const Meeting& where,
                                    const CollectiveRule& rule) {
    const GroupColumns& family = input_.communicators[place(std::get<0>(where))];
    std::sort(everyone.begin(), everyone.end(), [&](const Joined& left, const Joined& right) {
        return family.position[left.rank] < family.position[right.rank];
    });
    std::vector<std::int64_t> first_run{0}, offsets, sizes;
    for (const Joined& one : everyone) {
        offsets.insert(offsets.end(), one.runs.offsets.begin(), one.runs.offsets.end());
        sizes.insert(sizes.end(), one.runs.sizes.begin(), one.runs.sizes.end());
        first_run.push_back(std::ssize(offsets));
    }
    const bool write = everyone.front().writes;
    const CollectiveAccess asked{first_run, offsets, sizes};
    std::vector<std::int64_t> chosen;  // aggregators, as positions in the group
    TwoPhasePlan plan;
    if (CollectivePlanner* const planner = input_.files->planner; planner != nullptr) {
        std::vector<std::int64_t> ranks;
        for (const Joined& one : everyone) {
            chosen.push_back(std::ssize(chosen));
            ranks.push_back(one.rank);
        }
        plan = plan_pieces(asked, planner->pieces(everyone.front().file, write, asked, ranks));
    } else {
        chosen = aggregators(everyone, rule);
        plan = plan_two_phase(asked, {chosen, rule.buffer_bytes, rule.align_bytes, rule.cyclic});
    }

    using What = FileStep::What;
    const bool pipelined = rule.method == CollectiveMethod::pipelined;
    std::vector<std::vector<FileStep>> steps(everyone.size());
    std::size_t move = 0, access = 0;
    const auto exchange = [&](std::int64_t round) {
        std::vector<bool> busy(everyone.size());
        for (; move < plan.move_round.size() && plan.move_round[move] == round; ++move) {
            const std::int64_t rank = plan.move_rank[move], peer = chosen[place(plan.move_aggregator[move])];
            if (rank == peer) continue;
            const std::int64_t source = write ? rank : peer, target = write ? peer : rank;
            const std::int64_t bytes = plan.move_bytes[move] + exchange_header;
            steps[place(source)].push_back({What::send, static_cast<std::int32_t>(target), bytes, {}});
            steps[place(target)].push_back({What::receive, static_cast<std::int32_t>(source), 0, {}});
            busy[place(source)] = busy[place(target)] = true;
        }
        return busy;
    };
    const auto list_runs = [&](std::size_t member, std::int64_t runs) {
        if (input_.files->piece_ticks > 0 && runs > 0) steps[member].push_back({What::list, 0, runs, {}});
    };
    const auto each_move = [&](std::int64_t round, const auto& act) {
        for (std::size_t at = move; at < plan.move_round.size() && plan.move_round[at] == round; ++at)
            act(at, place(chosen[place(plan.move_aggregator[at])]));
    };
    const auto merge_lists = [&](std::int64_t round) {
        each_move(round, [&](std::size_t at, std::size_t aggregator) {
            list_runs(aggregator, plan.first_piece[at + 1] - plan.first_piece[at]);
        });
    };
    // What an aggregator copies in a round, its own bytes among them.
    const auto copies_of = [&](std::int64_t round) {
        std::vector<std::int64_t> bytes(everyone.size());
        if (input_.files->exchange_copy_rate > 0) {
            each_move(round, [&](std::size_t at, std::size_t aggregator) {
                bytes[aggregator] += plan.move_bytes[at];
            });
        }
        return bytes;
    };
    const auto copy = [&](const std::vector<std::int64_t>& bytes) {
        for (std::size_t member = 0; member < bytes.size(); ++member) {
            if (bytes[member] > 0) steps[member].push_back({What::copy, 0, bytes[member], {}});
        }
    };
    const auto begin_access = [&](std::int64_t round) {
        std::vector<bool> busy(everyone.size());
        for (; access < plan.access_round.size() && plan.access_round[access] == round; ++access) {
            const auto from = plan.first_access_run[access], past = plan.first_access_run[access + 1];
            FileRuns runs{{plan.access_offset.begin() + from, plan.access_offset.begin() + past},
                          {plan.access_size.begin() + from, plan.access_size.begin() + past}};
            const std::size_t position = place(chosen[place(plan.access_aggregator[access])]);
            steps[position].push_back({What::access, 0, 0, std::move(runs)});
            busy[position] = true;
        }
        return busy;
    };
    const auto wait = [&](const std::vector<bool>& busy) {
        for (std::size_t member = 0; member < busy.size(); ++member) {
            if (busy[member]) steps[member].push_back({What::wait, 0, 0, {}});
        }
    };
    for (std::size_t member = 0; member < everyone.size(); ++member)
        list_runs(member, std::ssize(everyone[member].runs.sizes));
    for (std::int64_t round = 0; round < plan.rounds; ++round) {
        if (write) {
            merge_lists(round);
            const std::vector<std::int64_t> received = copies_of(round);
            wait(exchange(round));
            copy(received);
            const std::vector<bool> busy = begin_access(round);
            if (!pipelined) wait(busy);
        } else {
            if (round == 0 || !pipelined) wait(begin_access(round));
            if (pipelined) static_cast<void>(begin_access(round + 1));
            merge_lists(round);
            copy(copies_of(round));
            wait(exchange(round));
        }
    }
    const auto [communicator, group, number] = where;
    for (std::size_t member = 0; member < everyone.size(); ++member) {
        auto work = static_cast<std::int32_t>(file_works_.size());
        if (free_works_.empty()) {
            file_works_.emplace_back();
        } else {
            work = free_works_.back();
            free_works_.pop_back();
        }
        file_works_[place(work)] = {everyone[member].file, write, std::move(steps[member]), 0};
        const std::uint32_t index = take_task();
        tasks_[index] = {.rank = everyone[member].rank,
                         .communicator = communicator,
                         .tag = number,
                         .first_member = family.first[place(group)],
                         .request = everyone[member].request,
                         .file_work = work};
        if (steps_) steps_->start(index, everyone[member].rank, everyone[member].row);
        act(index);
    }
}

// Carries out steps until one must wait, or all are done.
void ProgramRunner::act_on_file(std::uint32_t index) {
    const std::size_t mine = place(tasks_[index].file_work);
    while (file_works_[mine].next < file_works_[mine].steps.size()) {
        const FileStep& step = file_works_[mine].steps[file_works_[mine].next];
        if (step.what == FileStep::What::wait) {
            if (tasks_[index].open > 0) return await(index);
            if (steps_) steps_->end(index, network_->now());
            ++file_works_[mine].next;
            continue;
        }
        ++file_works_[mine].next;
        if (step.what == FileStep::What::list || step.what == FileStep::What::copy) {
            if (steps_) steps_->begin(index, network_->now(), true);
            tasks_[index].phase = Task::Phase::stepping;
            const Ticks work = step.what == FileStep::What::list
                                   ? times(step.bytes, input_.files->piece_ticks)
                                   : job_ticks(step.bytes, input_.files->exchange_copy_rate);
            return start_job(tasks_[index].rank, work, index);
        }
        ++tasks_[index].open;
        if (step.what == FileStep::What::access) {
            const FileRuns runs = step.runs;
            if (steps_) steps_->access(index, network_->now(), file_works_[mine].writes, runs.view());
            files_->access({tasks_[index].rank, index, blocking}, file_works_[mine].file,
                           file_works_[mine].writes, runs.view());
        } else {
            exchange(index, step.what == FileStep::What::send, step.peer, step.bytes);
        }
    }
    if (tasks_[index].open > 0) return await(index);
    if (steps_) steps_->end(index, network_->now());
    const Task done = tasks_[index];
    tasks_[index].phase = Task::Phase::over;
    tasks_[index].file_work = -1;
    free_works_.push_back(static_cast<std::int32_t>(mine));
    free_tasks_.push_back(index);
    part_over(done.rank, done.request);
}

}  // namespace striate
