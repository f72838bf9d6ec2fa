#include <cmath>
#include <cstdint>
#include <vector>

#include "small_network.hpp"
#include "striate/network/schedule.hpp"

#include <doctest/doctest.h>

using striate::Fidelity;
using striate::ScheduleResult;

namespace {

// A bus of components; neighbours are joined by cables of the given rates, interfaces are a thousand times
// faster.
SmallNetwork chain(const std::vector<double>& cables, const std::vector<std::int32_t>& nics) {
    SmallNetwork network;
    network.component(1e12);
    for (const double rate : cables) {
        const std::int32_t next = network.component(1e12);
        network.cable(next - 1, next, rate, 0);
    }
    for (const std::int32_t at : nics) network.nic(at, 1e12, 1e12, 0);
    return network;
}

ScheduleResult simulate(const SmallNetwork& network, const SmallSchedule& schedule, Fidelity fidelity) {
    return schedule.simulate(network.stations({.packet_bytes = 1000}), {.fidelity = fidelity});
}

bool about(std::int64_t ticks, double seconds) {
    return std::abs(static_cast<double>(ticks) * 1e-12 - seconds) < 2e-5;
}

}  // namespace

TEST_CASE("a message alone flows at the rate of the narrowest place, as its packets do") {
    SmallSchedule schedule;
    schedule.send(0, 1, 10'000'000);
    const auto network = chain({1e9, 5e8}, {0, 2});
    const auto flow = simulate(network, schedule, Fidelity::flows);
    CHECK(about(flow.delivered[0], 10e6 / 5e8));
    const auto packets = simulate(network, schedule, Fidelity::packets);
    CHECK(std::abs(flow.delivered[0] - packets.delivered[0]) <
          2'100'000);  // one packet at 5e8 B/s takes 2 us
}

TEST_CASE("two messages share a cable; when one ends the other takes all") {
    SmallSchedule schedule;
    schedule.send(0, 2, 1'000'000);
    schedule.send(1, 2, 3'000'000);
    const auto result = simulate(chain({1e9}, {0, 0, 1}), schedule, Fidelity::flows);
    CHECK(about(result.delivered[0], 2e6 / 1e9));  // half the rate
    CHECK(about(result.delivered[1], 4e6 / 1e9));  // the cable is never idle
}

TEST_CASE("rates are max-min fair: who is held up elsewhere leaves the rest to others") {
    // Cable 1 (1 GB/s) carries messages 0 and 1, cable 2 (2 GB/s) carries 1 and 2: rates 0.5, 0.5 and 1.5
    // GB/s.
    SmallSchedule schedule;
    schedule.send(0, 1, 5'000'000);
    schedule.send(0, 2, 5'000'000);
    schedule.send(1, 2, 15'000'000);
    const auto result = simulate(chain({1e9, 2e9}, {0, 1, 2}), schedule, Fidelity::flows);
    CHECK(about(result.delivered[0], 0.010));
    CHECK(about(result.delivered[1], 0.010));
    CHECK(about(result.delivered[2], 0.010));
}

TEST_CASE("a message that joins later slows the others from then on") {
    SmallSchedule schedule;
    schedule.send(0, 2, 2'000'000);
    schedule.send(1, 2, 2'000'000, 1'000'000'000);  // after 1 ms, when half of the first is through
    const auto result = simulate(chain({1e9}, {0, 0, 1}), schedule, Fidelity::flows);
    CHECK(about(result.delivered[0], 0.003));
    CHECK(about(result.delivered[1], 0.004));
    CHECK(result.stations[2].bytes == 2 * (2'000'000 + 40));  // the cable's way out, after two components
}
