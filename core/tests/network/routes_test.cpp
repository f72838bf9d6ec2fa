#include "striate/network/routes.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <vector>

using striate::NetworkColumns;
using striate::Routes;
using striate::RouteSummary;
using Indices = std::vector<std::int32_t>;

namespace {

// Distances by relaxing every edge until nothing changes: slow, and obviously right.
std::vector<std::int32_t> plain_distances(std::int32_t components, const Indices& source,
                                          const Indices& target, std::int32_t destination) {
    constexpr std::int32_t far = 1 << 20;
    Indices distance(static_cast<std::size_t>(components), far);
    distance[static_cast<std::size_t>(destination)] = 0;
    for (std::int32_t pass = 0; pass < components; ++pass) {
        for (std::size_t edge = 0; edge < source.size(); ++edge) {
            const auto from = static_cast<std::size_t>(source[edge]);
            distance[from] = std::min(distance[from], distance[static_cast<std::size_t>(target[edge])] + 1);
        }
    }
    return distance;
}

Indices next_edges(Routes& routes, std::int32_t from, std::int32_t to) {
    const auto choices = routes.next_edges(from, to);
    return {choices.begin(), choices.end()};
}

}  // namespace

TEST_CASE("a star is a tree: up to the switch and down again") {
    // Components 0 and 1 hang on switch 2; cable 0-2 is edges 0 and 1, cable 1-2 is edges 2 and 3.
    Routes routes(3, Indices{0, 2, 1, 2}, Indices{2, 0, 2, 1});
    CHECK((routes.path(0, 1) == Indices{0, 3}));
    CHECK((routes.path(1, 2) == Indices{2}));
    CHECK(routes.path(1, 1).empty());
}

TEST_CASE("equal routes are decided by the lowest edge, and all of them are named") {
    // A square 0-1-3-2-0: two routes of two hops from 0 to 3, by edge 0 (to 1) or by edge 2 (to 2).
    Routes routes(4, Indices{0, 1, 0, 2, 1, 3, 2, 3}, Indices{1, 0, 2, 0, 3, 1, 3, 2});
    CHECK((routes.path(0, 3) == Indices{0, 4}));
    CHECK((next_edges(routes, 0, 3) == Indices{0, 2}));
    CHECK((next_edges(routes, 1, 3) == Indices{4}));
}

TEST_CASE("a cut cable and a one-way street are seen") {
    Routes routes(4, Indices{0, 1}, Indices{1, 2});
    Indices edges{7};
    CHECK(!routes.append_path(2, 0, edges));
    CHECK(!routes.append_path(0, 3, edges));
    CHECK((edges == Indices{7}));
    CHECK_THROWS(routes.path(0, 3));
    CHECK_THROWS(routes.path(0, 4));
    CHECK_THROWS(Routes(2, Indices{0}, Indices{2}));
}

TEST_CASE(
    "every route over random graphs is connected, shortest, and takes the lowest edge of those nearer") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const auto components = static_cast<std::int32_t>(1 + random() % 12);
        const auto pick = [&] {
            return static_cast<std::int32_t>(random() % static_cast<unsigned>(components));
        };
        Indices source;
        Indices target;
        const auto cables = random() % 14;
        for (unsigned cable = 0; cable < cables; ++cable) {
            source.push_back(pick());
            target.push_back(pick());
            if (random() % 4 == 0) continue;  // a one-way street now and then
            source.push_back(target.back());
            target.push_back(source[source.size() - 2]);
        }
        Routes routes(components, source, target);
        for (std::int32_t to = 0; to < components; ++to) {
            const Indices distance = plain_distances(components, source, target, to);
            for (std::int32_t from = 0; from < components; ++from) {
                Indices route;
                const bool reached = routes.append_path(from, to, route);
                CHECK(reached == (distance[static_cast<std::size_t>(from)] < components));
                if (!reached) continue;
                CHECK(static_cast<std::int32_t>(route.size()) == distance[static_cast<std::size_t>(from)]);
                std::int32_t at = from;
                for (const std::int32_t taken : route) {
                    Indices nearer;
                    for (std::size_t edge = 0; edge < source.size(); ++edge) {
                        if (source[edge] == at && distance[static_cast<std::size_t>(target[edge])] + 1 ==
                                                      distance[static_cast<std::size_t>(at)]) {
                            nearer.push_back(static_cast<std::int32_t>(edge));
                        }
                    }
                    CHECK(taken == nearer.front());
                    CHECK(next_edges(routes, at, to) == nearer);
                    at = target[static_cast<std::size_t>(taken)];
                }
                CHECK(at == to);
            }
        }
    }
}

TEST_CASE("a dealt route takes at every component the next of its equal edges") {
    std::mt19937 random(8);
    for (int round = 0; round < 200; ++round) {
        const auto components = static_cast<std::int32_t>(2 + random() % 12);
        const auto ring = static_cast<std::int32_t>(2 + random() % static_cast<unsigned>(components - 1));
        Indices source, target;
        for (std::int32_t at = 0; at < components; ++at) {  // a ring with cords, and trees that hang on it
            const auto other = static_cast<std::int32_t>(random() % static_cast<unsigned>(ring));
            for (const std::int32_t end : {at < ring ? (at + 1) % ring : other, other}) {
                if (end == at || (at >= ring && end == other && random() % 8 != 0 && !source.empty() &&
                                  source.back() == end && target.back() == at))
                    continue;
                source.insert(source.end(), {at, end});
                target.insert(target.end(), {end, at});
            }
        }
        Routes routes(components, source, target), plain(components, source, target);
        std::vector<std::uint32_t> turns(static_cast<std::size_t>(components)), counted = turns;
        for (int message = 0; message < 60; ++message) {
            const auto from = static_cast<std::int32_t>(random() % static_cast<unsigned>(components));
            const auto to = static_cast<std::int32_t>(random() % static_cast<unsigned>(components));
            Indices dealt, walked;
            routes.append_dealt(from, to, turns, dealt);
            for (std::int32_t at = from; at != to; at = plain.target(walked.back())) {
                const Indices choices = next_edges(plain, at, to);
                std::uint32_t& turn = counted[static_cast<std::size_t>(at)];
                walked.push_back(choices.size() == 1 ? choices.front() : choices[turn++ % choices.size()]);
            }
            CHECK(dealt == walked);
        }
    }
}

TEST_CASE("a summary adds latencies and finds the narrowest place, ends included") {
    // 0 -(5 ticks, 100 B/s)-> 1 -(7 ticks, 90 B/s)-> 2; component 1 lets 95 B/s through, component 2 only 80.
    const std::vector<double> bandwidth{200, 95, 80};
    const Indices source{0, 1};
    const Indices target{1, 2};
    const std::vector<double> edge_bandwidth{100, 90};
    const std::vector<std::int64_t> latency{5, 7};
    const NetworkColumns network{bandwidth, source, target, edge_bandwidth, latency};
    const auto routes = striate::summarise_routes(network, Indices{0, 0, 2, 1, 0}, Indices{2, 1, 0, 1, 2});
    CHECK((routes[0].hops == 2 && routes[0].latency_ticks == 12 && routes[0].bottleneck_bandwidth == 80));
    CHECK((routes[1].hops == 1 && routes[1].latency_ticks == 5 && routes[1].bottleneck_bandwidth == 95));
    CHECK(routes[2].hops == -1);
    CHECK((routes[3].hops == 0 && routes[3].latency_ticks == 0 && routes[3].bottleneck_bandwidth == 95));
    CHECK((routes[4].hops == 2 && routes[4].bottleneck_bandwidth == 80));
}
