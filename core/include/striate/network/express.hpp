// Exact short cuts: packets that cannot meet a packet of another stream pass stations without events.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/network/stations.hpp"
#include "striate/network/traffic.hpp"

namespace striate {

// Two kinds of stretches of a route are short cuts, always within one run of equal packets.
//
// Before a slow station (the driver) queues fill up until every slot on the route to it is blocked. From then
// on each start there draws one packet from every station upstream, all at the same moment, and everything is
// quiet again before the driver's next start: the stream is `drawn`. This holds while all streams through
// those stations are drawn by the same driver.
//
// Behind the slowest station (the gate) of a stretch that a stream has for itself, to its end, no packet ever
// waits and no credit runs short, so that each passes every station a fixed time after its start at the gate:
// the stream `flows`.
//
// Either way the state of the stretch at any moment follows from the times of a few starts. When somebody
// else comes along, it is written back (`due` events included) as if every event up to the current one had
// been played.
class Express {
  public:
    // Unless it is `wanted`, nothing may be asked of it but what it has spared.
    Express(Traffic& traffic, Stations& stations, bool wanted)
        : traffic_(traffic), stations_(stations), places_(wanted ? stations.size() : 0) {}

    // A stream gets its first message, or has delivered its last.
    void enter(std::uint32_t stream, const Event& current) {
        if (counts_) occupy_route(stream, current);
    }
    void leave(std::uint32_t stream) {
        if (counts_) leave_route(stream);
    }
    // From now on streams are counted where they pass, as short cuts ask for; messages of few packets take
    // none.
    void count_streams();
    // Whatever happens at the station from now on, it is nobody's own.
    void occupy(std::uint32_t station, const Event& current);
    // The stream's packets are played from now on.
    void stop(std::uint32_t stream, const Event& current);

    // One chain of starts has just led from `origin` back to the stream's first slot; whether a part of it is
    // drawn from now on.
    bool try_draw(std::uint32_t origin, std::uint32_t first);

    // Whether the start of the driver's slot may draw; if so, it has.
    bool draw(std::uint32_t driver, Ticks now) {
        const Slot& slot = traffic_.slots[driver];
        Place& place = places_[slot.station];
        if (place.others != 0 || slot.left < least_left) return false;
        place.drawing = driver;
        place.drawn_at = now;
        return true;
    }
    // Whether a slower slot further on might draw more.
    [[nodiscard]] bool outdone(std::uint32_t driver, std::uint32_t origin) const;
    // The driver's start was played instead, and perhaps the chain of starts went through to the first slot:
    // the stream stays drawn if everything is blocked again.
    [[nodiscard]] bool played(std::uint32_t driver, bool through);
    void release(std::uint32_t driver);
    // The slot has got its credit back while its driver may be drawing.
    void regain(const Slot& slot, const Event& current) {
        const Place& place = places_[slot.station];
        if (place.drawing != none &&
            current.time <= place.drawn_at + reach(traffic_.slots[place.drawing - 1]))
            unroll(slot.station, current);
    }
    // Brings the counters of a drawn stream up to date.
    void catch_up_draws(std::uint32_t driver);

    // The last slot of a stream has just delivered; whether its packets flow from now on.
    bool try_flow(std::uint32_t last, Ticks now);
    void flow(const Slot& gate, const Event& current) {
        Own& own = own_[gate.stream];
        own.starts[own.next] = {current, gate.used};
        own.next = (own.next + 1) % most_flowing;
    }
    // Whether the packet that the gate completes had started before the stream flowed.
    bool was_played(const Slot& gate) { return std::exchange(own_[gate.stream].gate_busy, false); }
    void stop_flow(std::uint32_t stream, const Event& current);

    // Brings counters up to date in every slot, and starts counting anew after slots were changed together.
    void catch_up();
    void recount();
    // When packets passed the gates that may still be on their way, relative to now.
    void append_ages(std::uint32_t stream, Ticks now, std::vector<Ticks>& ages) const;

    [[nodiscard]] std::int64_t spared() const { return spared_; }  // events
    [[nodiscard]] std::int64_t interrupted() const { return interrupted_; }

    std::vector<Event> due;  // to be put into the queue

    static constexpr std::uint32_t look_every = 16;  // packets
    static constexpr std::uint32_t least_left = 16;  // packets at the driver, so that no run ends upstream

  private:
    static constexpr std::uint32_t most_flowing = 4;

    // What is known about a station.
    struct Place {
        std::uint32_t users = 0;      // streams in flight through it
        std::uint32_t drawn = 0;      // those of them that its driver draws
        std::uint32_t driver = none;  // a station, perhaps itself
        std::uint32_t flow = none;    // the stream that has it for itself
        // Of a driver: users of its stations that it does not draw, and the last draw.
        std::uint32_t others = 0;
        std::uint32_t drawing = none;
        Ticks drawn_at = 0;
    };
    // A packet has started at a gate: in which event, and what credit packets had then that do not flow.
    struct Start {
        Event event;
        Ticks used;
    };
    // What is known about a stream.
    struct Own {
        std::uint32_t driver = none, gate = none;      // slots
        std::uint32_t driver_left = 0, gate_left = 0;  // packets, when they were last counted
        Ticks span = 0;                                // from the gate's start to delivery
        Start starts[most_flowing] = {};               // the last ones at the gate
        std::uint32_t next = 0;
        bool gate_busy = false;  // with a packet that does not flow
    };

    // From a start to the arrival at the next hop.
    static Ticks reach(const Slot& slot) {
        return (slot.flags & Slot::early) != 0 ? slot.delay : slot.service + slot.delay;
    }
    // Whether an event has been played, or is being played, when another is.
    static bool happened(const Event& event, const Event& current) { return !(current < event); }
    [[nodiscard]] Event completion(std::uint32_t slot, Ticks start) const;
    [[nodiscard]] Event hand_over(std::uint32_t slot, Ticks start) const;
    Own& own_of(std::uint32_t stream);
    void occupy_route(std::uint32_t stream, const Event& current);
    void leave_route(std::uint32_t stream);
    void unroll(std::uint32_t driver, const Event& current);
    void unqueue(std::uint32_t slot);
    void catch_up_flow(std::uint32_t stream);
    void write_back(std::uint32_t gate, Ticks start, const Event& current);
    void requeue(const Own& own, const Event& current);
    [[nodiscard]] std::uint32_t find_gate(const Stream& stream) const;

    Traffic& traffic_;
    Stations& stations_;
    bool counts_ = false;        // whether `users` of places are up to date
    std::vector<Place> places_;  // per station
    std::vector<Own> own_;       // per stream
    std::int64_t spared_ = 0, interrupted_ = 0;
};

}  // namespace striate
