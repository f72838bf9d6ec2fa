// The network without single packets: messages go in trains that take all stations of their route in one
// step.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "striate/events/hole_heap.hpp"
#include "striate/network/gap_clock.hpp"
#include "striate/network/network.hpp"
#include "striate/network/stations.hpp"

namespace striate {

// A message goes in up to `most_trains` trains of one packet or more. When a train can start at its sender's
// interface it finds every other station of its route at once and waits at each until what was sent there
// before it is through; its first packet goes ahead, its last one follows the slowest station. The next train
// of a message leaves when this one has stopped waiting, so that messages which share a station take turns
// there and come to max-min fair rates.
//
// Where order counts, a message of one packet takes each station when it comes there, so that of two packets
// that meet the one that comes first goes first. How long it will wait on its route, and with that when the
// next one of its stream leaves, is estimated when it starts.
//
// An interface that pauses is a door: what has come to it while it is closed, and what wants to leave, waits
// there and passes one message after the other, streams of both directions in turn. A sender sends no more
// once what waits before the door fills the windows of its route. What fits into the windows before the
// station that holds a message up has left through its sender's door before the door closes.
//
// Stations before the one at which a train waits have room for some packets of its message, their windows. It
// is sent when the rest of it would lie there; its trains go on as before, and before any other of its
// stream.
//
// What this leaves out: turns between streams at every station, the order in which trains of longer messages
// come to stations, and windows of streams of short messages.
// verification/flow.py states the error by case family.
class TrainNetwork final : public Network {
  public:
    TrainNetwork(Stations& stations, NetworkListener& listener);

