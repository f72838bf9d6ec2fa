#include "striate/network/fair_shares.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

using striate::FairShares;

namespace {

struct Flow {
    std::vector<std::uint32_t> stations;
    double cap = 0;
    bool here = false;
};

// Progressive filling as the textbooks have it: raise all, stop those at their cap or at a full station,
// repeat.
std::vector<double> plain_rates(const std::vector<double>& capacities, const std::vector<Flow>& flows) {
    std::vector<double> rates(flows.size(), -1), room = capacities;
    while (true) {
        std::vector<double> rising(capacities.size(), 0);
        double level = std::numeric_limits<double>::infinity();
        bool any = false;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (!flows[i].here || rates[i] >= 0) continue;
            any = true;
            level = std::min(level, flows[i].cap);
            for (const auto station : flows[i].stations) rising[station] += 1;
        }
        if (!any) return rates;
        for (std::size_t s = 0; s < room.size(); ++s) {
            if (rising[s] > 0) level = std::min(level, room[s] / rising[s]);
        }
        std::vector<bool> full(room.size());
        for (std::size_t s = 0; s < room.size(); ++s)
            full[s] = rising[s] > 0 && room[s] / rising[s] <= level * (1 + 1e-12);
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (!flows[i].here || rates[i] >= 0) continue;
            const auto& stations = flows[i].stations;
            const bool stops = flows[i].cap <= level * (1 + 1e-12) ||
                               std::any_of(stations.begin(), stations.end(), [&](auto s) { return full[s]; });
            if (stops) rates[i] = level;
        }
        room = capacities;
        for (std::size_t i = 0; i < flows.size(); ++i) {
            if (!flows[i].here || rates[i] < 0) continue;
            for (const auto station : flows[i].stations) room[station] -= rates[i];
        }
    }
}

// Random flows over random routes come and go; after every change all rates must equal the plain method's.
bool agrees(std::uint64_t seed, double tolerance, double error) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::uint64_t least, std::uint64_t most) {
        return least + random() % (most - least + 1);
    };
    const bool round = pick(0, 1) == 0;  // equal capacities make ties
    std::vector<double> capacities(pick(1, 30));
    for (double& capacity : capacities)
        capacity = round ? 1e6 * static_cast<double>(pick(1, 3)) : static_cast<double>(pick(1000, 5'000'000));
    FairShares shares(capacities, tolerance);
    std::vector<Flow> flows(pick(1, 60));
    for (int change = 0; change < 60; ++change) {
        for (std::uint64_t together = pick(1, 4); together > 0; --together) {
            const auto index = static_cast<std::uint32_t>(pick(0, flows.size() - 1));
            Flow& flow = flows[index];
            if (flow.here) {
                flow.here = false;
                shares.leave(index);
                continue;
            }
            flow = {{}, std::numeric_limits<double>::infinity(), true};
            for (std::uint64_t hop = pick(1, 4); hop > 0; --hop) {
                const auto station = static_cast<std::uint32_t>(pick(0, capacities.size() - 1));
                if (std::find(flow.stations.begin(), flow.stations.end(), station) != flow.stations.end())
                    continue;
                flow.stations.push_back(station);
                flow.cap = std::min(flow.cap, capacities[station]);
            }
            if (pick(0, 4) == 0) flow.cap /= static_cast<double>(pick(1, 9));
            shares.join(index, flow.stations, flow.cap);
        }
        shares.solve();
        const auto wanted = plain_rates(capacities, flows);
        for (std::uint32_t i = 0; i < flows.size(); ++i) {
            if (!flows[i].here || std::abs(shares.rate(i) - wanted[i]) <= error * wanted[i]) continue;
            std::printf("  seed %llu, change %d, flow %u: %.17g instead of %.17g\n",
                        static_cast<unsigned long long>(seed), change, i, shares.rate(i), wanted[i]);
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("mended rates are those of progressive filling from scratch") {
#if defined(__SANITIZE_ADDRESS__)
    constexpr std::uint64_t cases = 200;
#else
    constexpr std::uint64_t cases = 2000;
#endif
    for (std::uint64_t seed = 0; seed < cases; ++seed) {
        CHECK(agrees(seed, FairShares::rounding, 1e-9));
        CHECK(agrees(seed, 1e-4, 1e-2));  // a tolerance adds up along a chain of stations, but not for ever
    }
}

TEST_CASE("who holds a flow is told, and only what changed") {
    FairShares shares({10, 10, 100});
    shares.join(0, std::vector<std::uint32_t>{0}, 10);
    shares.join(1, std::vector<std::uint32_t>{0, 2}, 10);
    shares.join(2, std::vector<std::uint32_t>{1}, 4);
    shares.solve();
    CHECK(shares.up_to_date());
    CHECK(shares.rate(0) == 5);
    CHECK(shares.holder(1) == 0);
    CHECK(shares.holder(2) == striate::none);
    shares.leave(0);
    CHECK(!shares.up_to_date());
    shares.solve();
    CHECK(shares.rate(1) == 10);
    CHECK((shares.changed_stations() == std::vector<std::uint32_t>{0}));
    CHECK((shares.freed_flows() == std::vector<std::uint32_t>{1}));
}
