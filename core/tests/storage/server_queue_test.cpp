#include "striate/storage/server_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <optional>
#include <random>
#include <vector>

using namespace striate;

namespace {

QueueRules rules(CachePolicy policy, std::int64_t largest = 1000) {
    QueueRules made;
    made.policy = policy;
    made.largest_bytes = largest;
    made.sieve_bytes = 10;
    return made;
}

Job job(std::int64_t offset, std::int64_t bytes, bool write = true, std::uint64_t cookie = 0) {
    return {{0, offset, bytes, write}, cookie};
}

// Takes and finishes everything; returns the offsets and sizes in the order of service.
std::vector<std::pair<std::int64_t, std::int64_t>> drain(ServerQueue& queue) {
    std::vector<std::pair<std::int64_t, std::int64_t>> served;
    while (queue.ready()) {
        const Operation operation = queue.take();
        served.emplace_back(operation.access.offset, operation.access.bytes);
        queue.finish(operation);
    }
    return served;
}

using Served = std::vector<std::pair<std::int64_t, std::int64_t>>;

// The same rules by looking at every waiting job: O(n) a choice.
struct SlowQueue {
    QueueRules rules;
    std::vector<Job> waiting;
    std::int64_t last_end = 0;

    Operation take() {
        const auto first = choose();
        Operation operation{first->access, {*first}};
        waiting.erase(first);
        if (rules.policy >= CachePolicy::aggregation) {
            while (const auto next = follower(operation.access)) {
                const auto found = waiting.begin() + static_cast<std::ptrdiff_t>(*next);
                operation.parts.push_back(*found);
                operation.access.bytes =
                    std::max(operation.access.end(), found->access.end()) - operation.access.offset;
                waiting.erase(found);
            }
        }
        last_end = operation.access.end();
        return operation;
    }

    std::vector<Job>::iterator choose() {
        if (rules.policy <= CachePolicy::aggregation) return waiting.begin();
        const bool reads =
            std::any_of(waiting.begin(), waiting.end(), [](const Job& one) { return !one.access.write; });
        auto best = waiting.end();
        const auto better = [&](const Job& one) {
            if (best == waiting.end()) return true;
            if (rules.policy == CachePolicy::server_directed) {
                const bool up = one.access.offset >= last_end, best_up = best->access.offset >= last_end;
                if (up != best_up) return up;
            }
            return one.access.offset < best->access.offset;
        };
        for (auto one = waiting.begin(); one != waiting.end(); ++one) {
            if (one->access.write != reads && better(*one)) best = one;
        }
        return best;
    }

    std::optional<std::size_t> follower(const Access& access) const {
        const bool sieves = rules.policy == CachePolicy::server_directed && !access.write;
        std::optional<std::size_t> best;
        for (std::size_t one = 0; one < waiting.size(); ++one) {
            const Access& other = waiting[one].access;
            const bool begins = sieves ? other.offset >= access.offset : other.offset >= access.end();
            if (other.write != access.write || !begins) continue;
            if (!best || other.offset < waiting[*best].access.offset) best = one;
        }
        if (!best) return {};
        const Access& other = waiting[*best].access;
        const bool close = other.offset <= access.end() + (sieves ? rules.sieve_bytes : 0);
        const bool fits = std::max(access.end(), other.end()) - access.offset <= rules.largest_bytes;
        return close && fits ? best : std::nullopt;
    }
};

}  // namespace

TEST_CASE("without a cache, jobs come in order and one waiting stops the receiving") {
    ServerQueue queue(rules(CachePolicy::direct));
    queue.add(job(500, 10));
    CHECK(queue.receives());  // nothing runs yet
    const Operation first = queue.take();
    CHECK(queue.receives());
    queue.add(job(0, 10));
    CHECK(!queue.receives());
    CHECK(!queue.ready());
    queue.finish(first);
    CHECK((drain(queue) == Served{{0, 10}}));
    CHECK(queue.idle());
}

TEST_CASE("write-behind serves in order and merges nothing") {
    ServerQueue queue(rules(CachePolicy::write_behind));
    for (const std::int64_t offset : {10, 0, 20}) queue.add(job(offset, 10));
    CHECK((drain(queue) == Served{{10, 10}, {0, 10}, {20, 10}}));
}

TEST_CASE("aggregation takes along what continues the oldest job") {
    ServerQueue queue(rules(CachePolicy::aggregation, 25));
    for (const std::int64_t offset : {10, 0, 20, 30}) queue.add(job(offset, 10));
    // 10 takes 20 along; 30 would make 30 bytes of 25; then 0, then 30.
    CHECK((drain(queue) == Served{{10, 20}, {0, 10}, {30, 10}}));
}

