// Exact fast-forward: when the whole relative state of the network repeats, whole periods are skipped.
#pragma once

#include <cstdint>
#include <vector>

#include "striate/network/express.hpp"
#include "striate/network/stations.hpp"
#include "striate/network/traffic.hpp"

namespace striate {

// Packet dynamics know no absolute time. If, between two moments at which one slot (the anchor) completes a
// packet, no message starts or ends and no slot moves on to another run, and if the two states agree in
// everything but the packets still to come, then the network goes through the same motions again and again
// until some slot runs out of packets. Skipping those periods gives the very ticks that playing them would.
class Warp {
  public:
    Warp(Traffic& traffic, Stations& stations, Express& express)
        : traffic_(traffic), stations_(stations), express_(express) {}

    struct Moment {
        Ticks now;
        std::int64_t events;  // but for those that short cuts spare
        Ticks next_timer;     // nothing may be skipped beyond it
    };
    struct Skip {
        Ticks ticks = 0;
        std::int64_t events = 0;
    };

    // Something has started or ended, or a slot has moved on: what was seen before proves nothing any more.
    void structure_changed() { seen_.valid = false; }

    // The slowest slot of a stream has got many equal packets to come: it may serve as the anchor.
    void add_candidate(std::uint32_t slot);

    // A packet has left the anchor. Skips what can be skipped; `pending` gives all pending
    // events.
    template <class Queue>
    Skip consider(const Queue& queue, const Moment& moment) {
        if (!worth_looking(moment)) return {};
        if (!seen_.valid) {
            see(queue.pending(), moment);
            return {};
        }
        ++comparisons_;
        if (slots_agree() && events_agree(queue.pending(), moment)) return skip(moment);
        if (comparisons_ == patience_) {
            patience_ *= 2;  // Brent: ever longer periods are tried
            seen_.valid = false;
        }
        return {};
    }

    static constexpr std::uint32_t long_run = 16;

  private:
    struct Snapshot {
        bool valid = false;
        Ticks now = 0;
        std::int64_t events = 0;
        std::vector<std::uint32_t> index;  // of the slots below
        std::vector<Slot> slots;
        std::vector<std::uint32_t> serving, last_ready;  // of their stations
        std::vector<std::uint64_t> waited;
        std::vector<Event> pending;  // relative to now, in order
        std::vector<Ticks> ages;     // of packets that take a short cut
    };

    [[nodiscard]] bool worth_looking(const Moment& moment);
    void choose_anchor();
    void see(std::vector<Event>&& pending, const Moment& moment);
    [[nodiscard]] bool slots_agree();
    [[nodiscard]] bool events_agree(std::vector<Event>&& pending, const Moment& moment);
    [[nodiscard]] Skip skip(const Moment& moment);
    [[nodiscard]] std::vector<Ticks> ages(Ticks now) const;
    void repeat_waiting(std::int64_t periods, Ticks period);

    Traffic& traffic_;
    Stations& stations_;
    Express& express_;
    Snapshot seen_;
    std::uint32_t anchor_ = none;
    std::vector<std::uint32_t> candidates_;
    std::int64_t comparisons_ = 0, patience_ = 1;
    std::int64_t last_look_ = 0;  // in events
    std::int64_t budget_ = 0;     // looking may cost a fixed share of the events played
};

}  // namespace striate
