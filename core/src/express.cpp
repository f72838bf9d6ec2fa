#include "striate/express.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace striate {

namespace {

bool happened(const Event& event, const Event& current) { return !(current < event); }

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

void Express::enter(std::uint32_t index, const Event& current) {
    const Stream& stream = traffic_.streams[index];
    for (std::uint32_t slot = stream.first_slot; slot < stream.first_slot + stream.hops; ++slot)
        occupy(traffic_.slots[slot].station, current);
}

void Express::leave(std::uint32_t index) {
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
    for (std::uint32_t slot = first; slot <= driver; ++slot) {
        const Slot& at = slots[slot];
        const Place& place = places_[at.station];
        if (at.run != slow.run || (place.driver != none && place.driver != slow.station)) return false;
        if (slot < driver && ((at.flags & Slot::blocked) == 0 || reach(at) >= slow.service)) return false;
    }
    Own& own = own_of(slow.stream);
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
    settle_draws(driver);
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
void Express::settle_draws(std::uint32_t driver) {
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

// The slowest slot (the last of several) of the part at the end that the stream has for itself; none if
// nothing is behind it.
std::uint32_t Express::find_gate(const Stream& stream) const {
    const std::uint32_t last = stream.first_slot + stream.hops - 1;
    std::uint32_t gate = last;
    for (std::uint32_t slot = last + 1; slot-- > stream.first_slot;) {
        if (places_[traffic_.slots[slot].station].users != 1) break;
        if (traffic_.slots[slot].service > traffic_.slots[gate].service) gate = slot;
    }
    const Slot& slow = traffic_.slots[gate];
    const bool tie =
        slow.delay > 0 && slow.delay % slow.service == 0;  // credit comes back just as it is needed
    return gate == last || (slow.flags & Slot::early) != 0 || tie ? none : gate;
}

// At most one packet may be at the gate or behind it, and it must not wait: it is gone before the next comes,
// whenever it started.
bool Express::try_flow(std::uint32_t last, Ticks now) {
    const std::uint32_t index = traffic_.slots[last].stream;
    const std::uint32_t gate = find_gate(traffic_.streams[index]);
    if (gate == none) return false;
    const Slot& slow = traffic_.slots[gate];
    std::uint32_t under_way = 0;
    Ticks span = traffic_.slots[last].service;
    for (std::uint32_t slot = gate; slot <= last; ++slot) {
        const Slot& at = traffic_.slots[slot];
        if (at.run != slow.run || (slot > gate && at.waiting > 0)) return false;
        if (slot == last) break;
        under_way += at.under_way;
        span += reach(at);
    }
    if (under_way > 1 || span > (most_flowing - 1) * slow.service) return false;
    Own& own = own_of(index);
    own.gate = gate;
    own.gate_left = slow.left;
    own.span = span;
    own.next = 0;
    own.gate_busy = stations_[slow.station].serving == gate;
    std::fill(std::begin(own.starts), std::end(own.starts), Start{{now - span - 1, 0}, 0});
    for (std::uint32_t slot = gate; slot <= last; ++slot) places_[traffic_.slots[slot].station].flow = index;
    traffic_.slots[gate].flags |= Slot::flowing;
    return true;
}

void Express::settle_flow(std::uint32_t index) {
    Own& own = own_[index];
    const Stream& stream = traffic_.streams[index];
    const std::uint32_t end = stream.first_slot + stream.hops;
    const std::uint32_t times = own.gate_left - traffic_.slots[own.gate].left;
    own.gate_left = traffic_.slots[own.gate].left;
    for (std::uint32_t slot = own.gate + 1; slot < end; ++slot) traffic_.slots[slot].left -= times;
    spared_ += times * 2 * static_cast<std::int64_t>(end - 1 - own.gate);
}

void Express::stop_flow(std::uint32_t index, const Event& current) {
    settle_flow(index);
    Own& own = own_[index];
    const Stream& stream = traffic_.streams[index];
    for (std::uint32_t slot = own.gate; slot < stream.first_slot + stream.hops; ++slot)
        places_[traffic_.slots[slot].station].flow = none;
    traffic_.slots[own.gate].flags &= ~static_cast<std::uint32_t>(Slot::flowing);
    for (const Start& start : own.starts) {
        if (start.event.time + own.span >= current.time) write_back(own.gate, start.event.time, current);
    }
    requeue(own, current);
    own.gate = none;
}

// Credit never runs short at a gate for long enough to hold a packet up, but it may until the gate's next
// start: meanwhile the slot must not queue up, and afterwards it does at once.
void Express::requeue(const Own& own, const Event& current) {
    Slot& gate = traffic_.slots[own.gate];
    const Ticks window = stations_[gate.station].window;
    const Start& latest = own.starts[(own.next + most_flowing - 1) % most_flowing];
    if (latest.event.time + gate.service < current.time ||
        happened(completion(own.gate, latest.event.time), current))
        return;
    Ticks used = latest.used;
    for (const Start& start : own.starts) {
        if (start.event.time + own.span >= latest.event.time &&
            !happened(hand_over(own.gate, start.event.time), latest.event))
            used += gate.service;
    }
    if (used < window || (gate.flags & Slot::open) != 0) return;  // it has not run short
    const bool queued = (gate.flags & Slot::queued) != 0;
    const bool waits = gate.waiting > 0 && (gate.flags & Slot::blocked) == 0;
    if (queued && !waits) unqueue(own.gate);
    if (!queued && waits) {
        gate.flags |= Slot::queued;
        gate.next_ready = stations_[gate.station].last_ready = own.gate;
    }
}

// One packet that started at the gate and has not been delivered yet.
void Express::write_back(std::uint32_t gate, Ticks start, const Event& current) {
    const Stream& stream = traffic_.streams[traffic_.slots[gate].stream];
    const std::uint32_t last = stream.first_slot + stream.hops - 1;
    for (std::uint32_t index = gate;; ++index) {
        Slot& slot = traffic_.slots[index];
        const Station& station = stations_[slot.station];
        const Event done = completion(index, start);
        if (index > gate && !happened(done, current)) {
            stations_[slot.station].serving = index;
            due.push_back(done);
            --spared_;
        }
        if (index == last) return;
        const Event there = hand_over(index, start);
        start = there.time;
        if (happened(there, current)) continue;
        slot.used += slot.service;
        ++slot.under_way;
        if (slot.used >= station.window && (slot.flags & Slot::open) == 0) slot.flags |= Slot::blocked;
        if (!(there == done) && ((slot.flags & Slot::early) != 0 || happened(done, current)))
            due.push_back(there);
        for (std::uint32_t later = index + 1; later <= last; ++later) ++traffic_.slots[later].left;
        spared_ -= 2 * static_cast<std::int64_t>(last - index);
        return;
    }
}

void Express::settle() {
    for (std::uint32_t stream = 0; stream < own_.size(); ++stream) {
        if (own_[stream].driver != none) settle_draws(own_[stream].driver);
        if (own_[stream].gate != none) settle_flow(stream);
    }
}

void Express::recount() {
    for (Own& own : own_) {
        if (own.driver != none) own.driver_left = traffic_.slots[own.driver].left;
        if (own.gate != none) own.gate_left = traffic_.slots[own.gate].left;
    }
}

void Express::append_ages(std::uint32_t stream, Ticks now, std::vector<Ticks>& ages) const {
    if (stream >= own_.size() || own_[stream].gate == none) return;
    const Own& own = own_[stream];
    for (std::uint32_t i = 0; i < most_flowing; ++i)
        ages.push_back(std::min(now - own.starts[(own.next + i) % most_flowing].event.time, own.span + 1));
}

}  // namespace striate
