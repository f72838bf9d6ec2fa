// The packet-level network: messages go in, times come out. How packets move is in packet_motion.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "striate/events/clock_sums.hpp"
#include "striate/events/hole_heap.hpp"
#include "striate/events/timed_heap.hpp"
#include "striate/network/cookies.hpp"
#include "striate/network/express.hpp"
#include "striate/network/network.hpp"
#include "striate/network/stations.hpp"
#include "striate/network/traffic.hpp"
#include "striate/network/warp.hpp"

namespace striate {

// A trace policy sees every service; this one sees nothing and costs nothing.
struct NoTrace {
    void served(const Traffic&, std::uint32_t /*slot*/, Ticks /*start*/, Ticks /*end*/) {}
};

// The rule of ties: at equal times completions come before arrivals, both in order of their index (station,
// slot); an arrival without latency belongs to the completion that caused it; timers come last, in order of
// cookie. With a TimedHeap that heap is the rule: every event goes through it, timers too, a service that
// starts others upstream is the last of them to be put there, and those above hear of a message at once.
//
// Packets move in network time, which stands still while steady periods are skipped; `shift_` is what was
// skipped, and every time that crosses the interface is network time + shift.
template <class Queue = HoleHeap, class Trace = NoTrace>
class NetworkEngine final : public Network {
  public:
    // `fast`: skip whole periods of a steady state and take short cuts, which changes nothing but the CPU
    // time (and hides packets inside a run from a trace).
    NetworkEngine(Stations& stations, NetworkListener& listener, bool fast, Trace trace = {})
        : stations_(stations),
          traffic_(stations),
          listener_(listener),
          express_(traffic_, stations_, fast),
          warp_(traffic_, stations_, express_),
          fast_(fast),
          silent_(fast && !loose),
          trace_(std::move(trace)) {}

    [[nodiscard]] Ticks now() const override { return now_ + shift_; }
    [[nodiscard]] std::int64_t events() const override { return events_ + express_.spared(); }
    [[nodiscard]] std::int64_t skipped() const override { return skipped_ + express_.spared(); }
    [[nodiscard]] ShortCuts short_cuts() const override {
        return {express_.spared(), express_.interrupted()};
    }
    [[nodiscard]] const std::vector<StationTotals>& totals() const override { return traffic_.totals; }
    [[nodiscard]] std::vector<double> waited() const override { return stations_.waited(); }

    void start_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                       std::uint64_t cookie) override {
        begin(traffic_.stream_between(source, target), bytes, cookie, true);
    }

