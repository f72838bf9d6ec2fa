// Messages in flight, as counters: a packet is no object, it is one less to come at a (stream, hop) slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "striate/network/stations.hpp"
#include "striate/network/stream_index.hpp"

namespace striate {

// Equal packets of one message that follow each other through their stream.
struct Run {
    std::int64_t bytes;  // of each packet on the wire
    std::uint32_t count;
    std::uint32_t message;
    std::uint32_t next;  // the run behind, none: not known yet
    bool header;         // the message's first packet
    bool ends;           // the message's last packet
};

// A message from its start to its delivery.
struct Message {
    std::uint64_t cookie;
    std::int64_t unsent;  // payload not yet in a run
    std::uint32_t next;   // the message behind it in the same stream
    bool first;           // no packet of it is in a run yet
    std::int64_t bytes;   // payload in all
};

// The packets of one (source, target) pair at one station of its route. One cache line.
struct alignas(64) Slot {
    Ticks used = 0;              // service of packets started here and not yet at the next station
    Ticks service = 0;           // of a packet of the current run
    Ticks previous_service = 0;  // of the same packet at the hop before: the credit to hand back
    Ticks delay = 0;             // from completion to arrival at the next hop; `early`: from the start
    std::uint32_t left = 0;      // packets of the current run not yet started here
    std::uint32_t run = none;
    std::uint32_t waiting = 0;  // packets here, not started
    std::uint32_t in_flight = 0;
    std::uint32_t station = none;
    std::uint32_t next_ready = none;  // in the station's ring
    std::uint32_t stream = none;
    std::uint32_t flags = 0;
    enum : std::uint32_t {
        first_hop = 1,
        last_hop = 2,
        early = 4,
        open = 8,
        local = 16,
        blocked = 32,
        anchor = 64,
        queued = 128,   // in its station's ring
        drawn = 256,    // its starts draw the packets upstream (see Express)
        flowing = 512,  // packets it has started flow to the end (see Express)
    };
};
static_assert(sizeof(Slot) == 64);

struct Stream {
    std::uint64_t key;  // of its interfaces, or of its route where messages between them take several
    std::uint32_t source, target;
    std::uint32_t first_slot, hops;
    std::uint32_t first_message, last_message;  // those with packets not yet started, in turn
    std::uint32_t active;                       // messages not yet delivered
    std::uint32_t last_run;
    std::uint32_t sibling;  // another one of the same key
    bool listed;            // among the candidates for closing
    double bottleneck;      // analytical only, else 0
};

class Traffic {
  public:
    explicit Traffic(Stations& stations);

    // The stream that the next message between two interfaces takes.
    [[nodiscard]] std::uint32_t stream_between(std::uint32_t source, std::uint32_t target);
    // Adds a message to it; its packets appear at the stream's first slot.
    void add(std::uint32_t stream, std::int64_t bytes, std::uint64_t cookie, bool header);

    // Moves a slot on to its next run of packets. At the first hop this decides whose turn it is.
    void load_run(std::uint32_t slot);

    // The slot that takes longest for a packet, the first of several.
    [[nodiscard]] std::uint32_t slowest(std::uint32_t stream) const;

    // The last packet of the slot's run has left the sender (or, at the last hop, arrived).
    void message_sent(const Slot& slot);
    void message_delivered(const Slot& slot);

    // Throws std::logic_error when anything is left in flight, any credit is missing or any packet was lost.
    void expect_quiet() const;

    std::vector<Slot> slots;
    std::vector<Run> runs;
    std::vector<Message> messages;
    std::vector<Stream> streams;
    std::vector<StationTotals> totals;
    std::uint32_t active_messages = 0;

  private:
    [[nodiscard]] std::uint32_t open_stream(std::uint64_t key, std::uint32_t source, std::uint32_t target);
    [[nodiscard]] bool follows(const Stream& stream, const Route& route) const;
    void close_idle_streams();
    void close(std::uint32_t stream);
    void init_slots(std::uint32_t stream);
    void commit_turn(std::uint32_t stream);
    void commit_packet(Stream& stream, std::uint32_t message, bool whole);
    void take_back(Stream& stream);
    void append_run(Stream& stream, const Run& run);
    void free_run(std::uint32_t run);
    void account(const Slot& slot, std::int64_t packets);
    [[nodiscard]] Ticks service_of(const Slot& slot, std::int64_t bytes);

    Stations& stations_;
    Route route_;
    StreamIndex stream_of_;                               // by key, the one opened last
    std::vector<std::vector<std::uint32_t>> free_slots_;  // blocks by their number of hops
    std::vector<std::uint32_t> free_streams_, free_runs_, free_messages_;
    std::deque<std::uint32_t> idle_;  // streams that were idle when listed, longest first
    OddServices odd_;
    std::int64_t packets_in_ = 0, packets_out_ = 0;
};

}  // namespace striate
