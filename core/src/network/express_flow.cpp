// Behind a gate: packets that flow to the end of their route.
#include <algorithm>
#include <iterator>

#include "striate/network/express.hpp"

namespace striate {

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
    if (gate == last || (slow.flags & Slot::early) != 0) return none;
    const bool tie =
        slow.delay > 0 && slow.delay % slow.service == 0;  // credit is back just when it is needed
    return tie ? none : gate;
}

// At most one packet may be at the gate or behind it, and it must not wait: it is gone before the next comes,
// whenever it started.
bool Express::try_flow(std::uint32_t last, Ticks now) {
    const std::uint32_t index = traffic_.slots[last].stream;
    if (own_of(index).gate != none) return false;
    const std::uint32_t gate = find_gate(traffic_.streams[index]);
    if (gate == none) return false;
    const Slot& slow = traffic_.slots[gate];
    std::uint32_t in_flight = 0;
    Ticks span = traffic_.slots[last].service;
    for (std::uint32_t slot = gate; slot <= last; ++slot) {
        const Slot& at = traffic_.slots[slot];
        if (at.run != slow.run || (slot > gate && at.waiting > 0)) return false;
        if (slot == last) break;
        in_flight += at.in_flight;
        span += reach(at);
    }
    if (in_flight > 1 || span > (most_flowing - 1) * slow.service) return false;
    Own& own = own_[index];
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

void Express::catch_up_flow(std::uint32_t index) {
    Own& own = own_[index];
    const Stream& stream = traffic_.streams[index];
    const std::uint32_t end = stream.first_slot + stream.hops;
    const std::uint32_t times = own.gate_left - traffic_.slots[own.gate].left;
    own.gate_left = traffic_.slots[own.gate].left;
    for (std::uint32_t slot = own.gate + 1; slot < end; ++slot) traffic_.slots[slot].left -= times;
    spared_ += times * 2 * static_cast<std::int64_t>(end - 1 - own.gate);
}

void Express::stop_flow(std::uint32_t index, const Event& current) {
    catch_up_flow(index);
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
        ++slot.in_flight;
        if (slot.used >= station.window && (slot.flags & Slot::open) == 0) slot.flags |= Slot::blocked;
        if (!(there == done) && ((slot.flags & Slot::early) != 0 || happened(done, current)))
            due.push_back(there);
        for (std::uint32_t later = index + 1; later <= last; ++later) ++traffic_.slots[later].left;
        spared_ -= 2 * static_cast<std::int64_t>(last - index);
        return;
    }
}

void Express::append_ages(std::uint32_t stream, Ticks now, std::vector<Ticks>& ages) const {
    if (stream >= own_.size() || own_[stream].gate == none) return;
    const Own& own = own_[stream];
    for (std::uint32_t i = 0; i < most_flowing; ++i)
        ages.push_back(std::min(now - own.starts[(own.next + i) % most_flowing].event.time, own.span + 1));
}

}  // namespace striate
