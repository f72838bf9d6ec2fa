// Parts of a server that a user puts in place of built-in ones.
#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "striate/storage/device.hpp"
#include "striate/storage/read_cache.hpp"
#include "striate/storage/server_queue.hpp"
#include "striate/storage/two_phase.hpp"

using namespace striate;

namespace {

// The last come is served first, two at once where there are two.
class LastFirst : public RequestScheduler {
  public:
    void arrive(std::uint32_t server, std::uint32_t slot, const Job& job, Ticks now) override {
        CHECK((server == 3 && job.writer == 7 && now == 40));
        waiting.push_back(slot);
    }
    std::vector<std::uint32_t> next(std::uint32_t, Ticks) override {
        std::vector<std::uint32_t> chosen;
        while (!waiting.empty() && chosen.size() < 2) {
            chosen.push_back(waiting.back());
            waiting.pop_back();
        }
        return chosen;
    }
    std::vector<std::uint32_t> waiting;
};

class Constant : public DiskModel {
  public:
    Ticks ticks(std::uint32_t server, std::uint32_t disk, const Access& access, Ticks now) override {
        asked.push_back({server, disk, access.offset, now});
        return 50;
    }
    std::vector<std::vector<std::int64_t>> asked;
};

class NewestLeaves : public PageReplacement {
  public:
    void added(std::uint32_t, const Page& page) override { newest = page; }
    void used(std::uint32_t, const Page& page) override { newest = page; }
    Page victim(std::uint32_t) override { return newest; }
    Page newest{-1, -1};
};

}  // namespace

TEST_CASE("a scheduler decides the order, and what is served as one") {
    LastFirst scheduler;
    QueueRules rules;
    rules.scheduler = &scheduler;
    rules.server = 3;
    ServerQueue queue(rules);
    for (const std::int64_t offset : {20, 10, 0}) queue.add({{0, offset, 10, true}, 0, 7}, 40);
    const Operation first = queue.take(50);
    CHECK((first.access == Access{0, 0, 20, true} && first.parts.size() == 2));
    CHECK((queue.waiting() == 1 && queue.dirty_bytes() == 30));
    queue.finish(first);
    CHECK(queue.take(60).access == Access{0, 20, 10, true});
}

TEST_CASE("a scheduler that chooses what does not wait is refused") {
    LastFirst scheduler;
    QueueRules rules;
    rules.scheduler = &scheduler;
    rules.server = 3;
    ServerQueue queue(rules);
    queue.add({{0, 0, 10, true}, 0, 7}, 40);
    scheduler.waiting = {5};
    CHECK_THROWS_AS((void)queue.take(), std::invalid_argument);
    scheduler.waiting.clear();
    CHECK_THROWS_AS((void)queue.take(), std::invalid_argument);
}

TEST_CASE("a model says how long an access takes, and the counters go on") {
    Constant model;
    Device device;
    device.disks.assign(1, {});
    device.model = &model;
    device.server = 2;
    DeviceState state(device);
    CHECK(finish_time(device, state, 1000, {0, 0, 10, true}) == 1050);
    CHECK(finish_time(device, state, 1000, {0, 10, 10, true}) == 1100);  // after the first
    CHECK((model.asked == std::vector<std::vector<std::int64_t>>{{2, 0, 0, 1000}, {2, 0, 10, 1050}}));
    CHECK((state.disks[0].operations == 2 && state.disks[0].sequential == 1));
}

TEST_CASE("a replacement decides which page leaves") {
    NewestLeaves replacement;
    ReadCache cache({100, 200, 0, &replacement, 0});
    for (const std::int64_t page : {0, 1, 2}) cache.fill(0, 100 * page, 100, 1000);
    CHECK(cache.read(0, 0, 100, 1000).hit_bytes == 100);
    CHECK(cache.read(0, 100, 100, 1000).hit_bytes == 0);  // page 1 made room for page 2
    replacement.newest = {9, 9};
    CHECK_THROWS_AS(cache.fill(0, 500, 100, 1000), std::invalid_argument);
}

TEST_CASE("chosen pieces move and access every byte once, and lose none") {
    const std::vector<std::int64_t> first_run{0, 1, 2}, offset{0, 30}, size{40, 30};
    const std::vector<FilePiece> pieces{{0, 1, 0, 20}, {1, 0, 20, 30}, {0, 1, 50, 10}};
    const TwoPhasePlan plan = plan_pieces({first_run, offset, size}, pieces);
    // Round 0: rank 0 sends 20 to member 1, which gets 10 from itself; round 1: 20 and 20 to member 0.
    CHECK(plan.rounds == 2);
    CHECK((plan.move_round == std::vector<std::int64_t>{0, 0, 1, 1}));
    CHECK((plan.move_rank == std::vector<std::int64_t>{0, 1, 0, 1}));
    CHECK((plan.move_bytes == std::vector<std::int64_t>{20, 10, 20, 20}));
    CHECK((plan.access_offset == std::vector<std::int64_t>{0, 50, 20}));
    CHECK((plan.access_size == std::vector<std::int64_t>{20, 10, 30}));
    const std::vector<FilePiece> short_of{{0, 1, 0, 20}, {1, 0, 21, 39}};
    CHECK_THROWS_AS((void)plan_pieces({first_run, offset, size}, short_of), std::invalid_argument);
}
