// Whole messages on a network of clocks: every station on the route has one, and packets are only counted.
#pragma once

#include <cstdint>
#include <vector>

#include "striate/network/gap_clock.hpp"
#include "striate/network/stations.hpp"

namespace striate {

// When a message has left its sender, when its first packet has arrived and when its last.
struct Flight {
    Ticks sent, first, last;
};

// A station serves what comes to it in the order of the calls; it works through the bytes of a message
// without holding on to the station in between, so a slow link elsewhere on the route leaves it free for
// others.
class MessageClocks {
  public:
    // `crowded`: messages wait for each other. Without it every message finds the network empty, and what
    // comes out is a time that no run can beat (docs/proofs.md, "Messages").
    MessageClocks(Stations& stations, bool crowded)
        : stations_(stations),
          crowded_(crowded),
          odd_(stations.settings().rounding),
          clock_(stations.size()),
          work_(stations.size()) {}

    [[nodiscard]] Flight send(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks now);

    // Data of a file: packets that are messages of their own, each with a route of its own.
    [[nodiscard]] Flight send_file(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                                   Ticks now);

    [[nodiscard]] const std::vector<Ticks>& work() const { return work_; }
    // Service of all messages at all stations.
    [[nodiscard]] Ticks total() const { return total_; }
    [[nodiscard]] Ticks delays() const { return delays_; }  // all latencies of all messages

  private:
    // A message as the engine cuts it: the header travels with the first packet.
    struct Packets {
        std::int64_t count, first, last;  // bytes of the first and of the last one, header included
    };

    [[nodiscard]] Packets packets_of(std::int64_t payload) const;
    using Span = GapClock<64>::Span;

    [[nodiscard]] Flight analytical(const Packets& packets, Ticks now);
    // A station's time for all packets, which find it free unless the network is crowded.
    Span serve(std::uint32_t station, Ticks ready, Ticks work);
    // All packets of a message, where one of so many bytes takes service(bytes).
    template <class Service>
    [[nodiscard]] Ticks summed(const Packets& packets, const Service& service) const {
        if (packets.count == 1) return service(packets.first);
        const Ticks between = (packets.count - 2) * service(stations_.settings().packet_bytes);
        return service(packets.first) + between + service(packets.last);
    }
    [[nodiscard]] Flight crowded(const Packets& packets, Ticks now);
    [[nodiscard]] Flight in_order(const Packets& packets, Ticks now);
    [[nodiscard]] Flight in_any_order(const Packets& packets, Ticks now);
    [[nodiscard]] Ticks service(std::size_t hop, std::int64_t bytes);
    [[nodiscard]] Ticks whole(std::size_t hop, const Packets& packets);
    [[nodiscard]] Ticks onwards(std::size_t hop, std::int64_t bytes);
    void book(const Packets& packets);

    Stations& stations_;
    bool crowded_;
    OddServices odd_;
    std::vector<GapClock<64>> clock_;
    std::vector<Ticks> work_;
    Ticks total_ = 0, delays_ = 0;
    Route route_;
};

}  // namespace striate
