#include "program_flows.hpp"

#include <algorithm>
#include <stdexcept>

#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr std::int64_t step_instructions = 3;
constexpr std::int64_t tag_bytes = 8, question_bytes = 8,
                       answer_bytes = 100;  // as point_to_point.hpp has them
constexpr unsigned leg_shift = 40;

std::size_t place(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

ProgramFlowResult run_program_flows(Stations& stations, const ProgramInput& input, FlowOrder order,
                                    const std::function<void()>& poll) {
    if (input.rank_node.size() != input.programs.ranks() || stations.nics() < input.programs.ranks()) {
        throw std::invalid_argument("every rank needs a node and an interface");
    }
    return ProgramFlows(stations, input, order, poll).run();
}

ProgramFlows::ProgramFlows(Stations& stations, const ProgramInput& input, FlowOrder order,
                           const std::function<void()>& poll)
    : input_(input),
      order_(order),
      pulse_(poll),
      cursors_(input.programs),
      book_(input.collectives),
      collectives_(book_, cursors_, input_.communicators, input.programs.ranks()),
      matching_(input.programs.ranks()),
      network_(stations, !alone()),
      ranks_(input.programs.ranks()),
      cpus_(input.node_cpus.size()),
      disk_(input.files != nullptr ? input.files->servers.size() : 0),
      calls_(input.programs.ranks() * input.communicators.size()) {
    if (input.files != nullptr && order != FlowOrder::chain) {
        file_calls_.emplace(input.programs, input_.communicators, pulse_, input.extents);
    }
    result_.rank_end.resize(ranks_.size());
    result_.compute_work.resize(ranks_.size());
    result_.communication_work.resize(ranks_.size());
    result_.calls.resize(ranks_.size());
    result_.disk_work.resize(disk_.size());
    result_.written.resize(disk_.size());
    result_.disk_jobs.resize(disk_.size());
    std::vector<std::int32_t> placed(input.node_cpus.size());
    for (const std::int32_t at : input.rank_node) ++placed[place(at)];
    for (std::size_t at = 0; at < placed.size(); ++at) {
        if (!alone() && placed[at] > input.node_cpus[at]) {
            cpus_[at].resize(place(input.node_cpus[at]));
        }
        step_.push_back(job_ticks(step_instructions, input.node_instructions_per_second[at]));
    }
}

ProgramFlowResult ProgramFlows::run() {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) resume(rank, 0);
    for (Event event{}; next(event);) happen(event);
    expect_all_over();
    result_.station_work = network_.work();
    result_.network_work = network_.total();
    result_.delays = network_.delays();
    return std::move(result_);
}

void ProgramFlows::expect_all_over() const {
    Wait stuck{.kind = WaitKind::step, .all_places = 0};
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
        if (ranks_[rank].over) continue;
        if (++stuck.all_places <= 8) stuck.places.push_back({rank, cursors_.row(rank)});
    }
    if (stuck.all_places > 0) throw Refusal(Reason::deadlock, {.count = stuck.all_places}, {stuck});
}

// ---- order

void ProgramFlows::resume(std::uint32_t rank, Ticks time) {
    ranks_[rank].now = time;
    if (order_ == FlowOrder::round_robin) {
        ring_.push_back(rank);
    } else {
        queue_.push({time, static_cast<std::uint64_t>(Leg::resume) << leg_shift | rank});
    }
}

// Legs of a graph follow at once, except in the order of time.
void ProgramFlows::at(Ticks time, Leg leg, std::uint32_t index) {
    const Event event{time, static_cast<std::uint64_t>(leg) << leg_shift | index};
    if (order_ == FlowOrder::micro) return queue_.push(event);
    happen(event);
}

bool ProgramFlows::next(Event& event) {
    if (order_ == FlowOrder::round_robin && !ring_.empty()) {
        event = {ranks_[ring_.front()].now,
                 static_cast<std::uint64_t>(Leg::resume) << leg_shift | ring_.front()};
        ring_.pop_front();
        return true;
    }
    if (queue_.empty()) return false;
    event = queue_.pop();
    return true;
}

void ProgramFlows::happen(const Event& event) {
    pulse_.beat();
    const auto leg = static_cast<Leg>(event.key >> leg_shift);
    const auto index = static_cast<std::uint32_t>(event.key);
    switch (leg) {
        case Leg::resume:
            return go_on(index);
        case Leg::arrive:
            return arrive(index, event.time);
        case Leg::question:
        case Leg::answer:
        case Leg::data:
        case Leg::eager:
            return transfer(leg, index, event.time);
        case Leg::ask:
        case Leg::write_data:
        case Leg::read_disk:
            return file_leg(leg, index, event.time);
    }
}

// ---- ranks

