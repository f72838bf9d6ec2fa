#include "program_runner.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "striate/events/clock_sums.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr std::int64_t step_instructions = 3;

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

void expect_input(const Stations& stations, const ProgramInput& input) {
    const std::size_t ranks = input.programs.ranks();
    if (input.rank_node.size() != ranks || stations.nics() < ranks) {
        throw std::invalid_argument("every rank needs a node and an interface");
    }
    if (!input.rank_start.empty() && input.rank_start.size() != ranks) {
        throw std::invalid_argument("every rank needs a start, or none");
    }
    if (input.node_cpus.size() != input.node_instructions_per_second.size()) {
        throw std::invalid_argument("the node columns differ in length");
    }
    if (!input.rank_wait.empty() && input.rank_wait.size() != ranks) {
        throw std::invalid_argument("every rank needs a wait, or none has one");
    }
    for (const std::int64_t wait : input.rank_wait) {
        if (wait < 0) throw std::invalid_argument("a negative wait");
    }
    if (!input.rank_lag.empty() && input.rank_lag.size() != ranks) {
        throw std::invalid_argument("every rank needs a lag, or none has one");
    }
    for (const double lag : input.rank_lag) {
        if (!(lag >= 0 && lag <= 1e6) || input.longest_lag < 0) throw std::invalid_argument("a negative lag");
    }
    for (const std::int32_t node : input.rank_node) {
        if (node < 0 || place(node) >= input.node_cpus.size()) {
            throw std::invalid_argument("a rank on node " + std::to_string(node) + ", which is not there");
        }
    }
}

}  // namespace

ProgramResult run_programs(Stations& stations, const ProgramInput& input, const RunOptions& options) {
    expect_input(stations, input);
    return ProgramRunner(stations, input, options).run(options);
}

ProgramRunner::ProgramRunner(Stations& stations, const ProgramInput& input, const RunOptions& options)
    : input_(input),
      network_(make_network(stations, *this, options)),
      cursors_(input.programs),
      book_(input.collectives),
      collectives_(book_, cursors_, input_.communicators, input.programs.ranks()),
      processors_(input.node_cpus, stations.settings().rounding),
      messages_(input.programs.ranks(), *this),
      memory_(input.programs.ranks(), *this),
      tasks_(input.programs.ranks()),
      requests_(input.programs.ranks()),
      choosing_(input.programs.ranks()),
      calls_(input.programs.ranks() * input.communicators.size()),
      timeline_(options.timeline) {
    result_.rank_end.assign(tasks_.size(), -1);
    if (!input.rank_lag.empty()) computed_.resize(tasks_.size());
    for (std::uint32_t rank = 0; rank < tasks_.size(); ++rank) tasks_[rank].rank = rank;
    for (const double speed : input.node_instructions_per_second) {
        step_.push_back(job_ticks(step_instructions, speed));
    }
    if (timeline_ != nullptr) {
        began_.resize(tasks_.size());
        open_regions_.resize(tasks_.size());
        open_receives_.resize(tasks_.size());
        found_.resize(tasks_.size());
        chosen_.resize(tasks_.size());
        cursors_.watch_marks(marks_);
        if (timeline_->wants_steps()) steps_.emplace(*timeline_);
    }
    if (input.files != nullptr) start_files(tasks_.size(), options);
}

ProgramResult ProgramRunner::run(const RunOptions& options) {
    for (std::uint32_t rank = 0; rank < requests_.size(); ++rank) {
        const Ticks start = input_.rank_start.empty() ? 0 : input_.rank_start[rank];
        if (start == 0) {
            next_operation(rank);
        } else {
            network_->set_timer(start, of_start | rank);
        }
    }
    network_->run(options.poll);
    expect_all_over();
    result_.stations = network_->totals();
    result_.waited = network_->waited();
    if (files_) sum_servers();
    result_.messages = messages_.messages() + memory_.messages();
    result_.events = network_->events();
    result_.skipped = network_->skipped();
    result_.end = network_->now();
    for (std::uint32_t node = 0; node < step_.size(); ++node)
        result_.node_busy.push_back(processors_.busy(node));
    return std::move(result_);
}

// ---- CPUs

void ProgramRunner::on_timer(std::uint64_t cookie) {
    if ((cookie & of_file_timer) != 0) return files_->on_timer(cookie & ~of_file_timer);
    if (cookie == of_free_job) return end_free_job();
    if ((cookie & of_start) != 0) return next_operation(static_cast<std::uint32_t>(cookie));
    if ((cookie & of_late) != 0) return start_late(cookie & ~of_late);
    const auto at = static_cast<std::uint32_t>(cookie);
    over_.clear();
    arm(at, processors_.finish(at, network_->now(), static_cast<std::uint32_t>(cookie >> 32), over_));
    for (const std::uint64_t job : over_) end_job(job);
}

