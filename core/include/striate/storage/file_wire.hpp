// The route of messages between clients and servers of files: straight, or through the client's forwarder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "striate/events/timeline.hpp"
#include "striate/storage/file_host.hpp"

namespace striate {

struct Forwarder {
    std::vector<std::uint8_t> relays_to;  // per I/O server: whether it carries what goes there
    std::int64_t aggregate_bytes = 0;     // of a message, gathered before it is passed on
};

struct ForwardRules {
    std::vector<Forwarder> forwarders;
    std::vector<std::int32_t> of_rank;  // which one carries a rank's files, or -1; empty: none does
};

// What a forwarder did.
struct ForwarderTotals {
    std::int64_t messages = 0, bytes = 0;
    std::int64_t most_bytes = 0;  // held at once
};

// A forwarder holds what comes until it has gathered enough of a message, or its end, and passes it on packet
// by packet. Its memory has no end.
class FileWire {
  public:
    FileWire(const ForwardRules& rules, std::uint32_t first_interface, FileHost& host)
        : rules_(rules),
          first_interface_(first_interface),
          host_(host),
          waiting_(rules.forwarders.size()),
          totals_(rules.forwarders.size()) {}

    struct Packet {
        std::int64_t payload;
        bool continues;  // the message has begun before
        bool last;       // of its message
    };

    // Packets in the order they came. Millions are empty or have one: a std::deque takes 600 bytes for that.
    class Packets {
      public:
        [[nodiscard]] bool empty() const { return first_ == packets_.size(); }
        [[nodiscard]] std::size_t size() const { return packets_.size() - first_; }
        void push(const Packet& packet) { packets_.push_back(packet); }
        Packet pop() {
            const Packet packet = packets_[first_++];
            if (2 * first_ > packets_.size()) {
                packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(first_));
                first_ = 0;
            }
            return packet;
        }

      private:
        std::vector<Packet> packets_;
        std::size_t first_ = 0;  // that has not been taken
    };

    static constexpr std::int32_t none = -1;
    // The forwarder between a rank and an I/O server, or, without a server, a metadata server.
    [[nodiscard]] std::int32_t forwarder(std::uint32_t rank, std::int64_t server = none) const;

    void send(std::uint32_t source, std::uint32_t target, std::int32_t forwarder, const Packet& packet,
              std::uint64_t cookie);

    // What the network tells of a cookie, which comes back as it was given. False: it is the forwarder's
    // business.
    [[nodiscard]] bool sent(std::uint64_t& cookie);
    [[nodiscard]] bool delivered(std::uint64_t& cookie);

    [[nodiscard]] const std::vector<ForwarderTotals>& totals() const { return totals_; }
    // Write down what forwarders do from now on; the first of them has this place in the timeline.
    void record(Timeline* timeline, std::int32_t first_place) {
        timeline_ = timeline;
        first_place_ = first_place;
    }

  private:
    static constexpr std::uint64_t to_forwarder = std::uint64_t{1} << 56, onwards = std::uint64_t{1} << 57;

    // One message at a forwarder.
    struct Relay {
        std::uint32_t forwarder = 0, source = 0, target = 0;
        Ticks since = 0;  // its first packet came
        std::int64_t bytes = 0;
        Packets coming, waiting;
        std::int64_t dirty_bytes = 0;
        std::size_t ready = 0;  // packets that may go on
        bool sending = false, ended = false;
    };

    void pass_on(std::uint64_t cookie, Relay& relay);
    void record(const Relay& relay) const;

    ForwardRules rules_;
    std::uint32_t first_interface_;
    FileHost& host_;
    std::unordered_map<std::uint64_t, Relay> relays_;
    std::vector<std::int64_t> waiting_;  // bytes, per forwarder
    std::vector<ForwarderTotals> totals_;
    Timeline* timeline_ = nullptr;
    std::int32_t first_place_ = 0;
};

}  // namespace striate
