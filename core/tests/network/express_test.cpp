// Short cuts against the plain engine: where packets cannot meet others, and when others come along after
// all.
#include "striate/network/express.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include "random_case.hpp"
#include "striate/events/timeline.hpp"
#include "striate/network/network.hpp"
#include "striate/network/schedule.hpp"

using namespace striate;

namespace {

using Shape = RandomCase::Shape;

// A long message from interface 0 to 1 over a cable that is slower than all else; interface 2 stands beside
// the receiver. Far from them 3 sends to 4 at an odd rate, so that the state as a whole never repeats.
RandomCase two_pairs() {
    RandomCase fabric(1);
    fabric.network = {};
    const auto left = fabric.network.component(8e9);
    const auto right = fabric.network.component(8e9);
    fabric.network.cable(left, right, 1e9, 100'000);
    for (const auto at : {left, right, right}) fabric.network.nic(at, 10e9, 5e9, 50'000);
    const auto apart = fabric.network.component(0.7654321e9);
    for (int i = 0; i < 2; ++i) fabric.network.nic(apart, 10e9, 5e9, 0);
    fabric.schedule = {};
    fabric.schedule.send(0, 1, 60'000);
    fabric.schedule.send(3, 4, 60'000);
    fabric.settings = {.packet_bytes = 1000};
    return fabric;
}

// Plays the messages of a schedule, all at their delays; an interface may close for a while.
class Sender final : public NetworkListener {
  public:
    Sender(const RandomCase& fabric, std::int32_t guarded, const RunOptions& options)
        : schedule_(fabric.schedule),
          guarded_(guarded),
          stations_(fabric.network.stations(fabric.settings)),
          network_(make_network(stations_, *this, options)) {
        delivered.assign(schedule_.source.size(), -1);
        for (std::size_t i = 0; i < schedule_.source.size(); ++i) network_->set_timer(schedule_.delay[i], i);
    }

    ShortCuts run() {
        network_->run([] {});
        return network_->short_cuts();
    }
    void on_sent(std::uint64_t) override {}
    void on_delivered(std::uint64_t step) override {
        delivered[step] = network_->now();
        if (guarded_ < 0 || step % 3 != 0) return;
        const auto interface = static_cast<std::uint32_t>(guarded_);
        if (!guards_) network_->guard(interface);
        if (!guards_ || open_) network_->set_timer(network_->now() + 1'000'000, reopen);
        guards_ = true;
        open_ = false;
        network_->set_open(interface, false);
    }
    void on_timer(std::uint64_t step) override {
        if (step == reopen) {
            open_ = true;
            return network_->set_open(static_cast<std::uint32_t>(guarded_), true);
        }
        network_->start_message(static_cast<std::uint32_t>(schedule_.source[step]),
                                static_cast<std::uint32_t>(schedule_.target[step]), schedule_.bytes[step],
                                step);
    }

    std::vector<std::int64_t> delivered;

  private:
    static constexpr std::uint64_t reopen = ~std::uint64_t{0};

    SmallSchedule schedule_;
    std::int32_t guarded_;
    bool guards_ = false, open_ = true;
    Stations stations_;
    std::unique_ptr<Network> network_;
};

std::vector<Transfer> transfers(const RandomCase& fabric, bool fast) {
    Timeline timeline(1 << 22);
    (void)fabric.simulate({.warp = fast, .timeline = &timeline});
    std::vector<Transfer> rows;
    for (std::size_t at = 0; at < timeline.transfers.size(); ++at) rows.push_back(timeline.transfers[at]);
    return rows;
}

bool same_rows(const std::vector<Transfer>& left, const std::vector<Transfer>& right) {
    bool same = left.size() == right.size();
    for (std::size_t i = 0; same && i < left.size(); ++i) {
        same = left[i].start == right[i].start && left[i].end == right[i].end &&
               left[i].bytes == right[i].bytes && left[i].station == right[i].station;
    }
    return same;
}

}  // namespace

TEST_CASE("a stream alone on its route needs events at its slowest station alone") {
    const RandomCase fabric = two_pairs();
    const auto plain = fabric.simulate({.warp = false});
    const auto fast = fabric.simulate({.warp = true});
    CHECK(same_run(plain, fast));
    CHECK(plain.short_cuts.events == 0);
    CHECK(fast.short_cuts.events > 0);
    CHECK(fast.short_cuts.interrupted == 0);
}

TEST_CASE("who comes along meets packets where they would have been, whenever he comes") {
    std::int64_t interrupted = 0;
    for (std::int64_t when = 0; when < 60'000'000; when += 123'457) {
        RandomCase fabric = two_pairs();
        fabric.schedule.send(2, 1, 700, when);
        fabric.schedule.send(0, 2, 700, when);
        const auto plain = fabric.simulate({.warp = false});
        const auto fast = fabric.simulate({.warp = true});
        CHECK(same_run(plain, fast));
        interrupted += fast.short_cuts.interrupted;
    }
    CHECK(interrupted > 100);
}

TEST_CASE("short cuts and the plain engine agree tick for tick on nodes that hand data on") {
    std::uint64_t taken = 0;
    std::uint64_t interrupted = 0;
    for (std::uint64_t seed = 0; seed < fuzz_cases; ++seed) {
        const RandomCase fabric(seed, Shape::nodes);
        const auto plain = fabric.simulate({.warp = false});
        const auto fast = fabric.simulate(
            {.warp = true, .queue = seed % 2 == 0 ? QueueKind::ladder : QueueKind::hole_heap});
        if (!same_run(plain, fast)) std::printf("  seed %llu\n", static_cast<unsigned long long>(seed));
        CHECK(same_run(plain, fast));
        CHECK(same_queues(plain, fast));
        taken += fast.short_cuts.events * 10 > plain.events ? 1 : 0;
        interrupted += fast.short_cuts.interrupted > 0 ? 1 : 0;
    }
    CHECK(taken > fuzz_cases / 4);  // a tenth of their events and more
    CHECK(interrupted > fuzz_cases / 8);
}

TEST_CASE("an interface that is guarded and closed in between ends short cuts") {
    std::int64_t spared = 0;
    for (std::uint64_t seed = 0; seed < fuzz_cases / 20; ++seed) {
        const RandomCase fabric(seed, Shape::nodes);
        const auto guarded = static_cast<std::int32_t>(seed % fabric.network.nic_component.size());
        Sender plain(fabric, guarded, {.warp = false});
        Sender fast(fabric, guarded, {.warp = true});
        plain.run();
        spared += fast.run().events;
        CHECK(plain.delivered == fast.delivered);
    }
    CHECK(spared > 0);
}

TEST_CASE("a timeline shows the same rows with and without short cuts") {
    for (std::uint64_t seed = 0; seed < fuzz_cases / 20; ++seed) {
        const RandomCase fabric(seed, Shape::nodes);
        CHECK(same_rows(transfers(fabric, false), transfers(fabric, true)));
    }
}