    [[nodiscard]] Ticks now() const override { return now_; }
    void start_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                       std::uint64_t cookie) override {
        begin(source, target, bytes, cookie, false);
    }
    // More of a message that has begun, of any size.
    void continue_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                          std::uint64_t cookie) override {
        begin(source, target, bytes, cookie, true);
    }
    void guard(std::uint32_t interface) override;
    void set_open(std::uint32_t interface, bool open) override;
    void keep_order() override { ordered_ = true; }
    void set_timer(Ticks time, std::uint64_t cookie) override;
    void run(const std::function<void()>& poll) override;
    [[nodiscard]] std::int64_t events() const override { return events_; }
    [[nodiscard]] std::int64_t skipped() const override { return 0; }
    [[nodiscard]] const std::vector<StationTotals>& totals() const override { return totals_; }
    [[nodiscard]] std::vector<double> waited() const override;

  private:
    static constexpr std::int64_t most_trains = 64;

    using Span = GapClock<4096>::Span;
    // What goes through all stations together; the header travels with the first packet.
    struct Train {
        std::int64_t packets, first, last, bytes;  // bytes of the first and of the last packet, and of all
    };
    struct Passage {
        Ticks sent, arrived, waited;
        std::int64_t room = 0;      // packets that windows hold before the station at which it waited most
        Ticks pace = 0;             // of packets until there: the longest service
        std::int64_t all_room = 0;  // packets that windows hold on the whole route
    };
    // A train in flight: when its first and its last packet come to the station at `hop`, and what has
    // been.
    struct Walk {
        Passage passage{};
        Ticks first = 0, last = 0;
        Ticks longest_wait = 0, pace = 0;
        std::size_t hop = 0;
    };
    struct Message {
        std::uint64_t cookie = 0;
        std::int64_t unsent = 0, train_packets = 1;  // bytes that have not left, and what leaves together
        std::int64_t packets = 1;                    // of all trains
        std::int64_t room = 0;                       // packets that the windows of its route hold
        std::int64_t outside = 0;                    // packets that have passed its sender's door
        Ticks since = 0;
        std::uint32_t source = 0, target = 0;
        bool continues = false;             // it has begun as another
        bool begun = false;                 // its first train has left
        bool told = false;                  // its sender knows that it is sent
        bool early = false;                 // or will, before its last train has left
        bool leads = false;                 // its stream, in `sending_`
        std::uint32_t next_at_door = none;  // of the same stream
        std::uint32_t successor = none;     // of the same stream, while trains of this one have not left
        std::vector<std::uint32_t> route;   // of its trains, if it has several or one that waits
        Train next{};                       // that waits at the first station, until its span begins
        Span span{};
    };
    // What many stations have in common.
    struct Model {
        double bandwidth;
        Ticks full, latency;
        std::int64_t room;  // packets of a stream that a window holds
        ComponentKind kind;
    };
    // What a station did, and when it is free. Stations of a large network are far from the CPU: trains touch
    // one cache line of each, and at most one more, of its clock's gaps.
    struct alignas(64) Served {
        StationTotals total;
        double waited = 0;        // seconds
        std::uint32_t model = 0;  // in models_
        GapClock<4096> clock;
    };
    // Messages between two interfaces that wait at the door of one of them.
    struct Waiting {
        std::uint32_t source, target, first, last;
    };
    // An interface that may close.
    struct Door {
        bool closed = false;
        std::deque<Waiting> streams;                             // in the order of their turns
        std::unordered_map<std::uint32_t, std::int64_t> coming;  // per source: packets that are not in yet
    };

    [[nodiscard]] const Model& model_of(std::uint32_t station) const {
        return models_[served_[station].model];
    }
    [[nodiscard]] Ticks service(std::span<const std::uint32_t> route, std::size_t hop, std::int64_t bytes) {
        if (stations_.is_local(route, hop)) return stations_.service(route[hop], bytes, true, odd_);
        const Model& model = model_of(route[hop]);
        return bytes == stations_.settings().packet_bytes ? model.full : odd_.ticks(bytes, model.bandwidth);
    }
    Span serve(std::uint32_t station, Ticks ready, Ticks work, const Train& train) {
        Served& served = served_[station];
        served.total.busy = after(served.total.busy, work);
        served.total.packets += train.packets;
        served.total.bytes += train.bytes;
        served.clock.forget(now_);
        const auto span = served.clock.serve(ready, work);
        served.waited += static_cast<double>(span.begun - ready) / 1e12;
        return span;
    }
    void begin(std::uint32_t source, std::uint32_t target, std::int64_t bytes, std::uint64_t cookie,
               bool continues);
    void set_out(std::uint32_t message);
    void send_train(std::uint32_t message, std::span<const std::uint32_t> route, std::int64_t header);
    void foresee_end(std::uint32_t message, const Passage& passage);
    [[nodiscard]] Ticks work(std::span<const std::uint32_t> route, std::size_t hop, const Train& train);
    void start(std::uint32_t message, std::span<const std::uint32_t> route, const Train& train,
               const Span& span);
    void enter(Walk& walk, std::span<const std::uint32_t> route, const Train& train, const Span& span);
    void enter_next(Walk& walk, std::span<const std::uint32_t> route, const Train& train) {
        enter(walk, route, train, serve(route[walk.hop], walk.first, work(route, walk.hop, train), train));
    }
    void start_alone(std::uint32_t message, std::span<const std::uint32_t> route, const Train& train,
                     Walk walk);
    void step(std::uint32_t message);
    void come(std::uint32_t message);
    [[nodiscard]] Ticks expected_wait(std::span<const std::uint32_t> route, const Train& train,
                                      const Walk& walk);
    [[nodiscard]] bool keeps_order(const Message& message) const { return ordered_ && message.packets == 1; }
    [[nodiscard]] Passage pass_analytically(const Train& train);
    void fetch(std::span<const std::uint32_t> route) const;
    void tell_early(std::uint32_t message, const Passage& passage);
    void notify(std::uint32_t message);
    static std::uint64_t stream_of(const Message& message) {
        return std::uint64_t{message.source} << 32 | message.target;
    }
    void train_left(std::uint32_t message);
    void last_left(std::uint32_t message);
    void arrive(std::uint32_t message);
    void let_in(std::uint32_t message);
    [[nodiscard]] Door* door_of(std::uint32_t interface) {
        return door_number_.empty() || door_number_[interface] == none ? nullptr
                                                                       : &doors_[door_number_[interface]];
    }
    // Whether what comes now has to wait there: after others, if the door has just opened.
    [[nodiscard]] bool waits_at(std::uint32_t interface) {
        const Door* door = door_of(interface);
        return door != nullptr && (door->closed || !door->streams.empty());
    }
    void pass_doors();
    void queue_up(Door& door, std::uint32_t message);
    [[nodiscard]] std::uint32_t next_at(Door& door) const;
    void tell_next(std::uint32_t message);
    void tell(std::uint32_t message);
    // Whether what comes to its target's closed door is more than its windows hold; of messages longer than
    // these, one may wait there while the next one comes.
    [[nodiscard]] bool window_full(const Message& message);

    // What happens to a message, in the order of ties.
    // `of_start`: its train starts at its first station or comes to the next one.
    static constexpr std::uint64_t of_leaving = 0, of_start = std::uint64_t{1} << 62,
                                   of_notice = std::uint64_t{2} << 62, of_arrival = std::uint64_t{3} << 62,
                                   kinds = of_arrival;
    // Events are told in the order in which they were foreseen.
    void foresee(Ticks time, std::uint32_t message, std::uint64_t kind) {
        queue_.push({time, kind | (foreseen_++ & 0x3fffffff) << 32 | message});
    }

    Stations& stations_;
    NetworkListener& listener_;
    OddServices odd_;
    std::vector<Model> models_;
    std::vector<Served> served_;         // per station
    std::vector<StationTotals> totals_;  // the same, when all is over
    std::vector<Message> messages_;
    std::vector<Walk> walks_;  // of messages that have started and go from station to station
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::uint64_t, std::uint32_t> sending_;  // per stream: the last that waits
    std::vector<std::uint32_t> door_number_;                    // per interface; empty: none has one
    std::vector<Door> doors_;
    std::vector<std::uint32_t> opened_;  // doors
    HoleHeap queue_, timers_;
    Route route_;
    Ticks now_ = 0;
    std::int64_t events_ = 0;
    std::uint64_t foreseen_ = 0;
    std::uint32_t active_ = 0;
    bool ordered_ = false;  // the order of packets counts
};

}  // namespace striate