void ProgramFlows::go_on(std::uint32_t rank) {
    if (ranks_[rank].action < ranks_[rank].last_action) return act(rank);
    if (!cursors_.resolve(rank)) {
        ranks_[rank].over = true;
        result_.rank_end[rank] = ranks_[rank].now;
        result_.ticks = std::max(result_.ticks, ranks_[rank].now);
        return;
    }
    ++result_.graphs;
    ranks_[rank].until = 0;
    if (cursors_.kind(rank) == Kind::compute) {
        const Ticks instructions =
            job_ticks(cursors_.operand(rank, 1), input_.node_instructions_per_second[node(rank)]);
        ranks_[rank].now = compute(rank, cursors_.operand(rank, 0) + instructions);
        cursors_.step(rank);
        return resume(rank, ranks_[rank].now);
    }
    ranks_[rank].now += step_[node(rank)];
    perform(rank);
    ranks_[rank].action < ranks_[rank].last_action ? act(rank) : stand(rank);
}

// Past its operation when nothing is open, else it waits.
void ProgramFlows::stand(std::uint32_t index) {
    Rank& rank = ranks_[index];
    rank.waits = rank.open > 0;
    if (rank.waits) return;
    cursors_.step(index);
    resume(index, std::max(rank.now, rank.until));
}

Ticks ProgramFlows::compute(std::uint32_t rank, Ticks work) {
    result_.compute_work[rank] += work;
    auto& clocks = cpus_[node(rank)];
    if (clocks.empty()) return ranks_[rank].now + work;
    Ticks& cpu = *std::min_element(clocks.begin(), clocks.end());
    return cpu = std::max(cpu, ranks_[rank].now) + work;
}

