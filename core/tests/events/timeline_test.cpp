#include "striate/events/timeline.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "small_network.hpp"
#include "striate/network/schedule.hpp"

using striate::Bar;
using striate::Timeline;
using striate::Transfer;

namespace {

constexpr double byte_per_tick = 1e12;

// Two interfaces on one memory; every station takes 1 tick per byte, links 7 ticks more.
SmallNetwork one_socket() {
    SmallNetwork network;
    const auto memory = network.component(byte_per_tick, byte_per_tick, striate::ComponentKind::memory);
    for (int nic = 0; nic < 2; ++nic) network.nic(memory, byte_per_tick, byte_per_tick, 7);
    return network;
}

std::vector<Transfer> transfers(const SmallSchedule& schedule, bool warp) {
    Timeline timeline(1 << 20);
    striate::RunOptions options;
    options.warp = warp;
    options.timeline = &timeline;
    (void)schedule.simulate(one_socket().stations({100}), options);
    std::vector<Transfer> rows;
    for (std::size_t at = 0; at < timeline.transfers.size(); ++at) rows.push_back(timeline.transfers[at]);
    return rows;
}

bool same(const Transfer& left, const Transfer& right) {
    return left.start == right.start && left.end == right.end && left.bytes == right.bytes &&
           left.station == right.station && left.source == right.source && left.target == right.target;
}

}  // namespace

TEST_CASE("a message is seen at both interfaces, first packet to last") {
    SmallSchedule schedule;
    schedule.send(0, 1, 60);  // 60 + 40 of header = 100 B
    const auto rows = transfers(schedule, true);
    // Stations: the memory is 0, interfaces are 1 and 2. It leaves at 0-100 and, after a link, the memory and
    // another link of 100 each and twice 7 of latency, arrives at 414-514.
    CHECK(rows.size() == 2);
    CHECK(same(rows[0], {0, 100, 60, 1, 0, 1}));
    CHECK(same(rows[1], {414, 514, 60, 2, 0, 1}));
}

TEST_CASE("a long message has one row per station, however many packets it has") {
    SmallSchedule schedule;
    schedule.send(0, 1, 100'000);
    const auto played = transfers(schedule, false), skipped = transfers(schedule, true);
    CHECK(played.size() == 2);
    CHECK(played[0].bytes == 100'000);
    CHECK(played[1].end > 100'040);
    for (std::size_t at = 0; at < played.size(); ++at) CHECK(same(played[at], skipped[at]));
}

TEST_CASE("messages of one pair that take turns end their own rows") {
    SmallSchedule schedule;
    schedule.send(0, 0, 300);     // to oneself: the interface and nothing else
    schedule.send(0, 0, 50, 10);  // joins while the first packet (140) is served
    const auto rows = transfers(schedule, true);
    // 140 | 100: first message's second packet | 90: second message | 100: the rest
    CHECK(rows.size() == 2);
    CHECK(same(rows[0], {0, 430, 300, 1, 0, 0}));
    CHECK(same(rows[1], {240, 330, 50, 1, 0, 0}));
}

TEST_CASE("a full timeline counts what it drops and keeps the beginning") {
    Timeline timeline(2 * sizeof(Transfer) + sizeof(Bar));
    CHECK(timeline.add(Bar{.start = 1}) == 0);
    CHECK(timeline.add(Transfer{1, 2, 3, 0, 0, 1}) == 0);
    CHECK(timeline.add(Transfer{2, 3, 3, 0, 0, 1}) == 1);
    CHECK(timeline.add(Transfer{3, 4, 3, 0, 0, 1}) == Timeline::dropped_row);
    timeline.extend(Timeline::dropped_row, 9, 9);  // of a row that was dropped: nothing happens
    CHECK(timeline.dropped() == 1);
    CHECK(timeline.bars[0].start == 1);
    CHECK(timeline.transfers.size() == 2);
}

TEST_CASE("rows stay where they are when more come") {
    striate::RowChunks<Transfer> rows;
    rows.add({1, 2, 3, 0, 0, 1});
    const Transfer* first = &rows[0];
    for (int i = 0; i < 100'000; ++i) rows.add({i, i, i, 0, 0, 1});
    CHECK(first == &rows[0]);
    CHECK(rows[100'000].start == 99'999);
}
