#include "striate/network/warp.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "striate/events/clock_sums.hpp"

namespace striate {

namespace {

void make_relative(std::vector<Event>& pending, Ticks now) {
    for (Event& event : pending) event.time -= now;
    std::sort(pending.begin(), pending.end());
}

}  // namespace

void Warp::add_candidate(std::uint32_t slot) {
    candidates_.push_back(slot);
    if (anchor_ == none) choose_anchor();
}

// The candidate with most packets to come; those that have run out are forgotten.
void Warp::choose_anchor() {
    std::erase_if(candidates_, [&](std::uint32_t slot) { return traffic_.slots[slot].left < 2; });
    anchor_ = none;
    for (const std::uint32_t slot : candidates_) {
        if (anchor_ == none || traffic_.slots[slot].left > traffic_.slots[anchor_].left) anchor_ = slot;
    }
    if (anchor_ != none) traffic_.slots[anchor_].flags |= Slot::anchor;
    seen_.valid = false;
    patience_ = 1;
}

bool Warp::worth_looking(const Moment& moment) {
    Slot& slot = traffic_.slots[anchor_];
    if (slot.left < 2) {
        slot.flags &= ~static_cast<std::uint32_t>(Slot::anchor);
        choose_anchor();
        return false;
    }
    budget_ = std::min(budget_ + moment.events - last_look_, std::int64_t{1} << 20);
    last_look_ = moment.events;
    return budget_ > 0;
}

std::vector<Ticks> Warp::ages(Ticks now) const {
    std::vector<Ticks> all;
    for (std::uint32_t stream = 0; stream < traffic_.streams.size(); ++stream)
        express_.append_ages(stream, now, all);
    return all;
}

void Warp::see(std::vector<Event>&& pending, const Moment& moment) {
    express_.catch_up();
    seen_.valid = true;
    seen_.now = moment.now;
    seen_.events = moment.events + express_.spared();
    seen_.ages = ages(moment.now);
    seen_.pending = std::move(pending);
    make_relative(seen_.pending, moment.now);
    seen_.index.clear();
    seen_.slots.clear();
    seen_.serving.clear();
    seen_.last_ready.clear();
    seen_.waited.clear();
    for (const Stream& stream : traffic_.streams) {
        if (stream.active == 0) continue;
        for (std::uint32_t slot = stream.first_slot; slot < stream.first_slot + stream.hops; ++slot) {
            seen_.index.push_back(slot);
            seen_.slots.push_back(traffic_.slots[slot]);
            const Station& station = stations_[traffic_.slots[slot].station];
            seen_.serving.push_back(station.serving);
            seen_.last_ready.push_back(station.last_ready);
            seen_.waited.push_back(station.waited);
        }
    }
    comparisons_ = 0;
    budget_ -= 2 * static_cast<std::int64_t>(seen_.index.size() + seen_.pending.size());
}

// Everything but `left`; service, delay and run cannot change while no slot moves on to another run.
bool Warp::slots_agree() {
    for (std::size_t i = 0; i < seen_.index.size(); ++i) {
        const Slot& was = seen_.slots[i];
        const Slot& is = traffic_.slots[seen_.index[i]];
        const Station& station = stations_[is.station];
        const bool agree = was.used == is.used && was.waiting == is.waiting &&
                           was.in_flight == is.in_flight && was.flags == is.flags &&
                           was.next_ready == is.next_ready && seen_.serving[i] == station.serving &&
                           seen_.last_ready[i] == station.last_ready;
        if (!agree) {
            budget_ -= static_cast<std::int64_t>(i / 8);
            return false;
        }
    }
    budget_ -= static_cast<std::int64_t>(seen_.index.size() / 8);
    return true;
}

bool Warp::events_agree(std::vector<Event>&& pending, const Moment& moment) {
    budget_ -= static_cast<std::int64_t>(pending.size());
    if (pending.size() != seen_.pending.size()) return false;
    make_relative(pending, moment.now);
    return pending == seen_.pending && ages(moment.now) == seen_.ages;
}

// Packets wait in every period as they did in the last one: those that came and started, and those that wait
// all the time. Exact but for a tick of waiting a packet.
void Warp::repeat_waiting(std::int64_t periods, Ticks period) {
    std::vector<std::pair<std::uint32_t, std::uint64_t>> before;
    for (std::size_t i = 0; i < seen_.index.size(); ++i) {
        const Slot& slot = traffic_.slots[seen_.index[i]];
        before.emplace_back(slot.station, seen_.waited[i]);
    }
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    const auto times = static_cast<std::uint64_t>(periods);
    for (const auto& [station, waited] : before)
        stations_[station].waited += times * (stations_[station].waited - waited);
    const auto skipped = static_cast<std::uint64_t>(periods * period >> queue_tick_bits);
    for (const std::uint32_t index : seen_.index) {
        const Slot& slot = traffic_.slots[index];
        stations_[slot.station].waited += skipped * slot.waiting;
    }
}

Warp::Skip Warp::skip(const Moment& moment) {
    const Ticks period = moment.now - seen_.now;
    if (period == 0) return {};  // a truncating clock may complete two packets at once
    express_.catch_up();
    std::int64_t periods = (std::min(moment.next_timer, last_tick) - moment.now) / period;
    for (std::size_t i = 0; i < seen_.index.size(); ++i) {
        const Slot& slot = traffic_.slots[seen_.index[i]];
        // One packet is left over, so that no slot has to move on within the time skipped.
        if (const std::uint32_t spent = seen_.slots[i].left - slot.left; spent > 0) {
            periods = std::min<std::int64_t>(periods, slot.left == 0 ? 0 : (slot.left - 1) / spent);
        }
    }
    for (std::size_t i = 0; i < seen_.index.size(); ++i) {
        Slot& slot = traffic_.slots[seen_.index[i]];
        slot.left -= static_cast<std::uint32_t>(periods) * (seen_.slots[i].left - slot.left);
    }
    express_.recount();
    repeat_waiting(periods, period);
    seen_.valid = false;
    return {periods * period, periods * (moment.events + express_.spared() - seen_.events)};
}

}  // namespace striate
