#include "striate/network/stations.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "striate/refusal.hpp"

namespace striate {

namespace {

void expect_length(std::size_t found, std::size_t wanted, const char* column) {
    if (found == wanted) return;
    throw std::invalid_argument(std::string("column ") + column + " has " + std::to_string(found) +
                                " entries, expected " + std::to_string(wanted));
}

void expect_columns(const NetworkColumns& network, const NicColumns& nics) {
    expect_length(network.kind.size(), network.bandwidth.size(), "kind");
    expect_length(network.local_bandwidth.size(), network.bandwidth.size(), "local_bandwidth");
    expect_length(network.edge_bandwidth.size(), network.edge_source.size(), "edge_bandwidth");
    expect_length(network.edge_latency.size(), network.edge_source.size(), "edge_latency");
    expect_length(nics.bandwidth.size(), nics.component.size(), "nic bandwidth");
    expect_length(nics.link_bandwidth.size(), nics.component.size(), "nic link_bandwidth");
    expect_length(nics.link_latency.size(), nics.component.size(), "nic link_latency");
    expect_length(nics.analytical.size(), nics.component.size(), "nic analytical");
}

}  // namespace

Stations::Stations(const NetworkColumns& network, const NicColumns& nics, const NetworkSettings& settings)
    : settings_(settings),
      routes_(static_cast<std::int32_t>(network.bandwidth.size()), network.edge_source, network.edge_target),
      nic_component_(nics.component.begin(), nics.component.end()),
      analytical_(nics.analytical.begin(), nics.analytical.end()),
      turn_(network.bandwidth.size(), 0),
      components_(static_cast<std::uint32_t>(network.bandwidth.size())),
      edge_count_(static_cast<std::uint32_t>(network.edge_source.size())),
      nics_(static_cast<std::uint32_t>(nics.component.size())) {
    if (settings.packet_bytes < 1) throw Refusal(Reason::empty_unit);
    expect_columns(network, nics);
    for (const std::int32_t component : nics.component) {
        if (component < 0 || component >= routes_.components()) {
            throw std::invalid_argument("an interface hangs on component " + std::to_string(component) +
                                        " of " + std::to_string(components_));
        }
    }
    stations_.reserve(components_ + edge_count_ + 3 * std::size_t{nics_});
    for (std::size_t i = 0; i < components_; ++i) {
        if (network.kind[i] > 2)
            throw std::invalid_argument("unknown kind of component " + std::to_string(i));
        add(network.bandwidth[i], network.local_bandwidth[i], 0, static_cast<ComponentKind>(network.kind[i]));
    }
    constexpr auto plain = ComponentKind::store_forward;
    for (std::size_t i = 0; i < edge_count_; ++i)
        add(network.edge_bandwidth[i], 0, network.edge_latency[i], plain);
    for (std::size_t i = 0; i < nics_; ++i) add(nics.bandwidth[i], 0, 0, plain);
    for (int direction = 0; direction < 2; ++direction) {
        for (std::size_t i = 0; i < nics_; ++i) add(nics.link_bandwidth[i], 0, nics.link_latency[i], plain);
    }
}

void Stations::add(double bandwidth, double local_bandwidth, Ticks latency, ComponentKind kind) {
    if (latency < 0) throw Refusal(Reason::negative_latency);
    const bool local = kind == ComponentKind::memory && local_bandwidth > 0;
    const Ticks full = service_ticks(settings_.packet_bytes, bandwidth, settings_.rounding);
    const Ticks local_full =
        local ? service_ticks(settings_.packet_bytes, local_bandwidth, settings_.rounding) : full;
    local_bandwidth_.push_back(local ? local_bandwidth : 0);
    local_full_.push_back(local_full);
    stations_.push_back({.bandwidth = bandwidth,
                         .latency = latency,
                         .full = full,
                         .window = latency + std::max(full, local_full),
                         .kind = kind});
}

std::vector<double> Stations::waited() const {
    std::vector<double> seconds;
    seconds.reserve(stations_.size());
    for (const Station& station : stations_) {
        const auto ticks =
            static_cast<std::int64_t>(station.waited);  // rounding may leave it just below zero
        seconds.push_back(static_cast<double>(std::max<std::int64_t>(ticks, 0)) * queue_tick_seconds);
    }
    return seconds;
}

void Stations::append_edges(std::int32_t from, std::int32_t to) {
    edges_.clear();
    if (settings_.chooser != nullptr) {
        if (from != to) edges_ = chosen(from, to);
        return;
    }
    if (settings_.routing == Routing::shortest) {
        if (routes_.append_path(from, to, edges_)) return;
        throw Refusal(Reason::no_route, {.from = from, .to = to});
    }
    routes_.append_dealt(from, to, turn_, edges_);
}

const std::vector<std::int32_t>& Stations::chosen(std::int32_t from, std::int32_t to) {
    const auto key = static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
    const auto [entry, added] = chosen_.try_emplace(key);
    if (!added) return entry->second;
    entry->second = settings_.chooser->route(from, to);
    std::int32_t at = from;
    for (const std::int32_t edge : entry->second) {
        const bool leads =
            edge >= 0 && edge < static_cast<std::int32_t>(edge_count_) && routes_.source(edge) == at;
        if (!leads) throw std::invalid_argument("a chosen route whose edges do not follow each other");
        at = routes_.target(edge);
    }
    if (at != to) throw std::invalid_argument("a chosen route that ends elsewhere");
    return entry->second;
}

void Stations::find_route(std::uint32_t source, std::uint32_t target, Route& route) {
    const std::uint32_t first_nic = components_ + edge_count_;
    route.stations.clear();
    route.analytical = analytical_[source] != 0;
    route.stations.push_back(first_nic + source);
    if (source == target) {  // a message to oneself passes the interface and nothing else
        route.analytical = false;
        return;
    }
    if (settings_.free_near && nic_component_[source] == nic_component_[target]) {
        route.analytical = true;
        route.bottleneck = unlimited_rate;
        route.latency = 0;
        return;
    }
    route.stations.push_back(first_nic + nics_ + source);
    route.stations.push_back(static_cast<std::uint32_t>(nic_component_[source]));
    append_edges(nic_component_[source], nic_component_[target]);
    for (const std::int32_t edge : edges_) {
        route.stations.push_back(components_ + static_cast<std::uint32_t>(edge));
        route.stations.push_back(static_cast<std::uint32_t>(routes_.target(edge)));
    }
    route.stations.push_back(first_nic + 2 * nics_ + target);
    route.stations.push_back(first_nic + target);
    find_forced(nic_component_[source], nic_component_[target], route);
    if (route.analytical) summarise(route);
}

// With one route for all messages every station is forced; else those up to the network proper and from it.
void Stations::find_forced(std::int32_t from, std::int32_t to, Route& route) const {
    const bool one =
        settings_.chooser != nullptr || settings_.routing == Routing::shortest || routes_.same_tree(from, to);
    const auto hops = [&](std::int32_t component) {
        return static_cast<std::size_t>(3 + 2 * routes_.depth(component));
    };
    route.first_forced = one ? route.stations.size() : std::min(hops(from), route.stations.size());
    route.last_forced = one ? route.stations.size() : std::min(hops(to), route.stations.size());
}

// An analytical interface walks the route once: its own service is the slowest one, all latencies follow.
void Stations::summarise(Route& route) const {
    route.bottleneck = stations_[route.stations.front()].bandwidth;
    route.latency = 0;
    for (std::size_t hop = 0; hop < route.stations.size(); ++hop) {
        const Station& station = stations_[route.stations[hop]];
        route.bottleneck =
            std::min(route.bottleneck, is_local(route.stations, hop) ? local_bandwidth_[route.stations[hop]]
                                                                     : station.bandwidth);
        route.latency += station.latency;
    }
    route.stations = {route.stations.front(), route.stations.back()};
}

}  // namespace striate
