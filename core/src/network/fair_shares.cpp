#include "striate/network/fair_shares.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace striate {

FairShares::FairShares(const std::vector<double>& capacities, double tolerance)
    : tolerance_(tolerance), shares_(capacities.size()), pressures_(capacities.size()) {
    for (std::size_t station = 0; station < capacities.size(); ++station) {
        shares_[station].capacity = capacities[station];
    }
}

// ---- flows come and go

// More or less may come from one station to the next, but never more than the first lets through.
void FairShares::press(std::uint32_t before, std::uint32_t station, double change) {
    Share& share = shares_[station];
    Pressure& pressure = pressures_[station];
    if (change > 0 &&
        share.flows.size() == 1) {  // the first after silence: rounding of the past is forgotten
        pressure = {.possible = 0, .usual_caps = 0, .usual_before = before};
    }
    // A cable has one station before it; only switches and memories need a look at the table.
    const std::uint64_t link = static_cast<std::uint64_t>(before) << 32 | station;
    double& caps = pressure.usual_before == before ? pressure.usual_caps : links_[link];
    const double limit = before == none ? share.capacity * 2 : shares_[before].capacity;
    pressure.possible -= std::min(caps, limit);
    caps += change;
    if (caps < 0.5) caps = 0;  // sums of rates come and go with rounding; a rate is at least 1 B/s
    pressure.possible += std::min(caps, limit);
    const bool relevant = pressure.possible > share.capacity;
    if (relevant == share.relevant) return;
    share.relevant = relevant;
    for (const std::uint32_t flow : share.flows) find_ties(flow);
}

void FairShares::find_ties(std::uint32_t flow) {
    Path& path = paths_[flow];
    path.ties.clear();
    FewTies few;
    for (const std::uint32_t station : path.stations) {
        if (!shares_[station].relevant) continue;
        if (few.count < few.stations.size()) few.stations[few.count] = station;
        ++few.count;
        path.ties.push_back(station);
    }
    few_ties_[flow] = few;
}

void FairShares::join(std::uint32_t flow, std::span<const std::uint32_t> stations, double cap) {
    if (flow >= paths_.size()) {
        paths_.resize(flow + std::size_t{1});
        limits_.resize(paths_.size());
        holds_.resize(paths_.size());
        few_ties_.resize(paths_.size());
    }
    Path& path = paths_[flow];
    path.cap = cap;
    path.stations.assign(stations.begin(), stations.end());
    path.places.clear();
    std::uint32_t before = none;
    for (const std::uint32_t station : stations) {
        path.places.push_back(static_cast<std::uint32_t>(shares_[station].flows.size()));
        shares_[station].flows.push_back(flow);
        press(before, station, cap);
        before = station;
    }
    find_ties(flow);
    pending_.insert(pending_.end(), path.ties.begin(), path.ties.end());
    limits_[flow] = cap;
    holds_[flow] = {.rate = 0, .holder = none, .open = true, .spread = true};
    open_.push_back(flow);
}

void FairShares::leave(std::uint32_t flow) {
    const Path& path = paths_[flow];
    pending_.insert(pending_.end(), path.ties.begin(), path.ties.end());
    std::uint32_t before = none;
    for (std::size_t hop = 0; hop < path.stations.size(); ++hop) {
        const std::uint32_t station = path.stations[hop];
        auto& flows = shares_[station].flows;
        const std::uint32_t moved = flows.back();
        flows[path.places[hop]] = moved;
        flows.pop_back();
        const auto& others = paths_[moved].stations;
        const auto where = std::find(others.begin(), others.end(), station) - others.begin();
        paths_[moved].places[static_cast<std::size_t>(where)] = path.places[hop];
        press(before, station, -path.cap);
        before = station;
    }
    holds_[flow].open = false;
}

// ---- levels

void FairShares::solve() {
    now_ = 0;
    soiled_.clear();
    freed_.clear();
    to_soil_.swap(pending_);
    soil_all();
    while (!keys_.empty()) {
        std::pop_heap(keys_.begin(), keys_.end(), std::greater<>());
        const auto [key, station] = keys_.back();
        keys_.pop_back();
        Share& share = shares_[station];
        if (share.state != State::soiled || key != share.key) continue;
        now_ = key;
        if (share.stale) {
            seek(station, key);
        } else {
            fill(station);
        }
        soil_all();
    }
    finish();
}

void FairShares::soil(std::uint32_t station) {
    if (shares_[station].state == State::clean) to_soil_.push_back(station);
}

// All are let go before the first is looked at, so that as few as can be are looked at twice.
void FairShares::soil_all() {
    while (!to_soil_.empty()) {
        to_seek_.clear();
        for (std::size_t next = 0; next < to_soil_.size(); ++next) {  // which may grow meanwhile
            if (shares_[to_soil_[next]].state == State::clean) let_go(to_soil_[next]);
        }
        to_soil_.clear();
        for (const auto& [station, level] : to_seek_) seek(station, level < infinite ? level : now_);
    }
}

