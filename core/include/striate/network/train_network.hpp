// The network without single packets: messages go in trains that take all stations of their route in one
// step.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "striate/events/hole_heap.hpp"
#include "striate/network/gap_clock.hpp"
#include "striate/network/network.hpp"
#include "striate/network/stations.hpp"

namespace striate {

// A message goes in up to `most_trains` trains of one packet or more. A train finds every station of its
// route at once and waits at each until what was sent there before it is through; its first packet goes
// ahead, its last one follows the slowest station. The next train of a message leaves when this one has
// stopped waiting, so that messages which share a station take turns there and come to max-min fair rates.
//
// An interface that pauses is a door: what has come to it while it is closed waits there, and is let in one
// message after the other, senders in turn; what it sends sets out, and goes on, when it opens. A sender of
// which a part of a message waits before the door sends no more.
//
// What this leaves out: turns between streams at every station, and windows. verification/flow.py states the
// error by case family.
class TrainNetwork final : public Network {
  public:
    TrainNetwork(Stations& stations, NetworkListener& listener);

    [[nodiscard]] Ticks now() const override { return now_; }
    void start_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                       std::uint64_t cookie) override {
        begin(source, {target, bytes, header_bytes, cookie});
    }
    // More of a message that has begun, of any size.
    void continue_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                          std::uint64_t cookie) override {
        begin(source, {target, bytes, 0, cookie});
    }
    void guard(std::uint32_t interface) override;
    void set_open(std::uint32_t interface, bool open) override;
    void set_timer(Ticks time, std::uint64_t cookie) override;
    void run(const std::function<void()>& poll) override;
    [[nodiscard]] std::int64_t events() const override { return events_; }
    [[nodiscard]] std::int64_t skipped() const override { return 0; }
    [[nodiscard]] const std::vector<StationTotals>& totals() const override { return totals_; }
    [[nodiscard]] std::vector<double> waited() const override;

  private:
    static constexpr std::int64_t most_trains = 64;

    struct Message {
        std::uint64_t cookie = 0;
        std::int64_t unsent = 0, train_packets = 1;  // bytes that have not left, and what leaves together
        std::uint32_t source = 0, target = 0;
        bool continues = false;             // it has begun as another
        bool told = false;                  // its sender knows that it is sent
        std::uint32_t next_at_door = none;  // of the same sender
        std::vector<std::uint32_t> route;   // of its trains, if it has several
    };
    struct Departure {
        std::uint32_t target;
        std::int64_t bytes, header;
        std::uint64_t cookie;
    };
    // What goes through all stations together; the header travels with the first packet.
    struct Train {
        std::int64_t packets, first, last, bytes;  // bytes of the first and of the last packet, and of all
    };
    struct Passage {
        Ticks sent, arrived, waited;
    };
    // What many stations have in common.
    struct Model {
        double bandwidth;
        Ticks full, latency;
        ComponentKind kind;
    };
    // What a station did, and when it is free. Stations of a large network are far from the CPU: trains touch
    // one cache line of each, and at most one more, of its clock's gaps.
    struct alignas(64) Served {
        StationTotals total;
        double waited = 0;        // seconds
        std::uint32_t model = 0;  // in models_
        GapClock<16> clock;
    };
    // Messages of one sender that have come to a door.
    struct Sender {
        std::uint32_t source, first, last;
    };
    // An interface that may close.
    struct Door {
        std::uint32_t interface = 0;
        bool closed = false;
        std::deque<Sender> before;         // in the order of their turns
        std::deque<Departure> departing;   // messages that want to leave
        std::deque<std::uint32_t> halted;  // messages of which a part has left
    };

    [[nodiscard]] const Model& model_of(std::uint32_t station) const {
        return models_[served_[station].model];
    }
    [[nodiscard]] Ticks service(std::span<const std::uint32_t> route, std::size_t hop, std::int64_t bytes) {
        if (stations_.is_local(route, hop)) return stations_.service(route[hop], bytes, true);
        const Model& model = model_of(route[hop]);
        return bytes == stations_.settings().packet_bytes ? model.full : odd_.ticks(bytes, model.bandwidth);
    }
    GapClock<16>::Span serve(std::uint32_t station, Ticks ready, Ticks work, const Train& train) {
        Served& served = served_[station];
        served.total.busy = after(served.total.busy, work);
        served.total.packets += train.packets;
        served.total.bytes += train.bytes;
        const auto span = served.clock.serve(ready, work);
        served.waited += static_cast<double>(span.begun - ready) / 1e12;
        return span;
    }
    void begin(std::uint32_t source, const Departure& departure);
    void send_train(std::uint32_t message, std::span<const std::uint32_t> route, std::int64_t header);
    [[nodiscard]] Passage pass(std::span<const std::uint32_t> route, const Train& train);
    [[nodiscard]] Passage pass_analytically(const Train& train);
    void fetch(std::span<const std::uint32_t> route) const;
    void train_left(std::uint32_t message);
    void arrive(std::uint32_t message);
    void let_in(std::uint32_t message);
    [[nodiscard]] Door* door_of(std::uint32_t interface) {
        return door_number_.empty() || door_number_[interface] == none ? nullptr
                                                                       : &doors_[door_number_[interface]];
    }
    [[nodiscard]] bool closed(std::uint32_t interface) {
        const Door* door = door_of(interface);
        return door != nullptr && door->closed;
    }
    void pass_doors();
    void queue_up(Door& door, std::uint32_t message);
    [[nodiscard]] std::uint32_t next_at(Door& door) const;
    [[nodiscard]] bool waits_at_door(const Message& message);

    static constexpr std::uint64_t of_arrival = std::uint64_t{1} << 63;
    // Events are told in the order in which they were foreseen.
    void foresee(Ticks time, std::uint32_t message, std::uint64_t kind) {
        queue_.push({time, kind | (foreseen_++ & 0x7fffffff) << 32 | message});
    }

    Stations& stations_;
    NetworkListener& listener_;
    OddServices odd_;
    std::vector<Model> models_;
    std::vector<Served> served_;         // per station
    std::vector<StationTotals> totals_;  // the same, when all is over
    std::vector<Message> messages_;
    std::vector<std::uint32_t> free_;
    std::vector<std::uint32_t> door_number_;  // per interface; empty: none has one
    std::vector<Door> doors_;
    std::vector<std::uint32_t> opened_;  // doors
    HoleHeap queue_, timers_;
    Route route_;
    Ticks now_ = 0;
    std::int64_t events_ = 0;
    std::uint64_t foreseen_ = 0;
    std::uint32_t active_ = 0;
};

}  // namespace striate
