#include "striate/programs/rank_routes.hpp"

#include <algorithm>
#include <cmath>

#include "striate/network/rate.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

std::size_t index(std::int64_t value) { return static_cast<std::size_t>(value); }

}  // namespace

Wide RankRoute::transfer(std::int64_t bytes) const {
    return std::llround(static_cast<double>(bytes) / bandwidth * 1e12);
}

RankRoutes::RankRoutes(const LedgerInput& input)
    : in_(input),
      routes_(static_cast<std::int32_t>(input.network.bandwidth.size()), input.network.edge_source,
              input.network.edge_target) {}

const RankRoute& RankRoutes::between(std::int64_t from, std::int64_t to) {
    const std::int32_t start = in_.rank_component[index(from)];
    const std::int32_t goal = in_.rank_component[index(to)];
    const std::uint64_t key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(start)) << 32) |
                              static_cast<std::uint32_t>(goal);
    if (key == last_key_) return last_route_;
    const auto found = measured_.find(key);
    last_key_ = key;
    last_route_ =
        found != measured_.end() ? found->second : (measured_[key] = measure(start, goal, from, to));
    return last_route_;
}

RankRoute RankRoutes::measure(std::int32_t start, std::int32_t goal, std::int64_t from, std::int64_t to) {
    if (in_.free_near && start == goal) return {unlimited_rate, 0};
    edges_.clear();
    if (!routes_.append_path(start, goal, edges_)) {
        throw Refusal(Reason::unreachable, {.rank = from, .peer = to});
    }
    const NetworkColumns& net = in_.network;
    RankRoute path{std::min({in_.interface_bandwidth[index(from)], in_.interface_bandwidth[index(to)],
                             net.bandwidth[index(start)]}),
                   in_.interface_latency[index(from)] + in_.interface_latency[index(to)]};
    for (const std::int32_t edge : edges_) {
        path.latency += net.edge_latency[index(edge)];
        path.bandwidth = std::min({path.bandwidth, net.edge_bandwidth[index(edge)],
                                   net.bandwidth[index(net.edge_target[index(edge)])]});
    }
    return path;
}

}  // namespace striate
