// The rank level of a timeline: when each operation and each marked region began and ended.
#include <algorithm>
#include <cstdint>

#include "program_runner.hpp"

namespace striate {

namespace {

std::int32_t narrow(std::int64_t value) { return static_cast<std::int32_t>(value); }

}  // namespace

// The rank stands on an operation that is over; its operands are those of this pass.
void ProgramRunner::record(std::uint32_t rank) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    Bar bar{.start = began_[rank],
            .end = network_->now(),
            .place = narrow(cursors_.row(rank)),
            .rank = narrow(rank)};
    const Kind kind = cursors_.kind(rank);
    switch (kind) {
        case Kind::sendrecv:
            bar.other = narrow(operand(3));
            bar.other_tag = narrow(operand(4));
            bar.more = operand(5);
            [[fallthrough]];
        case Kind::send:
        case Kind::ssend:
        case Kind::recv:
            bar.peer = narrow(operand(0));
            bar.tag = narrow(operand(1));
            bar.bytes = operand(2);
            break;
        case Kind::read:
        case Kind::write:
        case Kind::read_all:
        case Kind::write_all:
            bar.more = operand(1);
            bar.bytes = operand(2) * operand(3);
            [[fallthrough]];
        case Kind::open:
        case Kind::close:
        case Kind::stat:
        case Kind::sync:
        case Kind::erase:
            bar.other = narrow(operand(0));
            if (kind == Kind::open) bar.tag = narrow(operand(1));
            break;
        case Kind::compute:
            bar.more = operand(0);
            bar.bytes = operand(1);
            break;
        case Kind::put:
        case Kind::get:
        case Kind::accumulate:
            bar.peer = narrow(operand(0));
            bar.bytes = operand(1);
            break;
        case Kind::lock:
            bar.tag = narrow(operand(1));
            [[fallthrough]];
        case Kind::flush:
        case Kind::unlock:
            bar.peer = narrow(operand(0));
            break;
        case Kind::waitany:
            return record_chosen(rank, bar);
        case Kind::wait:
        case Kind::waitall:
        case Kind::test:
        case Kind::barrier:
            break;
        default:  // collectives
            bar.bytes = operand(0);
            if (is_rooted(kind)) bar.peer = narrow(operand(1));
    }
    const bool receives = kind == Kind::recv || kind == Kind::sendrecv;
    std::int32_t& source = kind == Kind::sendrecv ? bar.other : bar.peer;
    std::int32_t& tag = kind == Kind::sendrecv ? bar.other_tag : bar.tag;
    const bool open = receives && (source == any || tag == any);
    const std::int64_t request = open && kind == Kind::recv ? operand(3) : blocking;
    const bool known = open && found_[rank].request == request;
    if (known) name_source(found_[rank].message, cursors_.communicator(rank), source, tag);
    const std::size_t at = timeline_->add(bar);
    if (open && !known && at != SIZE_MAX) {
        open_receives_[rank].push_back({request, cursors_.communicator(rank), at});
    }
}

// A bar for every request that was taken; the first has the time of the call.
void ProgramRunner::record_chosen(std::uint32_t rank, Bar bar) {
    if (chosen_[rank].empty()) timeline_->add(bar);
    for (const std::int64_t request : chosen_[rank]) {
        bar.more = request;
        timeline_->add(bar);
        bar.start = bar.end;
    }
    chosen_[rank].clear();
}

// Whose message it was, as the communicator counts ranks.
void ProgramRunner::name_source(const Envelope& message, std::int32_t communicator, std::int32_t& source,
                                std::int32_t& tag) const {
    const GroupColumns& groups = input_.communicators[static_cast<std::size_t>(communicator)];
    source = narrow(groups.position[message.source]);
    tag = narrow(message.tag);
}

void ProgramRunner::matched(std::uint32_t owner, std::int64_t request, const Envelope& message,
                            std::int64_t bytes) {
    if (steps_ && owner >= requests_.size())
        steps_->receive(owner, position_in(tasks_[owner], message), bytes);
    if (const std::int32_t reaction = tasks_[owner].reaction; reaction >= 0) {
        auto& heard = reactions_[static_cast<std::size_t>(reaction)].heard;
        return heard.push_back(position_in(tasks_[owner], message));
    }
    if (timeline_ == nullptr || owner >= requests_.size()) return;
    auto& waiting = open_receives_[owner];
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [&](const OpenReceive& one) { return one.request == request; });
    if (found == waiting.end()) {
        found_[owner] = {message, request};
        return;
    }
    Bar& bar = timeline_->bars[found->bar];
    name_source(message, found->communicator, bar.peer, bar.tag);
    waiting.erase(found);
}

// Regions begin and end between operations, at no cost.
void ProgramRunner::record_marks(std::uint32_t rank) {
    for (const std::uint32_t row : marks_) {
        auto& open = open_regions_[rank];
        if (static_cast<Kind>(input_.programs.kind[row]) == Kind::region_begin) {
            open.push_back({row, network_->now()});
        } else if (!open.empty()) {
            timeline_->add({.start = open.back().start,
                            .end = network_->now(),
                            .place = narrow(open.back().row),
                            .rank = narrow(rank)});
            open.pop_back();
        }
    }
    marks_.clear();
}

}  // namespace striate
