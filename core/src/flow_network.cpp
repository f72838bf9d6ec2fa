#include "striate/flow_network.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

namespace striate {

FlowNetwork::FlowNetwork(Stations& stations, NetworkListener& listener)
    : stations_(stations), listener_(listener), totals_(stations.size()), shares_(stations.size()) {
    for (std::uint32_t station = 0; station < stations.size(); ++station) {
        shares_[station].capacity = stations[station].bandwidth;
    }
}

// Fills in what stays true of a message for its whole life.
void FlowNetwork::measure(Flow& flow, std::uint32_t source, std::uint32_t target, std::int64_t bytes) {
    stations_.find_way(source, target, way_);
    const std::int64_t full = stations_.settings().packet_bytes;
    const std::int64_t first = std::min(bytes, full) + header_bytes;
    flow.stations = way_.stations;
    flow.places.resize(way_.stations.size());
    flow.left = static_cast<double>(bytes + header_bytes);
    flow.cap = way_.analytical ? way_.bottleneck : stations_[way_.stations.front()].bandwidth;
    flow.tail = way_.analytical ? way_.latency : 0;
    Ticks slowest = 0;
    for (std::size_t hop = 0; hop < way_.stations.size(); ++hop) {
        const std::uint32_t station = way_.stations[hop];
        const bool local = stations_.is_local(way_.stations, hop);
        const Ticks service = stations_.service(station, first, local);
        flow.cap =
            std::min(flow.cap, local ? stations_[station].local_bandwidth : stations_[station].bandwidth);
        flow.tail += service + (way_.analytical ? 0 : stations_[station].latency);
        slowest = std::max(slowest, service);
        totals_[station].busy += static_cast<Ticks>(flow.left / stations_[station].bandwidth * 1e12);
        totals_[station].packets += bytes == 0 ? 1 : (bytes - 1) / full + 1;
        totals_[station].bytes += bytes + header_bytes;
    }
    flow.tail -= slowest;
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
    measure(flow, source, target, bytes);
    flow.cookie = cookie;
    flow.rate = 0;
    flow.since = now_;
    ++active_;
    join(index);
}

void FlowNetwork::set_timer(Ticks time, std::uint64_t cookie) {
    if (time < now_) throw std::invalid_argument("a timer in the past");
    timers_.push({time, cookie});
}

// More or less may come from one station to the next, but never more than the first lets through.
void FlowNetwork::press(std::uint32_t before, std::uint32_t station, double change) {
    Share& share = shares_[station];
    if (change > 0 &&
        share.flows.size() == 1) {  // the first after silence: rounding of the past is forgotten
        share.usual_before = before;
        share.usual_caps = share.possible = 0;
    }
    // A cable has one station before it; only switches and memories need a look at the table.
    const std::uint64_t link = static_cast<std::uint64_t>(before) << 32 | station;
    double& caps = share.usual_before == before ? share.usual_caps : links_[link];
    const double limit = before == none ? share.capacity * 2 : shares_[before].capacity;
    share.possible -= std::min(caps, limit);
    caps += change;
    if (caps < 0.5) caps = 0;  // sums of rates come and go with rounding; a rate is at least 1 B/s
    share.possible += std::min(caps, limit);
}

void FlowNetwork::join(std::uint32_t index) {
    std::uint32_t before = none;
    for (std::size_t hop = 0; hop < flows_[index].stations.size(); ++hop) {
        const std::uint32_t station = flows_[index].stations[hop];
        flows_[index].places[hop] = static_cast<std::uint32_t>(shares_[station].flows.size());
        shares_[station].flows.push_back(index);
        press(before, station, flows_[index].cap);
        before = station;
    }
    flows_[index].collected = true;
    tied_flows_.push_back(index);
    for (const std::uint32_t station : flows_[index].stations) {
        if (may_be_full(station)) collect(station);
    }
    changed_ = true;
}

void FlowNetwork::leave(std::uint32_t index) {
    Flow& flow = flows_[index];
    std::uint32_t before = none;
    for (std::size_t hop = 0; hop < flow.stations.size(); ++hop) {
        const std::uint32_t station = flow.stations[hop];
        if (may_be_full(station)) collect(station);  // judged while the message still counts
        auto& flows = shares_[station].flows;
        const std::uint32_t moved = flows.back();
        flows[flow.places[hop]] = moved;
        flows.pop_back();
        const auto& others = flows_[moved].stations;
        const auto where = std::find(others.begin(), others.end(), station) - others.begin();
        flows_[moved].places[static_cast<std::size_t>(where)] = flow.places[hop];
        press(before, station, -flow.cap);
        before = station;
    }
    if (flow.collected) std::erase(tied_flows_, index);
    flow.collected = false;
    changed_ = true;
}

void FlowNetwork::collect(std::uint32_t station) {
    if (shares_[station].collected) return;
    shares_[station].collected = true;
    tied_stations_.push_back(station);
    for (const std::uint32_t flow : shares_[station].flows) {
        if (flows_[flow].collected) continue;
        flows_[flow].collected = true;
        tied_flows_.push_back(flow);
    }
}

// Solves the part of the network that the collected stations and messages reach. Until then, changes pile up.
void FlowNetwork::solve() {
    changed_ = false;
    for (std::size_t next = 0; next < tied_flows_.size(); ++next) {
        for (const std::uint32_t station : flows_[tied_flows_[next]].stations) {
            if (may_be_full(station)) collect(station);
        }
    }
    fill();
    for (const std::uint32_t flow : tied_flows_) set_rate(flow, flows_[flow].solved);
    for (const std::uint32_t flow : tied_flows_) flows_[flow].collected = false;
    for (const std::uint32_t station : tied_stations_) shares_[station].collected = false;
    tied_flows_.clear();
    tied_stations_.clear();
}

// Progressive filling: all rates rise together; where a message meets its cap or a station is full, they
// stop. The level of a station (its room over those still rising) never falls, so a level looked up late is
// only too low.
void FlowNetwork::fill() {
    for (const std::uint32_t station : tied_stations_) {
        shares_[station].room = shares_[station].capacity;
        shares_[station].unfixed = 0;
    }
    for (const std::uint32_t flow : tied_flows_) {
        flows_[flow].solved = -1;
        for (const std::uint32_t station : flows_[flow].stations) {
            if (shares_[station].collected) ++shares_[station].unfixed;
        }
    }
    levels_.clear();
    for (const std::uint32_t station : tied_stations_) {
        if (shares_[station].unfixed > 0) levels_.push_back({level(station), station});
    }
    std::make_heap(levels_.begin(), levels_.end(), std::greater<>());
    by_cap_ = tied_flows_;
    std::sort(by_cap_.begin(), by_cap_.end(), [&](std::uint32_t left, std::uint32_t right) {
        return flows_[left].cap != flows_[right].cap ? flows_[left].cap < flows_[right].cap : left < right;
    });
    std::size_t next = 0;
    while (true) {
        while (next < by_cap_.size() && flows_[by_cap_[next]].solved >= 0) ++next;
        if (next == by_cap_.size()) return;
        const double cap = flows_[by_cap_[next]].cap;
        if (levels_.empty() || cap <= levels_.front().first) {
            fix(by_cap_[next], cap);
            continue;
        }
        std::pop_heap(levels_.begin(), levels_.end(), std::greater<>());
        const auto [seen, station] = levels_.back();
        levels_.pop_back();
        if (shares_[station].unfixed == 0) continue;
        if (const double now = level(station); now > seen) {
            levels_.push_back({now, station});
            std::push_heap(levels_.begin(), levels_.end(), std::greater<>());
            continue;
        }
        for (const std::uint32_t flow : shares_[station].flows) {
            if (flows_[flow].solved < 0) fix(flow, seen);
        }
    }
}

void FlowNetwork::fix(std::uint32_t index, double rate) {
    flows_[index].solved = rate;
    for (const std::uint32_t station : flows_[index].stations) {
        Share& share = shares_[station];
        if (!share.collected) continue;
        share.room = std::max(share.room - rate, 0.0);
        --share.unfixed;
    }
}

void FlowNetwork::set_rate(std::uint32_t index, double rate) {
    Flow& flow = flows_[index];
    if (rate == flow.rate) return;
    flow.left = std::max(flow.left - flow.rate * static_cast<double>(now_ - flow.since) * 1e-12, 0.0);
    flow.since = now_;
    flow.rate = rate;
    ++flow.generation;
    queue_.push({now_ + static_cast<Ticks>(std::ceil(flow.left / rate * 1e12)),
                 key(Kind::drained, index, flow.generation)});
}

void FlowNetwork::drained(std::uint32_t index) {
    ++flows_[index].generation;
    leave(index);
    queue_.push({now_ + flows_[index].tail, key(Kind::delivered, index, flows_[index].generation)});
    listener_.on_sent(flows_[index].cookie);
}

void FlowNetwork::happen(const Event& event) {
    const auto index = static_cast<std::uint32_t>(event.key);
    const auto generation = static_cast<std::uint32_t>(event.key >> 32 & 0x7fffffff);
    if (generation != (flows_[index].generation & 0x7fffffff)) return;  // its rate has changed since
    ++events_;
    now_ = event.time;
    if (static_cast<Kind>(event.key >> 63) == Kind::drained) return drained(index);
    const std::uint64_t cookie = flows_[index].cookie;
    ++flows_[index].generation;
    free_.push_back(index);
    --active_;
    listener_.on_delivered(cookie);
}

void FlowNetwork::run(const std::function<void()>& poll) {
    std::int64_t rounds = 0;
    while (true) {
        const Ticks message = queue_.empty() ? never : queue_.top().time;
        const Ticks timer = timers_.empty() ? never : timers_.top().time;
        if (changed_ && std::min(message, timer) > now_) {
            solve();  // once for all that starts and ends at the same time
            continue;
        }
        if (message == never && timer == never) break;
        if (timer < message) {
            now_ = timer;
            listener_.on_timer(timers_.pop().key);
        } else {
            happen(queue_.pop());
        }
        if ((++rounds & 0xffff) == 0) poll();
    }
    if (active_ != 0) throw std::logic_error("after the run messages are under way");
}

}  // namespace striate
