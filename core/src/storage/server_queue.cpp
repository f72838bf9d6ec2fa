#include "striate/storage/server_queue.hpp"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <utility>

namespace striate {

void ServerQueue::add(const Job& job, Ticks now) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
        slot = static_cast<std::uint32_t>(jobs_.size());
        jobs_.emplace_back();
    } else {
        slot = free_.back();
        free_.pop_back();
    }
    jobs_[slot] = {job, arrived_++, true};
    if (job.access.write) dirty_bytes_ += job.access.bytes;
    if (rules_.scheduler != nullptr) return rules_.scheduler->arrive(rules_.server, slot, job, now);
    if (in_order_of_arrival()) arrivals_.emplace_back(slot, jobs_[slot].arrival);
    if (merges()) by_offset_.insert(place_of(slot));
}

Operation ServerQueue::take(Ticks now) {
    assert(ready());
    if (rules_.scheduler != nullptr) return take_scheduled(now);
    auto place = merges() ? first_place() : by_offset_.end();
    Operation operation{};
    Access& whole = operation.access;
    operation.parts.push_back(release(merges() ? by_offset_[place].job : oldest()));
    whole = operation.parts.front().access;
    if (merges()) {
        place = follower(whole, by_offset_.erase(place));
        while (place != by_offset_.end()) {
            const Job job = release(by_offset_[place].job);
            whole.bytes = std::max(whole.end(), job.access.end()) - whole.offset;
            operation.parts.push_back(job);
            place = follower(whole, by_offset_.erase(place));
        }
    }
    if (rules_.second_part_first && operation.parts.size() > 1)
        std::swap(operation.parts[0], operation.parts[1]);
    ++running_;
    last_file_ = whole.file;
    last_end_ = whole.end();
    return operation;
}

Operation ServerQueue::take_scheduled(Ticks now) {
    Operation operation{};
    for (const std::uint32_t slot : rules_.scheduler->next(rules_.server, now)) {
        if (slot >= jobs_.size() || !jobs_[slot].present) {
            throw std::invalid_argument("a scheduler chose a job that does not wait");
        }
        const Job job = release(slot);
        Access& whole = operation.access;
        if (operation.parts.empty()) whole = job.access;
        whole.bytes = std::max(whole.end(), job.access.end()) - whole.offset;
        operation.parts.push_back(job);
    }
    if (operation.parts.empty()) throw std::invalid_argument("a scheduler chose no job");
    ++running_;
    return operation;
}

void ServerQueue::finish(const Operation& operation) {
    --running_;
    for (const Job& part : operation.parts) {
        if (part.access.write) dirty_bytes_ -= part.access.bytes;
    }
}

bool ServerQueue::receives() const {
    if (holds_nothing(rules_.policy)) return waiting() == 0 || running_ == 0;
    return rules_.memory_bytes == 0 || dirty_bytes_ < rules_.memory_bytes;
}

std::uint32_t ServerQueue::oldest() {
    while (true) {
        const auto [slot, arrival] = arrivals_.front();
        arrivals_.pop_front();
        if (jobs_[slot].present && jobs_[slot].arrival == arrival) return slot;
    }
}

// Of the job to begin with.
ServerQueue::ByOffset::Place ServerQueue::first_place() {
    if (in_order_of_arrival()) return by_offset_.lower_bound(place_of(oldest()));
    return rules_.policy == CachePolicy::server_directed ? next_upwards() : by_offset_.begin();
}

ServerQueue::ByOffset::Place ServerQueue::next_upwards() {
    const bool write = by_offset_[by_offset_.begin()].write;  // reads first
    const auto next = by_offset_.lower_bound(Place{write, last_file_, last_end_, 0, 0});
    return next == by_offset_.end() || by_offset_[next].write != write ? by_offset_.begin() : next;
}

// The first waiting job that begins where the access ends (or, for server-directed reads, inside it or little
// further on) and still fits into one operation. `next` follows the job that was taken out last: nothing
// before it can be the one, unless jobs of no bytes come before and after each other.
ServerQueue::ByOffset::Place ServerQueue::follower(const Access& access, ByOffset::Place next) {
    const bool sieves = rules_.policy == CachePolicy::server_directed && !access.write;
    const std::int64_t from = sieves ? access.offset : access.end();
    const std::int64_t until = access.end() + (sieves ? rules_.sieve_bytes : 0);
    const Place least{access.write, access.file, from, 0, 0};
    const bool before = next != by_offset_.end() && by_offset_[next] < least;
    if (before || access.bytes == 0) next = by_offset_.lower_bound(least);
    if (next == by_offset_.end()) return next;
    const Place& found = by_offset_[next];
    if (found.write != access.write || found.file != access.file) return by_offset_.end();
    const std::int64_t end = std::max(access.end(), jobs_[found.job].job.access.end());
    const bool fits = found.offset <= until && end - access.offset <= rules_.largest_bytes;
    return fits ? next : by_offset_.end();
}

ServerQueue::Place ServerQueue::place_of(std::uint32_t job) const {
    const Access& access = jobs_[job].job.access;
    return {access.write, access.file, access.offset, jobs_[job].arrival, job};
}

Job ServerQueue::release(std::uint32_t job) {
    jobs_[job].present = false;
    free_.push_back(job);
    return jobs_[job].job;
}

}  // namespace striate
