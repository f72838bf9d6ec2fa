#include "striate/network/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace striate {

namespace {

std::vector<double> capacities(const Stations& stations) {
    std::vector<double> rates(stations.size());
    for (std::uint32_t station = 0; station < stations.size(); ++station) {
        rates[station] = stations[station].bandwidth;
    }
    return rates;
}

}  // namespace

FlowNetwork::FlowNetwork(Stations& stations, NetworkListener& listener)
    : stations_(stations),
      listener_(listener),
      totals_(stations.size()),
      shares_(capacities(stations), rate_tolerance),
      stations_drain_(std::max<std::size_t>(stations.size(), 1)) {}

// Fills in what stays true of a message for its whole life, and tells the narrowest rate of its route.
double FlowNetwork::measure(Flow& flow, std::uint32_t source, std::uint32_t target, std::int64_t bytes) {
    stations_.find_route(source, target, route_);
    const std::int64_t full = stations_.settings().packet_bytes;
    const std::int64_t first = std::min(bytes, full) + header_bytes;
    flow.left = static_cast<double>(bytes + header_bytes);
    double cap = route_.analytical ? route_.bottleneck : stations_[route_.stations.front()].bandwidth;
    flow.tail = route_.analytical ? route_.latency : 0;
    Ticks slowest = 0;
    for (std::size_t hop = 0; hop < route_.stations.size(); ++hop) {
        const std::uint32_t station = route_.stations[hop];
        const bool local = stations_.is_local(route_.stations, hop);
        const Ticks service = stations_.service(station, first, local);
        cap = std::min(cap, local ? stations_.local_bandwidth(station) : stations_[station].bandwidth);
        flow.tail += service + (route_.analytical ? 0 : stations_[station].latency);
        slowest = std::max(slowest, service);
        totals_[station].busy += static_cast<Ticks>(flow.left / stations_[station].bandwidth * 1e12);
        totals_[station].packets += bytes == 0 ? 1 : (bytes - 1) / full + 1;
        totals_[station].bytes += bytes + header_bytes;
    }
    flow.tail -= slowest;
    return cap;
}

void FlowNetwork::start_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                                std::uint64_t cookie) {
    if (source >= stations_.nics() || target >= stations_.nics())
        throw std::invalid_argument("an unknown interface");
    if (bytes < 0) throw std::invalid_argument("a message of negative size");
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(flows_.size()));
        flows_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Flow& flow = flows_[index];
    const double cap = measure(flow, source, target, bytes);
    flow.cookie = cookie;
    flow.rate = 0;
    flow.since = now_;
    ++active_;
    shares_.join(index, route_.stations, cap);
}

void FlowNetwork::set_timer(Ticks time, std::uint64_t cookie) {
    if (time < now_) throw std::invalid_argument("a timer in the past");
    timers_.push({time, cookie});
}

void FlowNetwork::solve() {
    shares_.solve();
    for (const std::uint32_t station : shares_.changed_stations()) arm(station);
    for (const std::uint32_t flow : shares_.freed_flows()) {
        set_rate(flow);
        queue_.push({flows_[flow].drained, key(Kind::drains, flow, flows_[flow].generation)});
    }
}

void FlowNetwork::set_rate(std::uint32_t index) {
    Flow& flow = flows_[index];
    const double rate = shares_.rate(index);
    if (rate == flow.rate) return;
    flow.left = std::max(flow.left - flow.rate * static_cast<double>(now_ - flow.since) * 1e-12, 0.0);
    flow.since = now_;
    flow.rate = rate;
    flow.drained = now_ + static_cast<Ticks>(std::ceil(flow.left / rate * 1e12));
    ++flow.generation;
}

void FlowNetwork::arm(std::uint32_t station) {
    Ticks first = never;
    for (const std::uint32_t flow : shares_.flows_at(station)) {
        if (shares_.holder(flow) != station) continue;
        set_rate(flow);
        first = std::min(first, flows_[flow].drained);
    }
    stations_drain_.set(station, first);
}

void FlowNetwork::drain_station(std::uint32_t station) {
    draining_.clear();
    for (const std::uint32_t flow : shares_.flows_at(station)) {
        if (shares_.holder(flow) == station && flows_[flow].drained <= now_) draining_.push_back(flow);
    }
    if (draining_.empty()) return arm(station);  // the first one is held by another by now
    stations_drain_.set(station, never);         // until the rates are mended
    std::sort(draining_.begin(), draining_.end());
    for (std::size_t next = 0; next < draining_.size(); ++next) drain(draining_[next]);
}

void FlowNetwork::drain(std::uint32_t index) {
    ++events_;
    ++flows_[index].generation;
    shares_.leave(index);
    queue_.push({now_ + flows_[index].tail, key(Kind::delivered, index, flows_[index].generation)});
    listener_.on_sent(flows_[index].cookie);
}

void FlowNetwork::deliver(std::uint32_t index) {
    ++events_;
    ++flows_[index].generation;
    free_.push_back(index);
    --active_;
    listener_.on_delivered(flows_[index].cookie);
}

void FlowNetwork::happen(const Event& event) {
    const auto index = static_cast<std::uint32_t>(event.key);
    const auto generation = static_cast<std::uint32_t>(event.key >> 32) & generations;
    if (generation != (flows_[index].generation & generations)) return;  // its rate has changed since
    now_ = event.time;
    static_cast<Kind>(event.key >> 63) == Kind::drains ? drain(index) : deliver(index);
}

void FlowNetwork::run(const std::function<void()>& poll) {
    std::int64_t rounds = 0;
    while (true) {
        const Ticks message = queue_.empty() ? never : queue_.top().time;
        const Ticks timer = timers_.empty() ? never : timers_.top().time;
        const Ticks station = stations_drain_.time();
        const Ticks next = std::min({message, timer, station});
        if (!shares_.up_to_date() && next > now_) {
            solve();  // once for all that starts and ends at the same time
        } else if (next == never) {
            break;
        } else if (station == next) {
            now_ = next;
            drain_station(stations_drain_.index());
        } else if (message == next) {
            happen(queue_.pop());
        } else {
            now_ = next;
            listener_.on_timer(timers_.pop().key);
        }
        if ((++rounds & 0xffff) == 0) poll();
    }
    if (active_ != 0) throw std::logic_error("after the run messages are in flight");
}

}  // namespace striate
