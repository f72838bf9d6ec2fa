// Requests in flight, and accesses to the memory of others, which make some.
#include <algorithm>

#include "program_runner.hpp"

#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr std::int64_t combine_instructions = 1;  // per byte, as in collectives (collectives/draft.py)

}  // namespace

void ProgramRunner::open_part(std::uint32_t rank, std::int64_t request) {
    if (request == blocking) {
        ++tasks_[rank].open;
        return;
    }
    for (Request& known : requests_[rank]) {
        if (known.name != request) continue;
        if (known.taken) known = {request, 0, false};
        ++known.open;
        return;
    }
    requests_[rank].push_back({request, 1, false});
}

void ProgramRunner::part_over(std::uint32_t owner, std::int64_t request) {
    if (request == blocking) return one_less(owner);
    const auto found = find_request(owner, request);
    if (--found->open > 0) return;
    if (found->offered && choosing_[owner] != 0) {
        take_request(owner, *found);
        withdraw_offers(owner);
        return one_less(owner);
    }
    if (!found->awaited) return;
    requests_[owner].erase(found);
    one_less(owner);
}

ProgramRunner::Requests::iterator ProgramRunner::find_request(std::uint32_t rank, std::int64_t name) {
    Requests& requests = requests_[rank];
    const auto found = std::find_if(requests.begin(), requests.end(),
                                    [&](const Request& request) { return request.name == name; });
    if (found == requests.end()) {
        throw Refusal(Reason::unknown_request, {.rank = rank, .row = cursors_.row(rank), .request = name});
    }
    return found;
}

void ProgramRunner::await_request(std::uint32_t rank, std::int64_t name) {
    const auto found = find_request(rank, name);
    if (found->open == 0) {
        requests_[rank].erase(found);
        return;
    }
    found->awaited = true;
    ++tasks_[rank].open;
}

void ProgramRunner::await_all(std::uint32_t rank) {
    Requests& requests = requests_[rank];
    std::erase_if(requests, [](const Request& request) { return request.open == 0; });
    for (Request& request : requests) request.awaited = true;
    tasks_[rank].open += static_cast<std::uint32_t>(requests.size());
}

// Naming a request is part of the call that looks at it, and costs nothing by itself.
void ProgramRunner::offer(std::uint32_t rank) {
    find_request(rank, cursors_.operand(rank, 1))->offered = true;
    cursors_.step(rank);
}

void ProgramRunner::await_any(std::uint32_t rank, std::int64_t least, std::int64_t most) {
    std::int64_t taken = 0, in_flight = 0;
    for (Request& request : requests_[rank]) {
        if (!request.offered || request.taken) continue;
        if (request.open > 0) {
            ++in_flight;
        } else if (most == 0 || taken < most) {
            take_request(rank, request);
            ++taken;
        }
    }
    if (taken >= least || in_flight == 0) return withdraw_offers(rank);
    choosing_[rank] = 1;
    ++tasks_[rank].open;
}

void ProgramRunner::take_request(std::uint32_t rank, Request& request) {
    request.taken = true;
    if (timeline_ != nullptr) chosen_[rank].push_back(request.name);
}

void ProgramRunner::withdraw_offers(std::uint32_t rank) {
    choosing_[rank] = 0;
    for (Request& request : requests_[rank]) request.offered = false;
}

// ---- remote memory

void ProgramRunner::reach_memory(std::uint32_t rank) {
    const auto operand = [&](std::size_t at) { return cursors_.operand(rank, at); };
    const Kind kind = cursors_.kind(rank);
    const std::int32_t communicator = cursors_.communicator(rank);
    const std::int64_t peer = operand(0) == any ? any : world_rank(rank, operand(0));
    const Window target{communicator, static_cast<std::uint32_t>(peer)};
    bool waits = false;
    if (kind == Kind::flush) {
        waits = memory_.flush(rank, communicator, peer, operand(1) != 0);
    } else if (kind == Kind::lock) {
        waits = memory_.lock(rank, target, operand(1) != 0);
    } else if (kind == Kind::unlock) {
        waits = memory_.unlock(rank, target);
    } else {
        if (operand(2) != blocking) open_part(rank, operand(2));
        memory_.access(kind, rank, target, operand(1), operand(2));
    }
    tasks_[rank].open += static_cast<std::uint32_t>(waits);
}

void ProgramRunner::transmit_memory(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                                    std::uint64_t cookie) {
    network_->start_message(source, target, payload, cookie | of_memory);
}

void ProgramRunner::combine(std::uint32_t rank, std::int64_t bytes, std::uint64_t cookie) {
    start_job(rank, instructions(rank, bytes * combine_instructions), cookie | of_memory);
}

}  // namespace striate
