#include "striate/network/schedule.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "small_network.hpp"

using striate::ComponentKind;
using striate::NetworkSettings;
using striate::Rounding;
using striate::Routing;
using striate::ScheduleResult;
using Times = std::vector<std::int64_t>;

namespace {

// Rates are in bytes per picosecond times 1e12, so that a byte takes whole ticks.
constexpr double byte_per_tick = 1e12;

ScheduleResult simulate(const SmallNetwork& network, const SmallSchedule& schedule,
                        const NetworkSettings& settings) {
    return schedule.simulate(network.stations(settings));
}

// Two interfaces on one memory; every station takes 1 tick per byte, the memory 2, or 1 between its
// neighbours.
SmallNetwork one_socket() {
    SmallNetwork network;
    const auto memory = network.component(byte_per_tick / 2, byte_per_tick, ComponentKind::memory);
    for (int nic = 0; nic < 2; ++nic) network.nic(memory, byte_per_tick, byte_per_tick, 7);
    return network;
}

}  // namespace

TEST_CASE("a packet is stored and forwarded by every station") {
    SmallSchedule schedule;
    schedule.send(0, 1, 60);  // 60 + 40 of header = 100 B
    const auto result = simulate(one_socket(), schedule, {100});
    // interface 100, link 100 + 7, memory at its local rate 100, link 100 + 7, interface 100
    CHECK(result.delivered == Times{514});
    CHECK(result.sent == Times{0});  // its only packet starts at once
    CHECK(result.events == 10);      // arrival and completion at five stations
}

TEST_CASE("only the first packet carries a header, and packets follow each other") {
    SmallSchedule schedule;
    schedule.send(0, 1, 250);  // packets of 140, 100 and 50 B
    const auto result = simulate(one_socket(), schedule, {100});
    // Packet 1 passes stations at 0-140, 140-280, 287-427, 427-567, 574-714. Interface: a full packet's worth
    // (100) may be in flight, so packet 2 (100 B) starts when the link starts packet 1, at 140; the link is
    // free at 280 (window 107 > 0 used after memory starts packet 1 at 287, used 140 >= 107: blocked until
    // 287): 287-387. Memory: free at 427, window = 200 (slower rate): 427-527 after arrival at 394. Second
    // link: packet 1 took 140 >= 107, so it waits until 574; packet 2 there 574-674, arrival 681, interface
    // free at 714: 714-814. Packet 3 (50 B): interface 287-337, link 387-437 (used 100 < 107), memory 527-577
    // (arrival 444; the memory's used 140 + 100 = 240 >= 200 until link 2 starts packet 2 at 574): 574-624.
    // Link 2: 674-724, interface 814-864.
    CHECK(result.delivered == Times{864});
    CHECK(result.sent == Times{287});
    CHECK(result.stations[0].busy == 140 + 100 + 50);
    CHECK(result.stations[0].packets == 3);
    CHECK(result.stations[0].bytes == 290);
}

TEST_CASE("messages of one pair take turns packet by packet") {
    SmallSchedule schedule;
    schedule.send(0, 0, 300);     // to oneself: the interface and nothing else
    schedule.send(0, 0, 50, 10);  // joins while the first packet (140) is served
    const auto result = simulate(one_socket(), schedule, {100});
    // 140 | 100: first message's second packet was there already | 90: second message | 100: the rest
    CHECK((result.delivered == Times{140 + 100 + 90 + 100, 140 + 100 + 90}));
    CHECK((result.sent == Times{330, 240}));
}

TEST_CASE("streams that share a station are served in turn") {
    SmallNetwork network;
    const auto hub = network.component(byte_per_tick * 100);
    for (int nic = 0; nic < 3; ++nic) network.nic(hub, byte_per_tick * 100, byte_per_tick, 0);
    SmallSchedule schedule;
    schedule.send(0, 2, 2960);  // 3000 B on the wire
    schedule.send(1, 2, 2960);
    const auto result = simulate(network, schedule, {1000});
    // Packets of 1040, 1000, 960 B. Both first packets leave their links at 10.4 + 1040 = 1050, pass the hub
    // in 10 each (10.4 rounded); the receiver's link then serves 0, 1, 0, 1, ... without a pause: 6000 in
    // all.
    const std::int64_t link_starts = 10 + 1040 + 10;
    CHECK(result.delivered[1] == link_starts + 6000 + 10);
    CHECK(result.delivered[0] == link_starts + 6000 - 960 + 10);
}