void ProgramRunner::end_job(std::uint64_t job) {
    if ((job & of_message) != 0) {
        messages_.on_step(job & ~of_message);
    } else if ((job & of_memory) != 0) {
        memory_.on_combined(job & ~of_memory);
    } else if ((job & of_file) != 0) {
        files_->on_step(job & ~of_file);
    } else if ((job & of_met) != 0) {
        step_to_access(static_cast<std::uint32_t>(job));
    } else if ((job & of_half) != 0) {
        perform_half(static_cast<std::uint32_t>(job), (job & sends) != 0);
    } else {
        job_over(static_cast<std::uint32_t>(job));
    }
}

void ProgramRunner::end_free_job() {
    const std::uint64_t job = free_jobs_.front();
    free_jobs_.pop_front();
    end_job(job);
}

void ProgramRunner::arm(std::uint32_t at, const Processors::Alarm& alarm) {
    if (alarm.time >= 0)
        network_->set_timer(alarm.time, static_cast<std::uint64_t>(alarm.generation) << 32 | at);
}

void ProgramRunner::start_job(std::uint32_t rank, Ticks work, std::uint64_t cookie) {
    if (work > 0) return start_job(rank, work, cookie, Processors::usual_notice);
    free_jobs_.push_back(cookie);
    network_->set_timer(network_->now(), of_free_job);
}

void ProgramRunner::start_job(std::uint32_t rank, Ticks work, std::uint64_t cookie, Ticks notice) {
    arm(node(rank), processors_.start(node(rank), network_->now(), work, cookie, notice));
}

// A time that is given includes the moment in which its end is noticed.
void ProgramRunner::start_computing(std::uint32_t rank) {
    const Ticks given = cursors_.operand(rank, 0);
    const Ticks work = instructions(rank, cursors_.operand(rank, 1));
    if (!computed_.empty()) computed_[rank].ticks = after(computed_[rank].ticks, after(given, work));
    if (given == 0) return start_job(rank, work, rank);
    const Ticks notice = std::min(given, Processors::usual_notice);
    start_job(rank, after(given - notice, work), rank, notice);
}

Ticks ProgramRunner::instructions(std::uint32_t rank, std::int64_t count) const {
    return job_ticks(count, input_.node_instructions_per_second[node(rank)]);
}

void ProgramRunner::transmit(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                             std::uint64_t cookie) {
    const Ticks leaves = departure(target);
    if (leaves == network_->now()) return network_->start_message(source, target, payload, cookie);
    if (free_late_.empty()) {
        free_late_.push_back(late_.size());
        late_.emplace_back();
    }
    const std::size_t at = free_late_.back();
    free_late_.pop_back();
    late_[at] = {source, target, payload, cookie};
    network_->set_timer(leaves, at | of_late);
}

// When a message to a rank sets out: when the rank is back on its CPU.
Ticks ProgramRunner::departure(std::uint32_t target) {
    const Ticks soonest = network_->now() + (input_.rank_wait.empty() ? 0 : input_.rank_wait[target]);
    if (computed_.empty()) return soonest;
    Computed& computed = computed_[target];
    const auto share = static_cast<double>(computed.ticks) * input_.rank_lag[target];
    const Ticks lag =
        share < static_cast<double>(input_.longest_lag) ? static_cast<Ticks>(share) : input_.longest_lag;
    computed.ticks = 0;
    computed.last_departure = std::max(soonest + lag, computed.last_departure + 1);
    return computed.last_departure;
}

void ProgramRunner::start_late(std::size_t at) {
    const LateMessage message = late_[at];
    free_late_.push_back(at);
    network_->start_message(message.source, message.target, message.payload, message.cookie);
}

void ProgramRunner::take_step(std::uint32_t rank, std::uint64_t cookie) {
    start_job(rank, step(rank), cookie | of_message);
}

// ---- a rank's program

void ProgramRunner::next_operation(std::uint32_t rank) {
    bool goes_on = cursors_.resolve(rank);
    for (; goes_on && cursors_.kind(rank) == Kind::offer; goes_on = cursors_.resolve(rank)) offer(rank);
    if (timeline_ != nullptr) {
        record_marks(rank);
        began_[rank] = network_->now();
        found_[rank].request = Found::nothing;
    }
    if (!goes_on) {
        tasks_[rank].phase = Task::Phase::over;
        result_.rank_end[rank] = network_->now();
        return;
    }
    tasks_[rank].phase = Task::Phase::stepping;
    cursors_.kind(rank) == Kind::compute ? start_computing(rank) : start_job(rank, step(rank), rank);
}

