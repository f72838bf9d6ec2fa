#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "striate/events/event.hpp"

#include <doctest/doctest.h>
#include "striate/events/hole_heap.hpp"
#include "striate/events/ladder_queue.hpp"
#include "striate/events/oracle_queue.hpp"
#include "striate/events/timed_heap.hpp"

using striate::Event;
using striate::HoleHeap;
using striate::LadderQueue;
using striate::OracleQueue;
using striate::Ticks;
using striate::TimedHeap;

namespace {

// A random simulation: events leave in order, and each leads to others no earlier than itself. `spans` are
// the delays drawn from, so that two-valued, dense, sparse and enormous steps all occur.
template <class Queue>
bool agrees_with_oracle(unsigned seed, std::size_t steps, std::size_t most_pending,
                        const std::vector<Ticks>& spans) {
    std::mt19937_64 random(seed);
    Queue queue;
    OracleQueue oracle;
    Ticks now = 0;
    for (std::size_t step = 0; step < steps; ++step) {
        const bool grow = oracle.empty() || (oracle.size() < most_pending && random() % 2 == 0);
        const std::size_t births = !grow ? 0 : random() % 64 == 0 ? 1 + most_pending / 4 : 1 + random() % 3;
        for (std::size_t birth = 0; birth < births; ++birth) {
            const Ticks span = spans[random() % spans.size()];
            const auto delay = static_cast<Ticks>(random() % static_cast<std::uint64_t>(span + 1));
            const Event event{now + delay, random() % 7};
            queue.push(event);
            oracle.push(event);
        }
        if (queue.size() != oracle.size() || !(queue.top() == oracle.top())) return false;
        if (step % 97 == 0) {
            auto pending = queue.pending();
            std::sort(pending.begin(), pending.end());
            if (pending != oracle.pending()) return false;
        }
        if (random() % 8 == 0) continue;
        const Event event = queue.pop();
        if (!(event == oracle.pop())) return false;
        now = event.time;
    }
    while (!oracle.empty()) {
        if (!(queue.pop() == oracle.pop())) return false;
    }
    return queue.empty();
}

template <class Queue>
void fuzz() {
    const std::vector<std::vector<Ticks>> mixes{
        {0},           {1}, {10, 1000}, {1'000'000}, {3, 1'000'000'000'000}, {0, 5, 40'000, Ticks{1} << 50},
        {0, 0, 0, 300}};
    for (unsigned seed = 0; seed < 84; ++seed) {
        const std::size_t most_pending = std::size_t{1} << (seed % 12);
        CHECK(agrees_with_oracle<Queue>(seed, 4000, most_pending, mixes[seed % mixes.size()]));
    }
}

}  // namespace

TEST_CASE("earlier times come first, and equal times in order of their key") {
    HoleHeap heap;
    for (const Event event : {Event{5, 1}, Event{3, 9}, Event{3, 2}, Event{4, 0}}) heap.push(event);
    CHECK((heap.pop() == Event{3, 2}));
    CHECK((heap.pop() == Event{3, 9}));
    heap.push({4, 7});  // fills the hole the last pop left
    CHECK(heap.size() == 3);
    CHECK((heap.pop() == Event{4, 0}));
    CHECK((heap.pop() == Event{4, 7}));
    CHECK((heap.pop() == Event{5, 1}));
    CHECK(heap.empty());
}

TEST_CASE("the hole heap equals the standard library's queue") { fuzz<HoleHeap>(); }

TEST_CASE("the ladder queue equals the standard library's queue") { fuzz<LadderQueue>(); }

TEST_CASE("a heap that looks at times alone leaves equal times as they lie: the first, then from the back") {
    TimedHeap heap;
    for (std::uint64_t key = 1; key <= 4; ++key) heap.push({7, key});
    std::vector<std::uint64_t> keys;
    while (!heap.empty()) keys.push_back(heap.pop().key);
    CHECK((keys == std::vector<std::uint64_t>{1, 4, 3, 2}));
    std::mt19937_64 random(1);
    std::vector<Ticks> times(1000);
    for (Ticks& time : times) heap.push({time = static_cast<Ticks>(random() % 100), 0});
    std::sort(times.begin(), times.end());
    for (const Ticks time : times) CHECK(heap.pop().time == time);
}
