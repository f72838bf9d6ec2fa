#include "striate/storage/extent_locks.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace striate;

namespace {

using Answer = ExtentLocks::Answer;
using Writes = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a node that holds a lock alone writes on without asking") {
    ExtentLocks locks;
    const std::uint32_t lock = locks.lock_of(0, 7);
    CHECK(!locks.take_locked(lock, 3));  // nobody holds it
    CHECK(locks.ask(lock, 3, 100) == Answer::granted);
    CHECK(locks.take_locked(lock, 3));
    CHECK(!locks.over(lock));
    CHECK(!locks.over(lock));
    CHECK(locks.lock_of(0, 7) == lock);
    CHECK(locks.lock_of(1, 7) != lock);  // another object of the file
}

TEST_CASE("another node waits for the writes of the holder and for the move") {
    ExtentLocks locks;
    const std::uint32_t lock = locks.lock_of(0, 0);
    CHECK(locks.ask(lock, 1, 10) == Answer::granted);
    CHECK(locks.ask(lock, 2, 20) == Answer::waits);
    CHECK(!locks.take_locked(lock, 1));  // somebody waits: the holder queues, too
    CHECK(locks.ask(lock, 2, 21) == Answer::waits);
    CHECK(locks.ask(lock, 1, 11) == Answer::waits);
    CHECK(locks.over(lock));
    CHECK(locks.moved(lock) == Writes{20, 21});  // those of one node together
    CHECK(!locks.over(lock));
    CHECK(locks.over(lock));  // the lock moves back
    CHECK(locks.moved(lock) == Writes{11});
}

TEST_CASE("an idle lock of another node moves at once") {
    ExtentLocks locks;
    const std::uint32_t lock = locks.lock_of(0, 0);
    CHECK(locks.ask(lock, 1, 10) == Answer::granted);
    CHECK(!locks.over(lock));
    CHECK(locks.ask(lock, 2, 20) == Answer::moves);
    CHECK(locks.ask(lock, 1, 11) == Answer::waits);
    CHECK(locks.moved(lock) == Writes{20});
}
