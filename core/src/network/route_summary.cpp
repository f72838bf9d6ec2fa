#include <algorithm>
#include <stdexcept>

#include "striate/network/routes.hpp"

namespace striate {

namespace {

constexpr std::size_t cache_lines = std::size_t{1} << 16;

struct Remembered {
    std::int32_t from = -1;
    std::int32_t to = -1;
    RouteSummary summary{};
};

RouteSummary walk(const NetworkColumns& network, Routes& routes, std::int32_t from, std::int32_t to,
                  std::vector<std::int32_t>& edges) {
    edges.clear();
    if (!routes.append_path(from, to, edges)) return {-1, 0, 0.0};
    RouteSummary summary{static_cast<std::int64_t>(edges.size()), 0,
                         network.bandwidth[static_cast<std::size_t>(from)]};
    for (const std::int32_t edge : edges) {
        const auto at = static_cast<std::size_t>(edge);
        const auto next = static_cast<std::size_t>(network.edge_target[at]);
        summary.latency_ticks += network.edge_latency[at];
        summary.bottleneck_bandwidth =
            std::min({summary.bottleneck_bandwidth, network.edge_bandwidth[at], network.bandwidth[next]});
    }
    return summary;
}

std::size_t line_of(std::int32_t from, std::int32_t to) {
    const auto pair = static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32 |
                      static_cast<std::uint64_t>(static_cast<std::uint32_t>(to));
    return static_cast<std::size_t>((pair * 0x9e3779b97f4a7c15U) >> 48);  // 16 well-mixed bits
}

}  // namespace

std::vector<RouteSummary> summarise_routes(const NetworkColumns& network, std::span<const std::int32_t> from,
                                           std::span<const std::int32_t> to) {
    const std::size_t edges = network.edge_source.size();
    if (from.size() != to.size()) throw std::invalid_argument("the two ends of the pairs differ in number");
    if (network.edge_bandwidth.size() != edges || network.edge_latency.size() != edges) {
        throw std::invalid_argument("the edge columns differ in length");
    }
    Routes routes(static_cast<std::int32_t>(network.bandwidth.size()), network.edge_source,
                  network.edge_target);
    std::vector<Remembered> cache(cache_lines);
    std::vector<std::int32_t> route;
    std::vector<RouteSummary> summaries;
    summaries.reserve(from.size());
    for (std::size_t pair = 0; pair < from.size(); ++pair) {
        Remembered& line = cache[line_of(from[pair], to[pair])];
        if (line.from != from[pair] || line.to != to[pair]) {
            line = {from[pair], to[pair], walk(network, routes, from[pair], to[pair], route)};
        }
        summaries.push_back(line.summary);
    }
    return summaries;
}

}  // namespace striate