void FairShares::let_go(std::uint32_t station) {
    Share& share = shares_[station];
    share.state = State::soiled;
    share.key = now_;
    soiled_.push_back(station);
    const double level = std::exchange(share.level, infinite);
    to_seek_.emplace_back(station, level);
    if (level == infinite) return;
    for (const std::uint32_t flow : share.flows) {
        Hold& hold = holds_[flow];
        if (hold.holder != station || hold.open) continue;
        hold.rate = std::exchange(limits_[flow], paths_[flow].cap);
        hold.open = true;
        hold.spread = !share.relevant;  // what can never be full lets its flows rise for certain
        open_.push_back(flow);
        for (const std::uint32_t other : ties(flow)) {
            if (hold.spread) {
                soil(other);
            } else {
                ++shares_[other].fresh;
            }
            // It counted as stopped at that level; now it may fill another station earlier than was thought.
            if (shares_[other].state == State::soiled) lower(other, std::max(level, now_));
        }
    }
}

void FairShares::lower(std::uint32_t station, double key) {
    Share& share = shares_[station];
    if (share.key <= key) return;
    share.key = key;
    share.stale = true;
    keys_.push_back({key, station});
    std::push_heap(keys_.begin(), keys_.end(), std::greater<>());
}

// Looks up the level at which a soiled station is full as things are. Open flows that may rise above their
// old rate soil the other stations they pass: those may be full earlier than before.
void FairShares::seek(std::uint32_t station, double guess) {
    Share& share = shares_[station];
    share.stale = false;
    share.key = share.relevant ? level_of(share, guess) : infinite;
    if (share.key < infinite) {
        keys_.push_back({share.key, station});
        std::push_heap(keys_.begin(), keys_.end(), std::greater<>());
    }
    if (share.fresh == 0) return;
    for (const std::uint32_t flow : share.flows) {
        Hold& hold = holds_[flow];
        if (!hold.open || hold.spread || share.key <= hold.rate) continue;
        hold.spread = true;
        for (const std::uint32_t other : ties(flow)) {
            --shares_[other].fresh;
            soil(other);
        }
    }
}

// Newton's method on the load, which is concave: min(limit, level) summed over all flows. One step from the
// right of the solution leads to its left, and from there it never overshoots. The arithmetic avoids
// branches, which nothing could predict here.
double FairShares::level_of(const Share& share, double guess) const {
    constexpr double huge = 1e300;
    double level = guess;
    for (bool left = false;; left = true) {
        double stopped = 0, highest_stopped = 0, lowest_rising = huge;
        double rising = 0;
        for (const std::uint32_t flow : share.flows) {
            const double limit = limits_[flow];
            const double stops = limit > level ? 0.0 : 1.0;
            rising += 1 - stops;
            stopped += stops * limit;
            highest_stopped = std::max(highest_stopped, stops * limit);
            lowest_rising = std::min(lowest_rising, limit + stops * huge);
        }
        if (rising == 0 && (left || stopped <= share.capacity)) return infinite;
        const double next = rising == 0 ? now_ : std::max((share.capacity - stopped) / rising, now_);
        if (rising > 0 && highest_stopped <= next && next < lowest_rising) return next;
        if (left && next <= level) return level;
        level = next;
    }
}

// A station is full: all that still rises through it stops here.
void FairShares::fill(std::uint32_t station) {
    Share& share = shares_[station];
    share.state = State::filled;
    share.level = now_;
    for (const std::uint32_t flow : share.flows) {
        if (!(limits_[flow] > now_)) continue;
        Hold& hold = holds_[flow];
        const double was = hold.open ? hold.rate : limits_[flow];
        if (hold.open) close(flow);
        hold.holder = station;
        const bool changed = std::abs(now_ - was) > tolerance_ * now_;
        limits_[flow] = changed ? now_ : was;
        for (const std::uint32_t other : ties(flow)) {
            Share& next = shares_[other];
            if (next.state == State::soiled) next.stale = true;
            if (changed && (next.level < infinite || now_ > was)) soil(other);
        }
    }
}

void FairShares::close(std::uint32_t flow) {
    holds_[flow].open = false;
    if (std::exchange(holds_[flow].spread, true)) return;
    for (const std::uint32_t other : ties(flow)) --shares_[other].fresh;
}

void FairShares::finish() {
    for (const std::uint32_t station : soiled_) {
        shares_[station].state = State::clean;
        shares_[station].stale = false;
    }
    for (const std::uint32_t flow : open_) {
        Hold& hold = holds_[flow];
        if (!hold.open) continue;
        close(flow);
        hold.holder = none;
        freed_.push_back(flow);
    }
    open_.clear();
}

}  // namespace striate