TEST_CASE("an analytical interface meets no contention") {
    SmallNetwork network;
    const auto hub = network.component(byte_per_tick * 100);
    for (int nic = 0; nic < 3; ++nic) network.nic(hub, byte_per_tick * 100, byte_per_tick, 5, true);
    SmallSchedule schedule;
    schedule.send(0, 2, 160);
    schedule.send(1, 2, 160);
    const auto result = simulate(network, schedule, {1000});
    // The slowest station takes 200, two latencies of 5, then the receiver's own interface 2, and once more
    // in turn.
    CHECK((result.delivered == Times{200 + 10 + 2, 200 + 10 + 2 + 2}));
    CHECK(result.events == 2 * 4);
}

TEST_CASE("a cut-through component passes the head on while the tail still comes in") {
    for (const bool passes_on : {false, true}) {
        SmallNetwork network;
        const auto hub = network.component(
            byte_per_tick, 0, passes_on ? ComponentKind::cut_through : ComponentKind::store_forward);
        for (int nic = 0; nic < 2; ++nic) network.nic(hub, byte_per_tick, byte_per_tick, 0);
        SmallSchedule schedule;
        schedule.send(0, 1, 360);  // 400 B; five stations of 400, or four and a header of 40
        CHECK(simulate(network, schedule, {1000}).delivered == Times{passes_on ? 4 * 400 + 40 : 5 * 400});
    }
}

TEST_CASE("a step starts when what it waits for is delivered, or sent, and its delay is over") {
    SmallSchedule schedule;
    schedule.send(0, 1, 60);
    schedule.send(1, 0, 60, 3, {0});
    schedule.send(-1, -1, 0, 11, {0}, true);
    const auto result = simulate(one_socket(), schedule, {100});
    CHECK((result.start == Times{0, 514 + 3, 11}));
    CHECK((result.delivered == Times{514, 514 + 3 + 514, 11}));
    CHECK(result.end == 1031);
}

TEST_CASE("round-robin routing deals messages over equal routes") {
    SmallNetwork network;
    const auto left = network.component(byte_per_tick * 100);
    const auto right = network.component(byte_per_tick * 100);
    for (int direction = 0; direction < 2; ++direction) {
        const auto middle = network.component(byte_per_tick * 100);
        network.cable(left, middle, byte_per_tick, 0);
        network.cable(middle, right, byte_per_tick, 0);
    }
    for (const auto at : {left, left, right, right})
        network.nic(at, byte_per_tick * 100, byte_per_tick * 100, 0);
    SmallSchedule schedule;
    schedule.send(0, 2, 960);
    schedule.send(1, 3, 960);
    const auto shortest = simulate(network, schedule, {1000});
    const auto spread =
        simulate(network, schedule, {1000, Rounding::nearest_picosecond, Routing::round_robin});
    CHECK(shortest.end > 3000);  // both over the first route: 1000 + 1000, and 1000 of waiting
    CHECK(spread.end < 2100);    // each over its own
}

TEST_CASE("what cannot be is refused") {
    SmallNetwork apart = one_socket();
    apart.nic(apart.component(1), 1, 1, 0);
    SmallSchedule unreachable;
    unreachable.send(0, 2, 1);
    CHECK_THROWS(simulate(apart, unreachable, {100}));
    SmallSchedule circle;
    circle.send(0, 1, 1, 0, {1});
    circle.send(1, 0, 1, 0, {0});
    CHECK_THROWS(simulate(one_socket(), circle, {100}));
    SmallSchedule nobody;
    nobody.send(0, 7, 1);
    CHECK_THROWS(simulate(one_socket(), nobody, {100}));
    SmallNetwork still = one_socket();
    still.link_bandwidth[0] = 0;
    CHECK_THROWS(still.stations({100}));
}