TEST_CASE("reordering serves reads first, then the smallest offset") {
    ServerQueue queue(rules(CachePolicy::aggregation_reorder));
    queue.add(job(30, 10));
    queue.add(job(0, 10));
    queue.add(job(90, 10, false));
    queue.add(job(10, 10));
    CHECK((drain(queue) == Served{{90, 10}, {0, 20}, {30, 10}}));
}

TEST_CASE("a server that directs goes upwards and reads over small gaps") {
    ServerQueue queue(rules(CachePolicy::server_directed));
    queue.add(job(100, 10, false));
    CHECK((drain(queue) == Served{{100, 10}}));
    queue.add(job(0, 10, false));
    queue.add(job(115, 10, false));
    queue.add(job(130, 10, false));  // 5 bytes further
    queue.add(job(160, 10, false));  // 20 bytes further
    CHECK((drain(queue) == Served{{115, 25}, {160, 10}, {0, 10}}));
}

TEST_CASE("parts hear in order of offset, or the second first as in the original") {
    for (const bool second_first : {false, true}) {
        QueueRules made = rules(CachePolicy::aggregation_reorder);
        made.second_part_first = second_first;
        ServerQueue queue(made);
        for (const std::int64_t offset : {20, 10, 0}) {
            queue.add(job(offset, 10, false, static_cast<std::uint64_t>(offset)));
        }
        std::vector<std::uint64_t> told;
        for (const Job& part : queue.take().parts) told.push_back(part.cookie);
        CHECK((told == (second_first ? std::vector<std::uint64_t>{10, 0, 20}
                                     : std::vector<std::uint64_t>{0, 10, 20})));
    }
}

TEST_CASE("memory fills with writes and empties when they are on disk") {
    QueueRules made = rules(CachePolicy::write_behind);
    made.memory_bytes = 25;
    ServerQueue queue(made);
    queue.add(job(0, 10));
    queue.add(job(10, 10));
    CHECK(queue.receives());  // 20 of 25
    queue.add(job(20, 10));
    CHECK((!queue.receives() && queue.dirty_bytes() == 30));
    queue.finish(queue.take());
    CHECK((queue.receives() && queue.dirty_bytes() == 20));
    queue.add(job(0, 1000, false));  // a read takes none of it
    CHECK(queue.receives());
    drain(queue);
    CHECK(queue.dirty_bytes() == 0);
}

TEST_CASE("several operations run at once when the disks take them") {
    QueueRules made = rules(CachePolicy::write_behind);
    made.concurrent = 2;
    ServerQueue queue(made);
    for (const std::int64_t offset : {0, 10, 20}) queue.add(job(offset, 10));
    const Operation first = queue.take();
    (void)queue.take();
    CHECK((!queue.ready() && queue.waiting() == 1));
    queue.finish(first);
    CHECK(queue.ready());
}

TEST_CASE("any history of jobs equals the slow twin's, part by part") {
    std::mt19937_64 random(3);
    for (int round = 0; round < 600; ++round) {
        const QueueRules made =
            rules(static_cast<CachePolicy>(random() % 5), static_cast<std::int64_t>(20 + random() % 80));
        ServerQueue queue(made);
        SlowQueue slow{made, {}};
        std::uint64_t cookie = 0;
        for (int step = 0; step < 60; ++step) {
            if (random() % 3 != 0) {
                const Job one{{0, static_cast<std::int64_t>(random() % 40) * 5,
                               static_cast<std::int64_t>(1 + random() % 2) * 5, random() % 4 != 0},
                              64 * cookie++ + random() % 3};  // few are recent at once
                queue.add(one);
                slow.waiting.push_back(one);
            } else if (queue.ready()) {
                const Operation got = queue.take(), expected = slow.take();
                CHECK(got.access == expected.access);
                CHECK(got.parts.size() == expected.parts.size());
                for (std::size_t part = 0; part < std::min(got.parts.size(), expected.parts.size()); ++part) {
                    CHECK(got.parts[part].cookie == expected.parts[part].cookie);
                }
                queue.finish(got);
            }
            CHECK(queue.waiting() == std::ssize(slow.waiting));
        }
    }
}

TEST_CASE("two hundred thousand waiting jobs are merged in well under a second") {
    ServerQueue queue(rules(CachePolicy::aggregation, std::int64_t{1} << 40));
    constexpr std::int64_t many = 200'000;
    const std::clock_t before = std::clock();
    for (std::int64_t one = many - 1; one >= 0; --one) queue.add(job(one * 10, 10));
    const Served served = drain(queue);
    const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    CHECK(served.size() == many);  // the oldest lies last: nothing continues it
    for (std::int64_t one = 0; one < many; ++one) queue.add(job(one * 10, 10));
    CHECK((drain(queue) == Served{{0, many * 10}}));
    CHECK(seconds < 3);  // under the sanitizers, too
}
