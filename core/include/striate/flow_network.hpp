// The network as fluid: messages share stations max-min fairly, packets are never looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "striate/hole_heap.hpp"
#include "striate/network.hpp"
#include "striate/stations.hpp"

namespace striate {

// A message flows at one rate through all its stations at once; after its last byte has left it still needs
// the time its first packet takes through all stations but the slowest, and all latencies. Rates are max-min
// fair: none can rise without lowering one that is no higher. They are solved anew when a message starts or
// ends, and only for messages that a station which may be full ties to it.
//
// What this leaves out: turns of whole packets, windows, and the pipeline's filling and emptying when rates
// change. benchmarks/engine.py states the error on known cases.
class FlowNetwork final : public Network {
  public:
    FlowNetwork(Stations& stations, NetworkListener& listener);

    [[nodiscard]] Ticks now() const override { return now_; }
    void start_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                       std::uint64_t cookie) override;
    // Servers need single packets and interfaces that pause; as fluid there are none.
    void continue_message(std::uint32_t, std::uint32_t, std::int64_t, std::uint64_t) override {
        refuse_files();
    }
    void guard(std::uint32_t) override { refuse_files(); }
    void set_open(std::uint32_t, bool) override { refuse_files(); }
    void set_timer(Ticks time, std::uint64_t cookie) override;
    void run(const std::function<void()>& poll) override;
    [[nodiscard]] std::int64_t events() const override { return events_; }
    [[nodiscard]] std::int64_t skipped() const override { return 0; }
    [[nodiscard]] const std::vector<StationTotals>& totals() const override { return totals_; }

  private:
    struct Flow {
        std::uint64_t cookie = 0;
        double left = 0;  // bytes, at `since`
        double rate = 0;  // bytes per second
        double cap = 0;   // of the narrowest station of its way
        double solved = 0;
        Ticks since = 0;
        Ticks tail = 0;  // from its last byte's departure to its delivery
        std::uint32_t generation = 0;
        bool collected = false;
        std::vector<std::uint32_t> stations;
        std::vector<std::uint32_t> places;  // in each station's list of flows
    };
    struct Share {
        double capacity = 0;
        double possible =
            0;  // what may arrive at most: links into it, each no more than its own station lets through
        double room = 0;        // while solving: not yet given away
        double usual_caps = 0;  // of flows that come from `usual_before`; others are in `links_`
        std::uint32_t usual_before = 0;
        std::uint32_t unfixed = 0;
        bool collected = false;
        std::vector<std::uint32_t> flows;
    };
    [[noreturn]] static void refuse_files() {
        throw std::domain_error("file operations are not played as fluid; use packets");
    }
    enum class Kind : std::uint64_t { drained, delivered };
    static constexpr Ticks never = std::numeric_limits<Ticks>::max();

    [[nodiscard]] static std::uint64_t key(Kind kind, std::uint32_t flow, std::uint32_t generation) {
        return static_cast<std::uint64_t>(kind) << 63 |
               static_cast<std::uint64_t>(generation & 0x7fffffff) << 32 | flow;
    }
    [[nodiscard]] bool may_be_full(std::uint32_t station) const {
        return shares_[station].possible > shares_[station].capacity;
    }
    void measure(Flow& flow, std::uint32_t source, std::uint32_t target, std::int64_t bytes);
    void join(std::uint32_t flow);
    void leave(std::uint32_t flow);
    void press(std::uint32_t before, std::uint32_t station, double change);
    void collect(std::uint32_t station);
    void solve();
    void fill();
    void fix(std::uint32_t flow, double rate);
    void set_rate(std::uint32_t flow, double rate);
    [[nodiscard]] double level(std::uint32_t station) const {
        return shares_[station].room / static_cast<double>(shares_[station].unfixed);
    }
    void drained(std::uint32_t flow);
    void happen(const Event& event);

    Stations& stations_;
    NetworkListener& listener_;
    std::vector<StationTotals> totals_;
    std::vector<Share> shares_;
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_;
    std::unordered_map<std::uint64_t, double>
        links_;  // by two neighbouring stations: the caps of flows between them
    std::vector<std::uint32_t> tied_flows_, tied_stations_;  // to the change being solved
    std::vector<std::uint32_t> by_cap_;
    std::vector<std::pair<double, std::uint32_t>> levels_;  // a heap of stations
    bool changed_ = false;
    HoleHeap queue_, timers_;
    Way way_;
    Ticks now_ = 0;
    std::int64_t events_ = 0;
    std::uint32_t active_ = 0;
};

}  // namespace striate
