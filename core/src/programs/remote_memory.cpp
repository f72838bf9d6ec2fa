#include "striate/programs/remote_memory.hpp"

#include <algorithm>

namespace striate {

std::uint32_t RemoteMemory::begin(const Operation& operation, std::int64_t payload) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(operations_.size()));
        operations_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    operations_[index] = operation;
    ++messages_;
    host_.transmit_memory(operation.origin, operation.target.rank, payload, cookie_of(index, false));
    return index;
}

RemoteMemory::Open& RemoteMemory::open(std::uint32_t origin, const Window& target) {
    auto& mine = open_[origin];
    const auto found =
        std::find_if(mine.begin(), mine.end(), [&](const Open& one) { return one.target == target; });
    if (found != mine.end()) return *found;
    mine.push_back({target});
    return mine.back();
}

void RemoteMemory::access(Kind kind, std::uint32_t origin, const Window& target, std::int64_t bytes,
                          std::int64_t request) {
    const What what = kind == Kind::put ? What::put : kind == Kind::get ? What::get : What::accumulate;
    Open& mine = open(origin, target);
    ++mine.unsent;
    ++mine.undone;
    begin({what, origin, target, bytes, request}, control_bytes + (what == What::get ? 0 : bytes));
}

bool RemoteMemory::flush(std::uint32_t origin, std::int32_t communicator, std::int64_t rank, bool local) {
    waits_[origin] = {local ? Pause::For::local_flush : Pause::For::flush, communicator, rank};
    if (!is_quiet(origin)) return true;
    waits_[origin] = {};
    return false;
}

bool RemoteMemory::lock(std::uint32_t origin, const Window& target, bool exclusive) {
    waits_[origin] = {Pause::For::answer, target.communicator, target.rank};
    begin({exclusive ? What::lock_exclusive : What::lock_shared, origin, target}, control_bytes);
    return true;
}

bool RemoteMemory::unlock(std::uint32_t origin, const Window& target) {
    waits_[origin] = {Pause::For::unlock, target.communicator, target.rank};
    if (is_quiet(origin)) send_unlock(origin);
    return true;
}

void RemoteMemory::send_unlock(std::uint32_t origin) {
    Pause& pause = waits_[origin];
    pause.reason = Pause::For::answer;
    begin({What::unlock, origin, {pause.communicator, static_cast<std::uint32_t>(pause.rank)}},
          control_bytes);
}

bool RemoteMemory::is_quiet(std::uint32_t origin) const {
    const Pause& pause = waits_[origin];
    return std::all_of(open_[origin].begin(), open_[origin].end(), [&](const Open& one) {
        const bool meant = one.target.communicator == pause.communicator &&
                           (pause.rank == any || pause.rank == static_cast<std::int64_t>(one.target.rank));
        return !meant || (pause.reason == Pause::For::local_flush ? one.unsent : one.undone) == 0;
    });
}

// Something of the rank's is done: perhaps what it waits for.
void RemoteMemory::look(std::uint32_t origin) {
    const auto reason = waits_[origin].reason;
    if (reason == Pause::For::nothing || reason == Pause::For::answer || !is_quiet(origin)) return;
    if (reason == Pause::For::unlock) return send_unlock(origin);
    waits_[origin] = {};
    host_.memory_over(origin, blocking);
}

void RemoteMemory::on_sent(std::uint64_t cookie) {
    const Operation operation = operations_[index_of(cookie)];
    const bool gives = operation.what == What::put || operation.what == What::accumulate;
    if (!gives || cookie != cookie_of(index_of(cookie), false)) return;
    --open(operation.origin, operation.target).unsent;
    if (operation.request != blocking) host_.memory_over(operation.origin, operation.request);
    look(operation.origin);
}

void RemoteMemory::on_delivered(std::uint64_t cookie) {
    const std::uint32_t index = index_of(cookie);
    const Operation operation = operations_[index];
    if (cookie == cookie_of(index, true)) return end(index);
    switch (operation.what) {
        case What::put:
        case What::get:
            return answer(index);
        case What::accumulate:
            return host_.combine(operation.target.rank, operation.bytes, cookie);
        case What::lock_shared:
        case What::lock_exclusive:
            return ask(index);
        case What::unlock:
            answer(index);
            return release(operation.target);
    }
}

void RemoteMemory::answer(std::uint32_t index) {
    const Operation operation = operations_[index];
    const std::int64_t data = operation.what == What::get ? operation.bytes : 0;
    ++messages_;
    host_.transmit_memory(operation.target.rank, operation.origin, control_bytes + data,
                          cookie_of(index, true));
}

void RemoteMemory::end(std::uint32_t index) {
    const Operation operation = operations_[index];
    free_.push_back(index);
    if (operation.what >= What::lock_shared) {
        waits_[operation.origin] = {};
        return host_.memory_over(operation.origin, blocking);
    }
    Open& mine = open(operation.origin, operation.target);
    --mine.undone;
    if (operation.what == What::get) {
        --mine.unsent;
        if (operation.request != blocking) host_.memory_over(operation.origin, operation.request);
    }
    look(operation.origin);
}

void RemoteMemory::ask(std::uint32_t index) {
    locks_[operations_[index].target].queue.push_back(index);
    grant(operations_[index].target);
}

void RemoteMemory::release(const Window& target) {
    --locks_[target].holders;
    grant(target);
}

// In the order asked: one exclusive holder, or as many that share as stand in a row.
void RemoteMemory::grant(const Window& target) {
    Lock& lock = locks_[target];
    while (!lock.queue.empty()) {
        const std::uint32_t next = lock.queue.front();
        const bool exclusive = operations_[next].what == What::lock_exclusive;
        if (lock.holders > 0 && (exclusive || lock.exclusive)) return;
        lock.queue.pop_front();
        lock.exclusive = exclusive;
        ++lock.holders;
        answer(next);
    }
}

std::vector<RemoteMemory::Waiting> RemoteMemory::waiting() const {
    std::vector<Waiting> found;
    for (std::uint32_t origin = 0; origin < waits_.size(); ++origin) {
        if (waits_[origin].reason != Pause::For::nothing) found.push_back({origin, waits_[origin].rank});
    }
    return found;
}

}  // namespace striate
