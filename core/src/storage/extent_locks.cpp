#include "striate/storage/extent_locks.hpp"

namespace striate {

std::uint32_t ExtentLocks::lock_of(std::uint32_t server, std::int64_t file) {
    const auto [found, added] =
        number_.try_emplace({server, file}, static_cast<std::uint32_t>(locks_.size()));
    if (added) locks_.emplace_back();
    return found->second;
}

bool ExtentLocks::take_locked(std::uint32_t lock, std::uint32_t node) {
    Lock& one = locks_[lock];
    if (one.holder != node || one.moving || !one.waiting.empty()) return false;
    ++one.writing;
    return true;
}

ExtentLocks::Answer ExtentLocks::ask(std::uint32_t lock, std::uint32_t node, std::uint32_t write) {
    Lock& one = locks_[lock];
    if (one.holder == nobody) one.holder = node;
    if (take_locked(lock, node)) return Answer::granted;
    one.waiting.push_back({node, write});
    return begin_move(one) ? Answer::moves : Answer::waits;
}

bool ExtentLocks::over(std::uint32_t lock) {
    --locks_[lock].writing;
    return begin_move(locks_[lock]);
}

std::vector<std::uint32_t> ExtentLocks::moved(std::uint32_t lock) {
    Lock& one = locks_[lock];
    one.moving = false;
    one.holder = one.waiting.front().node;
    std::vector<std::uint32_t> writes;
    while (!one.waiting.empty() && one.waiting.front().node == one.holder) {
        writes.push_back(one.waiting.front().write);
        one.waiting.pop_front();
    }
    one.writing = static_cast<std::int64_t>(writes.size());
    return writes;
}

bool ExtentLocks::begin_move(Lock& lock) {
    if (lock.moving || lock.writing > 0 || lock.waiting.empty()) return false;
    lock.moving = true;
    return true;
}

}  // namespace striate
