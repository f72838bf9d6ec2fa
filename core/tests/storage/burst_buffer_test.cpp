#include "striate/storage/burst_buffer.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

using namespace striate;

namespace {

Access write(std::int64_t offset, std::int64_t bytes) { return {0, offset, bytes, true}; }

}  // namespace

TEST_CASE("writes fill the buffer and leave when they are on disk") {
    BurstBuffer buffer({100, 0, 40});
    buffer.add(write(0, 60));
    CHECK((buffer.accepts(40) && !buffer.accepts(41)));
    const std::vector<Drain> drains = buffer.drain(false);
    CHECK(drains.size() == 2);  // 40 bytes, then 20
    CHECK((drains[0].write == write(0, 40) && drains[1].write == write(40, 20)));
    CHECK(buffer.drain(false).empty());  // all on its way
    CHECK(buffer.dirty_bytes() == 60);
    buffer.drained(drains[0]);
    CHECK((buffer.dirty_bytes() == 20 && !buffer.holds(0, 0, 60) && buffer.holds(0, 40, 20)));
    buffer.drained(drains[1]);
    CHECK(buffer.empty());
}

TEST_CASE("it drains down to its threshold, and all for a sync") {
    BurstBuffer buffer({100, 50, 1000});
    buffer.add(write(0, 30));
    CHECK(buffer.drain(false).empty());
    buffer.add(write(30, 30));  // 60 > 50: the oldest goes
    CHECK(buffer.drain(false).size() == 1);
    CHECK(buffer.drain(true).size() == 1);
}

TEST_CASE("bytes written again while they drain stay") {
    BurstBuffer buffer({100, 0, 1000});
    buffer.add(write(0, 30));
    const std::vector<Drain> first = buffer.drain(false);
    buffer.add(write(10, 10));
    CHECK(buffer.dirty_bytes() == 30);
    buffer.drained(first[0]);
    CHECK((buffer.dirty_bytes() == 10 && buffer.holds(0, 10, 10)));
    const std::vector<Drain> second = buffer.drain(false);
    CHECK((second.size() == 1 && second[0].write == write(10, 10)));
}

TEST_CASE("any history of writes and drains equals a byte map") {
    std::mt19937_64 random(5);
    for (int round = 0; round < 300; ++round) {
        BurstBuffer buffer({1000, 20, 7});
        std::map<std::int64_t, std::uint64_t> buffered;  // byte -> age of its write
        std::vector<Drain> in_flight;
        std::uint64_t age = 0;
        for (int step = 0; step < 60; ++step) {
            if (random() % 2 == 0) {
                const Access one = write(static_cast<std::int64_t>(random() % 60),
                                         static_cast<std::int64_t>(1 + random() % 15));
                buffer.add(one);
                for (std::int64_t byte = one.offset; byte < one.end(); ++byte) buffered[byte] = age;
                ++age;
            } else if (random() % 2 == 0 || in_flight.empty()) {
                const std::vector<Drain> more = buffer.drain(random() % 4 == 0);
                for (const Drain& drain : more) {
                    for (std::int64_t byte = drain.write.offset; byte < drain.write.end(); ++byte) {
                        CHECK(buffered.at(byte) == drain.age);
                    }
                }
                in_flight.insert(in_flight.end(), more.begin(), more.end());
            } else {
                const auto picked =
                    in_flight.begin() + static_cast<std::ptrdiff_t>(random() % in_flight.size());
                buffer.drained(*picked);
                for (std::int64_t byte = picked->write.offset; byte < picked->write.end(); ++byte) {
                    const auto found = buffered.find(byte);
                    if (found != buffered.end() && found->second == picked->age) buffered.erase(found);
                }
                in_flight.erase(picked);
            }
            CHECK(buffer.dirty_bytes() == std::ssize(buffered));
            const auto from = static_cast<std::int64_t>(random() % 60),
                       size = static_cast<std::int64_t>(random() % 8);
            bool all = true;
            for (std::int64_t byte = from; byte < from + size; ++byte) all = all && buffered.contains(byte);
            CHECK(buffer.holds(0, from, size) == all);
        }
    }
}

TEST_CASE("nonsense is refused") {
    CHECK_THROWS(BurstBuffer({-1, 0, 10}));
    CHECK_THROWS(BurstBuffer({100, 100, 10}));
    CHECK_THROWS(BurstBuffer({100, 0, 0}));
}