void ProgramFlows::perform(std::uint32_t rank) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    switch (cursors_.kind(rank)) {
        case Kind::send:
        case Kind::ssend:
            return send_to(rank, 0, operand(3));
        case Kind::recv:
            return receive_from(rank, 0, operand(3));
        case Kind::sendrecv:
            send_to(rank, 0, blocking);
            return receive_from(rank, 3, blocking);
        case Kind::wait:
            return await_request(rank, operand(0));
        case Kind::waitall:
            return await_all(rank);
        case Kind::test:
            return;
        case Kind::offer:
        case Kind::waitany:
        case Kind::put:
        case Kind::get:
        case Kind::accumulate:
        case Kind::flush:
        case Kind::lock:
        case Kind::unlock:
            throw Refusal(Reason::unknown_operation, {.rank = rank, .row = cursors_.row(rank)});
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

void ProgramFlows::open_part(std::uint32_t rank, std::int64_t request) {
    if (request == blocking) {
        ++ranks_[rank].open;
        return;
    }
    for (Request& known : ranks_[rank].requests) {
        if (known.name != request) continue;
        ++known.open;
        return;
    }
    ranks_[rank].requests.push_back({request, 1, false, 0});
}

void ProgramFlows::part_over(std::uint32_t rank, std::int64_t request, Ticks time) {
    if (request == blocking) return one_less(rank, time);
    auto& requests = ranks_[rank].requests;
    const auto found = std::find_if(requests.begin(), requests.end(),
                                    [&](const Request& one) { return one.name == request; });
    found->until = std::max(found->until, time);
    if (--found->open > 0 || !found->awaited) return;
    const Ticks until = found->until;
    requests.erase(found);
    one_less(rank, until);
}

void ProgramFlows::one_less(std::uint32_t index, Ticks time) {
    Rank& rank = ranks_[index];
    rank.until = std::max(rank.until, time);
    if (--rank.open > 0 || !rank.waits) return;
    rank.waits = false;
    if (rank.action >= rank.last_action) {
        rank.action = rank.last_action = 0;
        cursors_.step(index);
    }
    resume(index, std::max(rank.now, rank.until));
}

void ProgramFlows::await_request(std::uint32_t rank, std::int64_t name) {
    auto& requests = ranks_[rank].requests;
    const auto found =
        std::find_if(requests.begin(), requests.end(), [&](const Request& one) { return one.name == name; });
    if (found == requests.end()) {
        throw Refusal(Reason::unknown_request, {.rank = rank, .row = cursors_.row(rank), .request = name});
    }
    if (found->open == 0) {
        ranks_[rank].until = std::max(ranks_[rank].until, found->until);
        requests.erase(found);
        return;
    }
    found->awaited = true;
    ++ranks_[rank].open;
}

void ProgramFlows::await_all(std::uint32_t rank) {
    while (!ranks_[rank].requests.empty()) {
        const auto& requests = ranks_[rank].requests;
        const auto found =
            std::find_if(requests.begin(), requests.end(), [](const Request& one) { return !one.awaited; });
        if (found == requests.end()) return;
        await_request(rank, found->name);
    }
}

std::int64_t ProgramFlows::first_member(std::uint32_t rank) const {
    return groups(rank).first[place(groups(rank).group[rank])];
}

std::int64_t ProgramFlows::members(std::uint32_t rank) const {
    return groups(rank).first[place(groups(rank).group[rank]) + 1] - first_member(rank);
}

// ---- messages

void ProgramFlows::send_to(std::uint32_t rank, std::size_t operand, std::int64_t request) {
    const std::int64_t peer = first_member(rank) + cursors_.operand(rank, operand);
    const std::int64_t bytes = cursors_.operand(rank, operand + 2);
    const Envelope envelope{2 * std::int64_t{cursors_.communicator(rank)},
                            cursors_.operand(rank, operand + 1), rank,
                            static_cast<std::uint32_t>(groups(rank).member[place(peer)])};
    const bool answered = bytes > input_.eager_bytes || cursors_.kind(rank) == Kind::ssend;
    send(rank, envelope, bytes + tag_bytes, request, answered);
}

void ProgramFlows::receive_from(std::uint32_t rank, std::size_t operand, std::int64_t request) {
    const std::int64_t peer = cursors_.operand(rank, operand);
    const std::int64_t source = peer == any ? any : groups(rank).member[place(first_member(rank) + peer)];
    receive(rank,
            {2 * std::int64_t{cursors_.communicator(rank)}, cursors_.operand(rank, operand + 1), source},
            request, cursors_.operand(rank, operand + 2));
}

void ProgramFlows::send(std::uint32_t rank, const Envelope& envelope, std::int64_t payload,
                        std::int64_t request, bool rendezvous) {
    open_part(rank, request);
    ++result_.messages;
    const std::uint32_t message =
        take(messages_, free_messages_,
             Message{envelope, payload, request, matching_.announce(envelope), none, rendezvous, 0});
    at(ranks_[rank].now, rendezvous ? Leg::question : Leg::eager, message);
}

void ProgramFlows::receive(std::uint32_t rank, const Pattern& pattern, std::int64_t request,
                           std::int64_t room) {
    open_part(rank, request);
    const std::uint32_t receive =
        take(receives_, free_receives_, Receive{rank, request, ranks_[rank].now, room});
    const std::uint32_t message = matching_.post(rank, pattern, receive);
    if (message != none) match(message, receive);
}

Flight ProgramFlows::fly(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks time) {
    return noted(source, target, time, network_.send(source, target, payload, time));
}

Flight ProgramFlows::fly_file(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks time) {
    return noted(source, target, time, network_.send_file(source, target, payload, time));
}

Flight ProgramFlows::noted(std::uint32_t source, std::uint32_t target, Ticks time, const Flight& flight) {
    for (const std::uint32_t end : {source, target}) {
        if (end < ranks_.size()) result_.communication_work[end] += flight.last - time;
    }
    return flight;
}

// A long message asks first and is answered when its receive is posted; then the data go.
void ProgramFlows::transfer(Leg leg, std::uint32_t index, Ticks time) {
    const Message message = messages_[index];
    const auto [source, target] = std::pair(message.envelope.source, message.envelope.target);
    switch (leg) {
        case Leg::question:
            return at(fly(source, target, question_bytes, time).last, Leg::arrive, index);
        case Leg::answer:
            return at(fly(target, source, answer_bytes, time).last + step_[node(source)], Leg::data, index);
        case Leg::eager: {
            const Flight flight = fly(source, target, message.payload, time);
            at(flight.last, Leg::arrive, index);
            return part_over(source, message.request, flight.sent);
        }
        default: {
            const Flight flight = fly(source, target, message.payload, time);
            const Receive done = receives_[message.receive];
            free_messages_.push_back(index);
            free_receives_.push_back(message.receive);
            part_over(source, message.request, flight.sent);
            return part_over(done.rank, done.request, flight.last);
        }
    }
}

void ProgramFlows::arrive(std::uint32_t index, Ticks time) {
    messages_[index].at = time;
    matches_.clear();
    matching_.arrive(messages_[index].envelope, messages_[index].place, index, matches_);
    const std::vector<Matching::Match> now = matches_;
    for (const auto& [message, receive] : now) match(message, receive);
}

void ProgramFlows::match(std::uint32_t index, std::uint32_t receive) {
    expect_room(messages_[index].envelope, messages_[index].payload - tag_bytes, receives_[receive].room);
    const Ticks both = std::max(messages_[index].at, receives_[receive].at);
    if (messages_[index].rendezvous) {
        messages_[index].receive = receive;
        return at(both, Leg::answer, index);
    }
    const Receive done = receives_[receive];
    free_messages_.push_back(index);
    free_receives_.push_back(receive);
    part_over(done.rank, done.request, both);
}

}  // namespace striate