    void continue_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                          std::uint64_t cookie) override {
        begin(traffic_.stream_between(source, target), bytes, cookie, false);
    }

    void guard(std::uint32_t interface) override {
        const std::uint32_t station = stations_.interface_station(interface);
        if (!stations_[station].guarded) change([&] { express_.occupy(station, current()); });
        if (stations_[station].silent_end != 0 && !idle(station)) play_end(station);
        stations_[station].guarded = true;
    }

    void set_open(std::uint32_t interface, bool open) override {
        const std::uint32_t index = stations_.interface_station(interface);
        Station& station = stations_[index];
        const bool reopens = station.closed && open;
        station.closed = !open;
        if (station.closed && station.serving == none) station.serving = paused;
        if (!reopens || station.serving != paused) return;
        resumes_.push_back(index);
        attention_ = true;
    }

    void set_timer(Ticks time, std::uint64_t cookie) override {
        if (time < now()) throw std::invalid_argument("a timer in the past");
        if constexpr (loose) return queue_.push({time, of_timer | cookies_.keep(cookie)});
        timers_.push({time, cookie});
        next_timer_ = timers_.top().time - shift_;
    }

    void run(const std::function<void()>& poll) override {
        attend();
        while (true) {
            if (queue_.empty() || queue_.top().time > next_timer_) {
                if (timers_.empty()) break;
                fire();
            } else {
                const Event event = queue_.pop();
                fetch_ahead();
                now_ = event.time;
                key_ = event.key;
                expect_on_clock(now_);
                if (silent_ && latest_ < event) latest_ = event;
                if ((event.key & arrival_key) != 0) {
                    arrive(static_cast<std::uint32_t>(event.key));
                } else if (loose && (event.key & of_timer) != 0) {
                    listener_.on_timer(cookies_.take(static_cast<std::uint32_t>(event.key)));
                } else {
                    complete(static_cast<std::uint32_t>(event.key));
                }
            }
            if (attention_) attend();
            if (events_ >= next_poll_) {
                next_poll_ = events_ + poll_every;
                poll();
            }
        }
        end_silence();
        traffic_.expect_quiet();
    }

  private:
    static constexpr std::uint64_t of_timer = std::uint64_t{1} << 62;  // loose ties only; else a completion
    static constexpr bool loose = std::is_base_of_v<TimedHeap, Queue>;
    static constexpr bool enters = std::is_same_v<Queue, EntryHeap>;  // packets come by an event of their own
    static constexpr std::int64_t poll_every = 1 << 20;
    static constexpr Ticks never = std::numeric_limits<Ticks>::max();
    static constexpr std::uint32_t paused = none - 1;  // what a guarded interface serves between packets

    struct Notice {
        std::uint64_t cookie;
        bool delivered;
    };

    std::vector<Slot>& slots() { return traffic_.slots; }

    // The first packet waits at the sender's interface; each later one appears when its forerunner starts.
    void begin(std::uint32_t stream, std::int64_t bytes, std::uint64_t cookie, bool header);

    // The event being played.
    [[nodiscard]] Event current() const { return {now_, key_}; }

    // Something about the short cuts changes, and with it what is put off.
    template <class Act>
    void change(const Act& act) {
        if (!fast_) return;
        warp_.structure_changed();
        act();
        push_due();
    }

    void push_due() {
        for (const Event& event : express_.due) queue_.push(event);
        express_.due.clear();
    }

    // Slots and stations of a large network are far from the CPU: what the next events touch is fetched while
    // this one is played, first what the event names, then what that leads to.
    void fetch_ahead() {
        if constexpr (requires { queue_.ahead(0); }) {
            if (const Event* far = queue_.ahead(3)) {
                const auto index = static_cast<std::uint32_t>(far->key);
                __builtin_prefetch((far->key & arrival_key) != 0 ? static_cast<void*>(&slots()[index])
                                                                 : static_cast<void*>(&stations_[index]));
            }
            if (const Event* near = queue_.ahead(1)) {
                const auto index = static_cast<std::uint32_t>(near->key);
                if ((near->key & arrival_key) != 0) {
                    const std::uint32_t station = slots()[index].station;
                    __builtin_prefetch(&stations_[station]);
                    __builtin_prefetch(&traffic_.totals[station]);
                } else if (const std::uint32_t serving = stations_[index].serving; serving < paused) {
                    __builtin_prefetch(&slots()[serving]);
                }
            }
        }
    }

    // While all messages are short, so that there are no short cuts, most packets meet nobody at most
    // stations. The end of such a service only sends the packet on, which is known at its start: it becomes
    // an event if somebody has to wait for it.
    [[nodiscard]] bool ends_silently(const Slot& slot, const Station& station) const {
        constexpr std::uint32_t needs_end = Slot::last_hop | Slot::early;
        return silent_ && slot.delay > 0 && slot.service > 0 && slot.waiting == 0 &&
               station.last_ready == none && !station.guarded && (slot.flags & needs_end) == 0;
    }

    // Whether the station serves nobody. An end was there before the time came that it stands for: it has
    // been played when anything behind it has.
    [[nodiscard]] bool idle(std::uint32_t index) {
        Station& station = stations_[index];
        if (station.silent_end != 0 && !(latest_ < Event{station.silent_end, index})) {
            station.silent_end = 0;
            station.serving = none;
        }
        return station.serving == none;
    }

    void play_end(std::uint32_t index) {
        Station& station = stations_[index];
        queue_.push({std::exchange(station.silent_end, 0), index});
        station.handed_on = true;
    }

    // A long message comes: every end is an event from now on, and streams are counted for short cuts.
    void end_silence() {
        if (!silent_) return;
        silent_ = false;
        for (std::uint32_t index = 0; index < stations_.size(); ++index) {
            if (stations_[index].silent_end != 0 && !idle(index)) play_end(index);
        }
        express_.count_streams();
    }

    void complete(std::uint32_t index);
    void serve_next(Station& station);
    // Guarded interfaces that may go on, now that those above have heard of their packets.
    void resume();
    void arrive(std::uint32_t index);

    [[nodiscard]] std::uint64_t moment() const { return static_cast<std::uint64_t>(now_ >> queue_tick_bits); }

    void wait(Slot& slot) {
        ++slot.waiting;
        stations_[slot.station].waited -= moment();
    }

    // A packet has come to a slot: its stream takes the next turn, or queues up for one if it has not yet.
    void offer(std::uint32_t index);
    void start(std::uint32_t index);
    // Starts service of the slot's next packet, which hands its credit back; that may start the hop before.
    void start_chain(std::uint32_t index);
    // Whether the start of a drawn stream's driver draws; else it is played.
    bool draw(std::uint32_t index, std::uint32_t origin);

    void note_played(bool through) {
        if (!express_.played(std::exchange(played_, none), through)) warp_.structure_changed();
    }

    void regain(const Slot& slot) {
        express_.regain(slot, current());
        push_due();
    }

    void load_run(std::uint32_t index);
    // A packet has started at the sender: its message's next one appears, or the message is sent.
    void release_next(std::uint32_t index, std::uint32_t origin);
    // Some packets of a run later: has the message come, or does the stream flow?
    void look_back(std::uint32_t index);
    void finish(const Slot& slot);

    void add_ready(std::uint32_t index) {
        Slot& slot = slots()[index];
        Station& station = stations_[slot.station];
        if (station.silent_end != 0) [[unlikely]]
            play_end(slot.station);
        if (station.last_ready == none) {
            slot.next_ready = index;
        } else {
            Slot& last = slots()[station.last_ready];
            slot.next_ready = last.next_ready;
            last.next_ready = index;
        }
        station.last_ready = index;
        slot.flags |= Slot::queued;
    }

    std::uint32_t take_ready(Station& station) {
        Slot& last = slots()[station.last_ready];
        const std::uint32_t head = last.next_ready;
        if (head == station.last_ready) {
            station.last_ready = none;
        } else {
            last.next_ready = slots()[head].next_ready;
        }
        slots()[head].flags &= ~static_cast<std::uint32_t>(Slot::queued);
        return head;
    }

    void fire() {
        const Event timer = timers_.pop();
        expect_on_clock(timer.time);
        now_ = timer.time - shift_;
        key_ = std::numeric_limits<std::uint64_t>::max();
        latest_ = current();
        next_timer_ = timers_.empty() ? never : timers_.top().time - shift_;
        listener_.on_timer(timer.key);
    }

    void note(const Notice& notice) {
        notices_.push_back(notice);
        warp_.structure_changed();
        attention_ = true;
    }

    void attend() {
        attention_ = false;
        while (!notices_.empty() || !resumes_.empty()) {
            tell();
            resume();
        }
        if (!may_skip_) return;
        may_skip_ = false;
        const Warp::Skip skip = warp_.consider(queue_, {now_, events_, next_timer_});
        shift_ = after(shift_, skip.ticks);
        expect_on_clock(after(now_, shift_));
        if (next_timer_ != never) next_timer_ -= skip.ticks;
        events_ += skip.events;
        skipped_ += skip.events;
    }

    // Listeners may start messages, which may be sent at once: the list can grow while it is read.
    void tell() {
        for (std::size_t next = 0; next < notices_.size(); ++next) {
            const Notice notice = notices_[next];
            if (notice.delivered) {
                listener_.on_delivered(notice.cookie);
            } else {
                listener_.on_sent(notice.cookie);
            }
        }
        notices_.clear();
        attention_ = false;
    }

    Stations& stations_;
    Traffic traffic_;
    NetworkListener& listener_;
    Express express_;
    Warp warp_;
    bool fast_;
    bool silent_;  // no long message yet
    bool attention_ = false, may_skip_ = false;
    [[no_unique_address]] Trace trace_;
    Queue queue_;
    HoleHeap timers_;
    std::vector<Notice> notices_;
    std::vector<std::uint32_t> resumes_;  // stations
    std::vector<Event> starts_;           // loose ties only: completions of a chain of starts, last first
    Cookies cookies_;                     // and of timers
    Ticks now_ = 0;
    std::uint64_t key_ = 0;
    Event latest_{0, 0};           // of those played, in their order, while ends may be silent
    std::uint32_t played_ = none;  // a slot that might have drawn and whose chain of starts is played
    Ticks shift_ = 0;
    Ticks next_timer_ = never;
    std::int64_t events_ = 0, skipped_ = 0;
    std::int64_t next_poll_ = poll_every;
};

}  // namespace striate
