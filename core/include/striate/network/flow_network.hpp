// The network as fluid: messages share stations max-min fairly, packets are never looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "striate/events/first_of_many.hpp"
#include "striate/events/hole_heap.hpp"
#include "striate/network/fair_shares.hpp"
#include "striate/network/network.hpp"
#include "striate/network/stations.hpp"
#include "striate/refusal.hpp"

namespace striate {

// A message flows at one rate through all its stations at once; after its last byte has left it still needs
// the time its first packet takes through all stations but the slowest, and all latencies. Rates are max-min
// fair, and mended when a message starts or ends.
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
    // Fluids slow down instead of waiting.
    [[nodiscard]] std::vector<double> waited() const override { return std::vector<double>(totals_.size()); }

  private:
    struct Flow {
        std::uint64_t cookie = 0;
        double left = 0;  // bytes, at `since`
        double rate = 0;  // bytes per second
        Ticks since = 0;
        Ticks drained = 0;  // when nothing is left, if the rate stays
        Ticks tail = 0;     // from its last byte's departure to its delivery
        std::uint32_t generation = 0;
    };
    [[noreturn]] static void refuse_files() { throw Refusal(Reason::files_as_fluid); }
    enum class Kind : std::uint64_t { drains, delivered };
    static constexpr double rate_tolerance = 1e-4;  // a tenth of what a fluid may be off anyway
    static constexpr Ticks never = FirstOfMany::never;
    static constexpr std::uint32_t generations = (std::uint32_t{1} << 31) - 1;

    [[nodiscard]] static std::uint64_t key(Kind kind, std::uint32_t index, std::uint32_t generation) {
        return static_cast<std::uint64_t>(kind) << 63 |
               static_cast<std::uint64_t>(generation & generations) << 32 | index;
    }
    [[nodiscard]] double measure(Flow& flow, std::uint32_t source, std::uint32_t target, std::int64_t bytes);
    void solve();
    void set_rate(std::uint32_t flow);
    void arm(std::uint32_t station);
    void drain_station(std::uint32_t station);
    void drain(std::uint32_t flow);
    void deliver(std::uint32_t flow);
    void happen(const Event& event);

    Stations& stations_;
    NetworkListener& listener_;
    std::vector<StationTotals> totals_;
    FairShares shares_;
    std::vector<Flow> flows_;
    std::vector<std::uint32_t> free_;
    FirstOfMany stations_drain_;  // when the first of the messages that each station holds has drained
    std::vector<std::uint32_t> draining_;
    HoleHeap queue_, timers_;
    Route route_;
    Ticks now_ = 0;
    std::int64_t events_ = 0;
    std::uint32_t active_ = 0;
};

}  // namespace striate
