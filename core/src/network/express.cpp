#include "striate/network/express.hpp"

#include <cstddef>

namespace striate {

namespace {

std::uint64_t tick(Ticks time) { return static_cast<std::uint64_t>(time >> queue_tick_bits); }

}  // namespace

Event Express::completion(std::uint32_t slot, Ticks start) const {
    return {start + traffic_.slots[slot].service, traffic_.slots[slot].station};
}

// The arrival at the next hop; without latency it belongs to the completion.
Event Express::hand_over(std::uint32_t index, Ticks start) const {
    const Slot& slot = traffic_.slots[index];
    if ((slot.flags & Slot::early) == 0 && slot.delay == 0) return completion(index, start);
    return {start + reach(slot), arrival_key | (index + 1)};
}

Express::Own& Express::own_of(std::uint32_t stream) {
    if (stream >= own_.size()) own_.resize(traffic_.streams.size());
    return own_[stream];
}

void Express::occupy(std::uint32_t station, const Event& current) {
    Place& place = places_[station];
    ++place.users;
    const std::size_t before = due.size();
    if (place.driver != none) {
        unroll(place.driver, current);
        ++places_[place.driver].others;
    }
    if (place.flow != none) stop_flow(place.flow, current);
    if (due.size() > before) ++interrupted_;
}

void Express::count_streams() {
    counts_ = true;
    for (const Stream& stream : traffic_.streams) {
        if (stream.active == 0) continue;
        for (std::uint32_t slot = stream.first_slot; slot < stream.first_slot + stream.hops; ++slot)
            ++places_[traffic_.slots[slot].station].users;
    }
}

void Express::occupy_route(std::uint32_t index, const Event& current) {
    const Stream& stream = traffic_.streams[index];
    for (std::uint32_t slot = stream.first_slot; slot < stream.first_slot + stream.hops; ++slot)
        occupy(traffic_.slots[slot].station, current);
}

void Express::leave_route(std::uint32_t index) {
    const Stream& stream = traffic_.streams[index];
    for (std::uint32_t slot = stream.first_slot; slot < stream.first_slot + stream.hops; ++slot) {
        Place& place = places_[traffic_.slots[slot].station];
        --place.users;
        if (place.driver != none) --places_[place.driver].others;
    }
}

void Express::stop(std::uint32_t stream, const Event& current) {
    if (stream >= own_.size()) return;
    if (const std::uint32_t driver = own_[stream].driver; driver != none) {
        unroll(traffic_.slots[driver].station, current);
        release(driver);
    }
    if (own_[stream].gate != none) stop_flow(stream, current);
}

bool Express::try_draw(std::uint32_t origin, std::uint32_t first) {
    const std::vector<Slot>& slots = traffic_.slots;
    std::uint32_t driver = first;
    for (std::uint32_t slot = first + 1; slot <= origin; ++slot) {
        if (slots[slot].service > slots[driver].service) driver = slot;
    }
    const Slot& slow = slots[driver];
    if (driver == first || slow.left < least_left || slow.left - slots[first].left > least_left - 2)
        return false;
    Own& own = own_of(slow.stream);
    if (own.driver != none) return false;
    for (std::uint32_t slot = first; slot <= driver; ++slot) {
        const Slot& at = slots[slot];
        const Place& place = places_[at.station];
        if (at.run != slow.run || (place.driver != none && place.driver != slow.station)) return false;
        if (slot < driver && ((at.flags & Slot::blocked) == 0 || reach(at) >= slow.service)) return false;
    }
    own.driver = driver;
    own.driver_left = slow.left;
    Place& drawer = places_[slow.station];
    for (std::uint32_t slot = first; slot <= driver; ++slot) {
        Place& place = places_[slots[slot].station];
        if (place.driver == none) {
            place.driver = slow.station;
            drawer.others += place.users;
        }
        ++place.drawn;
        --drawer.others;
    }
    traffic_.slots[driver].flags |= Slot::drawn;
    return true;
}

void Express::release(std::uint32_t driver) {
    catch_up_draws(driver);
    Slot& slow = traffic_.slots[driver];
    slow.flags &= ~static_cast<std::uint32_t>(Slot::drawn);
    own_[slow.stream].driver = none;
    Place& drawer = places_[slow.station];
    if (drawer.drawing == driver) drawer.drawing = none;
    for (std::uint32_t slot = traffic_.streams[slow.stream].first_slot; slot <= driver; ++slot) {
        Place& place = places_[traffic_.slots[slot].station];
        --place.drawn;
        ++drawer.others;
        if (place.drawn == 0) {
            drawer.others -= place.users;
            place.driver = none;
        }
    }
}

bool Express::outdone(std::uint32_t driver, std::uint32_t origin) const {
    for (std::uint32_t slot = driver + 1; slot <= origin; ++slot) {
        if (traffic_.slots[slot].service > traffic_.slots[driver].service) return true;
    }
    return false;
}

bool Express::played(std::uint32_t driver, bool through) {
    const Slot& slow = traffic_.slots[driver];
    own_[slow.stream].driver_left = slow.left;
    for (std::uint32_t slot = traffic_.streams[slow.stream].first_slot; through && slot < driver; ++slot)
        through = (traffic_.slots[slot].flags & Slot::blocked) != 0;
    if (!through) release(driver);
    return through;
}

// Every start at the driver was one at each slot before it, after which a packet came to wait.
void Express::catch_up_draws(std::uint32_t driver) {
    const Slot& slow = traffic_.slots[driver];
    Own& own = own_[slow.stream];
    const std::uint32_t times = own.driver_left - slow.left;
    if (times == 0) return;
    own.driver_left = slow.left;
    const std::uint32_t first = traffic_.streams[slow.stream].first_slot;
    for (std::uint32_t index = first; index < driver; ++index) {
        Slot& slot = traffic_.slots[index];
        slot.left -= times;
        stations_[traffic_.slots[index + 1].station].waited -= tick(times * reach(slot));
    }
    spared_ += times * (2 * static_cast<std::int64_t>(driver - first) + 1);
}

// Takes back what the last draw has done too early.
void Express::unroll(std::uint32_t station, const Event& current) {
    Place& place = places_[station];
    if (place.drawing == none) return;
    const std::uint32_t driver = place.drawing;
    const Ticks start = place.drawn_at;
    place.drawing = none;
    for (std::uint32_t index = traffic_.streams[traffic_.slots[driver].stream].first_slot; index < driver;
         ++index) {
        Slot& slot = traffic_.slots[index];
        const Event done = completion(index, start);
        const Event there = hand_over(index, start);
        if (!happened(done, current)) {
            stations_[slot.station].serving = index;
            due.push_back(done);
            --spared_;
        }
        if (happened(there, current)) continue;
        Slot& next = traffic_.slots[index + 1];
        --next.waiting;
        stations_[next.station].waited += tick(there.time);
        --spared_;
        if ((next.flags & Slot::queued) != 0) unqueue(index + 1);
        if (!(there == done) && ((slot.flags & Slot::early) != 0 || happened(done, current)))
            due.push_back(there);
    }
}

void Express::unqueue(std::uint32_t index) {
    std::vector<Slot>& slots = traffic_.slots;
    Station& station = stations_[slots[index].station];
    slots[index].flags &= ~static_cast<std::uint32_t>(Slot::queued);
    std::uint32_t before = index;
    while (slots[before].next_ready != index) before = slots[before].next_ready;
    if (before == index) {
        station.last_ready = none;
        return;
    }
    slots[before].next_ready = slots[index].next_ready;
    if (station.last_ready == index) station.last_ready = before;
}

void Express::catch_up() {
    for (std::uint32_t stream = 0; stream < own_.size(); ++stream) {
        if (own_[stream].driver != none) catch_up_draws(own_[stream].driver);
        if (own_[stream].gate != none) catch_up_flow(stream);
    }
}

void Express::recount() {
    for (Own& own : own_) {
        if (own.driver != none) own.driver_left = traffic_.slots[own.driver].left;
        if (own.gate != none) own.gate_left = traffic_.slots[own.gate].left;
    }
}

}  // namespace striate
