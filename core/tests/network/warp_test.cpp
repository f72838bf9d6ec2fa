#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "random_case.hpp"
#include "striate/network/schedule.hpp"

#include <doctest/doctest.h>

using striate::QueueKind;

TEST_CASE("two messages through one cable wait for each other, and the queue is told") {
    RandomCase fabric(1);
    fabric.network = {};
    const auto left = fabric.network.component(1e12);
    const auto right = fabric.network.component(1e12);
    fabric.network.cable(left, right, 1e9, 0);
    for (const auto at : {left, left, right}) fabric.network.nic(at, 1e12, 1e12, 0);
    fabric.schedule = {};
    fabric.schedule.send(0, 2, 960);
    fabric.schedule.send(1, 2, 960);
    fabric.settings = {.packet_bytes = 1000};
    const auto result = fabric.simulate({});
    CHECK(std::abs(result.waited[2] - 1e-6) < 5e-9);  // the second stands behind 1,000 B at 1 GB/s
}

TEST_CASE("a long transfer skips nearly all of its events and loses not a tick") {
    RandomCase fabric(1);
    fabric.network = {};
    const auto memory = fabric.network.component(1e9, 2e9, striate::ComponentKind::memory);
    for (int nic = 0; nic < 2; ++nic) fabric.network.nic(memory, 10e9, 3e9, 79000);
    fabric.schedule = {};
    fabric.schedule.send(0, 1, 100'000'000);
    fabric.settings = {.packet_bytes = 1000};
    std::int64_t polls = 0;
    const auto plain = fabric.simulate({.warp = false, .poll = [&] { ++polls; }});
    const auto fast = fabric.simulate({.warp = true});
    CHECK(same_run(plain, fast));
    CHECK(plain.events == 1'000'000);  // 100,000 packets, five stations, arrival and completion
    CHECK(polls == 0);
    CHECK(plain.skipped == 0);
    CHECK(fast.skipped > 999'000);
}

TEST_CASE("fast-forward and the plain engine agree tick for tick on random machines") {
    std::int64_t events = 0;
    std::int64_t skipped = 0;
    for (std::uint64_t seed = 0; seed < fuzz_cases; ++seed) {
        const RandomCase fabric(seed);
        const auto plain = fabric.simulate({.warp = false});
        const auto fast = fabric.simulate({.warp = true});
        if (!same_run(plain, fast)) std::printf("  seed %llu\n", static_cast<unsigned long long>(seed));
        CHECK(same_run(plain, fast));
        CHECK(same_queues(plain, fast));
        events += plain.events;
        skipped += fast.skipped;
    }
    CHECK(events > static_cast<std::int64_t>(fuzz_cases) * 1000);  // the cases are not empty,
    CHECK(skipped > events / 5);                                   // and there is something to skip in them
}

TEST_CASE("the queue decides nothing but the speed") {
    for (std::uint64_t seed = 0; seed < fuzz_cases / 10; ++seed) {
        const RandomCase fabric(seed);
        const auto oracle = fabric.simulate({.warp = false, .queue = QueueKind::oracle});
        for (const QueueKind queue : {QueueKind::hole_heap, QueueKind::ladder}) {
            CHECK(same_run(oracle, fabric.simulate({.warp = true, .queue = queue})));
        }
    }
}

TEST_CASE("other ties move neither a byte nor an event") {
    std::int64_t moved = 0;
    for (std::uint64_t seed = 0; seed < fuzz_cases / 10; ++seed) {
        const RandomCase fabric(seed);
        const auto ours = fabric.simulate({.warp = false});
        for (const QueueKind queue : {QueueKind::timed_heap, QueueKind::entry_heap}) {
            const auto loose = fabric.simulate({.queue = queue});
            if (fabric.settings.routing == striate::Routing::shortest) {  // else ties decide the route, too
                CHECK(loose.stations == ours.stations);
                CHECK(loose.events == ours.events);
            }
            CHECK(loose.skipped == 0);
            moved += loose.delivered != ours.delivered ? 1 : 0;
        }
    }
    CHECK(moved > 0);
}