void ProgramRunner::job_over(std::uint32_t task) {
    if (task >= requests_.size()) return act(task);
    if (tasks_[task].phase == Task::Phase::stepping) {
        perform(task);
        if (tasks_[task].open > 0) return await(task);
        if (cursors_.kind(task) == Kind::recv && cursors_.operand(task, 3) == blocking) {
            // A receive takes its second step even if the message has been there all along.
            tasks_[task].phase = Task::Phase::finishing;
            return start_job(task, step(task), task);
        }
    }
    if (timeline_ != nullptr) record(task);
    cursors_.step(task);
    next_operation(task);
}

void ProgramRunner::await(std::uint32_t task) {
    tasks_[task].phase = Task::Phase::waiting;
    tasks_[task].waits_since = network_->now();
}

void ProgramRunner::one_less(std::uint32_t index) {
    Task& task = tasks_[index];
    if (--task.open > 0 || task.phase != Task::Phase::waiting) return;
    task.phase = Task::Phase::finishing;
    // What was over at once needs no waking up, nor does a short send, which nobody had to answer, nor a
    // read.
    if (task.waits_since == network_->now() || task.quiet) return job_over(index);
    start_job(task.rank, step(task.rank), index);
}

// Starts the operation the rank stands on; what it must wait for is counted in its task.
void ProgramRunner::perform(std::uint32_t rank) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    const Kind kind = cursors_.kind(rank);
    const bool short_send = kind == Kind::send && operand(2) <= input_.eager_bytes;
    tasks_[rank].quiet = short_send || kind == Kind::read || kind == Kind::read_all;
    switch (kind) {
        case Kind::compute:
            return;
        case Kind::send:
        case Kind::ssend:
            return send(rank, operand(0), operand(1), operand(2), operand(3));
        case Kind::recv:
            return receive(rank, operand(0), operand(1), operand(2), operand(3));
        case Kind::sendrecv:
            tasks_[rank].open += 2;  // two operations at once, each with a step of its own
            start_job(rank, step(rank), rank | of_half | sends);
            return start_job(rank, step(rank), rank | of_half);
        case Kind::wait:
            return await_request(rank, operand(0));
        case Kind::waitall:
            return await_all(rank);
        case Kind::test:  // asks, at the cost of its step, and goes on either way
            return static_cast<void>(find_request(rank, operand(0)));
        case Kind::waitany:
            return await_any(rank, operand(0), operand(1));
        case Kind::put:
        case Kind::get:
        case Kind::accumulate:
        case Kind::flush:
        case Kind::lock:
        case Kind::unlock:
            return reach_memory(rank);
        case Kind::open:
        case Kind::close:
        case Kind::stat:
        case Kind::sync:
        case Kind::erase:
        case Kind::read:
        case Kind::write:
        case Kind::read_all:
        case Kind::write_all:
            return perform_file(rank);
        default:
            return start_collective(rank);
    }
}

void ProgramRunner::perform_half(std::uint32_t rank, bool half_sends) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    --tasks_[rank].open;
    if (half_sends) return send(rank, operand(0), operand(1), operand(2), blocking);
    receive(rank, operand(3), operand(4), operand(5), blocking);
}

const GroupColumns& ProgramRunner::groups(std::uint32_t rank) const {
    return input_.communicators[place(cursors_.communicator(rank))];
}

std::int64_t ProgramRunner::first_member(std::uint32_t rank) const {
    return groups(rank).first[place(groups(rank).group[rank])];
}

std::uint32_t ProgramRunner::world_rank(std::uint32_t rank, std::int64_t peer) const {
    return static_cast<std::uint32_t>(groups(rank).member[place(first_member(rank) + peer)]);
}

void ProgramRunner::send(std::uint32_t rank, std::int64_t peer, std::int64_t tag, std::int64_t bytes,
                         std::int64_t request) {
    open_part(rank, request);
    const std::int64_t where = context(cursors_.communicator(rank), false);
    const bool answered = bytes > input_.eager_bytes || cursors_.kind(rank) == Kind::ssend;
    messages_.send({rank, request}, {where, tag, rank, world_rank(rank, peer)}, bytes, answered);
}

void ProgramRunner::receive(std::uint32_t rank, std::int64_t peer, std::int64_t tag, std::int64_t room,
                            std::int64_t request) {
    open_part(rank, request);
    const std::int64_t source = peer == any ? any : world_rank(rank, peer);
    messages_.receive({rank, request}, rank, {context(cursors_.communicator(rank), false), tag, source},
                      room);
}

}  // namespace striate
