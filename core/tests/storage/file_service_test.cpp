#include "striate/storage/file_service.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <queue>
#include <string>
#include <vector>

#include "striate/layout/simple_stripe.hpp"

using namespace striate;

namespace {

constexpr std::uint32_t ranks = 4;

// A network on which every message takes 100 ns and is sent at once, and CPUs whose steps take 2 ns.
class Desk final : public FileHost {
  public:
    [[nodiscard]] Ticks now() const override { return now_; }
    void transmit_file(std::uint32_t source, std::uint32_t target, std::int64_t payload, bool continues,
                       std::uint64_t cookie) override {
        log.push_back(std::to_string(source) + ">" + std::to_string(target) + ":" + std::to_string(payload) +
                      (continues ? "+" : ""));
        at(now_, 0, cookie);
        at(now_ + 100'000, 1, cookie);
    }
    void set_file_timer(Ticks time, std::uint64_t cookie) override { at(time, 2, cookie); }
    void take_file_step(std::uint32_t, std::uint64_t cookie) override { at(now_ + 2000, 3, cookie); }
    void work_for_file(std::uint32_t, Ticks work, std::uint64_t cookie) override {
        at(now_ + work, 3, cookie);
    }
    void set_receiving(std::uint32_t, bool receives) override { receiving = receives; }
    [[nodiscard]] std::uint32_t node_of(std::uint32_t rank) const override { return one_node ? 0 : rank; }
    void access_over(std::uint32_t owner, std::int64_t) override {
        log.push_back("over " + std::to_string(owner) + " at " + std::to_string(now_ / 1000));
    }

    void run(FileService& service) {
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            if (event.kind == 0) service.on_sent(event.cookie);
            if (event.kind == 1) service.on_delivered(event.cookie);
            if (event.kind == 2) service.on_timer(event.cookie);
            if (event.kind == 3) service.on_step(event.cookie);
        }
        CHECK(service.quiet());
    }

    std::vector<std::string> log;
    bool receiving = true;
    bool one_node = false;  // all ranks share one; else each has its own

  private:
    struct Event {
        Ticks time;
        std::uint64_t number;
        int kind;
        std::uint64_t cookie;
        friend bool operator<(const Event& left, const Event& right) {
            return std::pair(left.time, left.number) > std::pair(right.time, right.number);
        }
    };
    void at(Ticks time, int kind, std::uint64_t cookie) { events_.push({time, number_++, kind, cookie}); }

    std::priority_queue<Event> events_;
    std::uint64_t number_ = 0;
    Ticks now_ = 0;
};

// Disks of one byte per nanosecond.
FileRules rules(CachePolicy policy, std::size_t servers = 1) {
    ServerRules server;
    server.queue.policy = policy;
    server.queue.largest_bytes = 1000;
    server.device.disks.resize(1);
    server.device.disks[0].read_rate = server.device.disks[0].write_rate = 1e9;
    FileRules made;
    made.servers.assign(servers, server);
    made.packet_bytes = 100;
    made.io_request_bytes = 200;
    const SimpleStripe layout(static_cast<std::int64_t>(servers), 100);
    made.plan = [layout](std::int64_t, const RunsView& runs) { return plan_access(layout, runs); };
    return made;
}

using Log = std::vector<std::string>;
using Column = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a write is a request, the data packet by packet, and an acknowledgement") {
    Desk desk;
    FileService service(rules(CachePolicy::write_behind), ranks, desk);
    const Column offset{0}, size{250};
    service.access({1, 7, -1}, 0, true, {offset, size});
    desk.run(service);
    // Sent at 0, a step until 2 ns, data at 2 (all sent at once), arrived at 102, acknowledged at 202.
    CHECK((desk.log == Log{"1>4:28", "1>4:100", "1>4:100+", "1>4:50+", "4>1:15", "over 7 at 202"}));
    CHECK(service.server(0).device().disks[0].bytes_written == 250);
    CHECK(service.server(0).device().disks[0].operations == 3);
}

TEST_CASE("a call is over when its bytes have moved and the CPU has copied them") {
    // 250 bytes have moved after 202 ns; a copy of two bytes per nanosecond is over before, one of half a
    // byte after that.
    for (const auto& [rate, over] : {std::pair(2e9, "over 7 at 202"), std::pair(1e9, "over 7 at 250"),
                                     std::pair(0.5e9, "over 7 at 500")}) {
        Desk desk;
        FileRules copying = rules(CachePolicy::write_behind);
        copying.write_copy_rate = rate;
        copying.read_copy_rate = 1;  // writes do not meet it
        FileService service(copying, ranks, desk);
        const Column offset{0}, size{250};
        service.access({1, 7, -1}, 0, true, {offset, size});
        desk.run(service);
        CHECK(desk.log.back() == over);
    }
}

TEST_CASE("a non-blocking access waits for the thread that makes it, until it ends for want of work") {
    // A write of 250 bytes takes 202 ns. The thread is there 1000 ns after the first access; a later one
    // finds it, or waits for another when it has ended. A call that blocks needs none.
    for (const auto& [idle, takes] : {std::pair(Ticks{5'000'000}, 202), std::pair(Ticks{0}, 1202)}) {
        Desk desk;
        FileRules threaded = rules(CachePolicy::write_behind);
        threaded.thread_ticks = 1'000'000;
        threaded.thread_idle_ticks = idle;
        FileService service(threaded, ranks, desk);
        const Column offset{0}, size{250};
        service.access({1, 1, 0}, 0, true, {offset, size});
        service.access({2, 2, -1}, 1, true, {offset, size});
        desk.run(service);
        CHECK(std::count(desk.log.begin(), desk.log.end(), "over 1 at 1202") == 1);
        CHECK(std::count(desk.log.begin(), desk.log.end(), "over 2 at 202") == 1);
        const Ticks over = desk.now() / 1000 + takes;
        service.access({1, 3, 0}, 0, true, {offset, size});
        desk.run(service);
        CHECK(std::count(desk.log.begin(), desk.log.end(), "over 3 at " + std::to_string(over)) == 1);
    }
}

TEST_CASE("ranks copy into two files at once, and into one file in turn") {
    // 250 bytes at half a byte per nanosecond: 500 ns each; under the lock of the inode the second write
    // begins when the first is over.
    for (const auto& [files, last] : {std::pair(2, "over 2 at 500"), std::pair(1, "over 2 at 1000")}) {
        Desk desk;
        desk.one_node = true;
        FileRules copying = rules(CachePolicy::write_behind);
        copying.write_copy_rate = 0.5e9;
        copying.inode_lock = true;
        FileService service(copying, ranks, desk);
        const Column offset{0}, size{250};
        service.access({1, 1, -1}, 0, true, {offset, size});
        service.access({2, 2, -1}, files - 1, true, {offset, size});
        desk.run(service);
        CHECK(std::count(desk.log.begin(), desk.log.end(), "over 1 at 500") == 1);
        CHECK(desk.log.back() == last);
    }
}

TEST_CASE("windows of a read are copied one after the other") {
    // Two windows of 200 bytes: each copied in 400 ns, which is longer than the bytes take.
    Desk desk;
    FileRules copying = rules(CachePolicy::aggregation_reorder);
    copying.read_copy_rate = 0.5e9;
    copying.read_window_bytes = 200;
    FileService service(copying, ranks, desk);
    const Column offset{0}, size{400};
    service.access({1, 7, -1}, 0, false, {offset, size});
    desk.run(service);
    CHECK(desk.log.back() == "over 7 at 800");
}

TEST_CASE("without a cache the acknowledgement waits until the last packet is on disk") {
    for (const auto& [policy, over] : {std::pair(CachePolicy::direct, "over 7 at 452"),
                                       std::pair(CachePolicy::direct_early, "over 7 at 402")}) {
        Desk desk;
        FileService service(rules(policy), ranks, desk);
        const Column offset{0}, size{250};
        service.access({1, 7, -1}, 0, true, {offset, size});
        desk.run(service);
        // The disk begins with packets at 102, 202 and 302, and is done at 352: heard 100 ns after that, or,
        // told early, 100 ns after it has begun with the last one.
        CHECK(desk.log.back() == over);
        CHECK(desk.receiving);
    }
}

TEST_CASE("a read is sent while the next part is read") {
    Desk desk;
    FileService service(rules(CachePolicy::aggregation_reorder), ranks, desk);
    const Column offset{50}, size{350};
    service.access({0, 0, -1}, 0, false, {offset, size});
    desk.run(service);
    // Asked at 100; 200 bytes read until 300, the other 150 until 450; the last packet arrives at 550.
    CHECK((desk.log == Log{"0>4:28", "4>0:100", "4>0:100+", "4>0:100+", "4>0:50+", "over 0 at 550"}));
}

TEST_CASE("clients begin with different servers: with requests each with another, with data in pairs") {
    Desk desk;
    FileService service(rules(CachePolicy::write_behind, 2), ranks, desk);
    const Column offset{0}, size{200};
    service.access({0, 0, -1}, 0, true, {offset, size});
    desk.run(service);
    CHECK((desk.log == Log{"0>5:28", "0>4:28", "0>5:100", "0>4:100", "5>0:15", "4>0:15", "over 0 at 202"}));
}

TEST_CASE("a list of runs is one request with an entry a run") {
    Desk desk;
    FileService service(rules(CachePolicy::aggregation_reorder), ranks, desk);
    const Column offset{0, 200, 400}, size{40, 40, 40};
    service.access({0, 0, -1}, 0, true, {offset, size});
    desk.run(service);
    CHECK((desk.log[0] == "0>4:44" && desk.log[1] == "0>4:100" && desk.log[2] == "0>4:20+"));
    CHECK(service.server(0).device().disks[0].bytes_written == 120);
}

TEST_CASE("a sync is answered when the disk has written all") {
    Desk desk;
    FileService service(rules(CachePolicy::write_behind), ranks, desk);
    const Column offset{0}, size{1000};
    service.access({0, 0, -1}, 0, true, {offset, size});
    service.sync({1, 1, -1});
    desk.run(service);
    // The sync's request arrives at 100, before any data: there is nothing to write yet.
    CHECK(desk.log.back() == "over 0 at 202");
    service.access({0, 0, -1}, 0, true, {offset, size});
    desk.run(service);
    CHECK(service.server(0).device().disks[0].bytes_written == 2000);
}

TEST_CASE("what was read once comes from memory the second time") {
    FileRules made = rules(CachePolicy::aggregation_reorder);
    made.servers[0].read_cache = {100, 1000, 0};
    Desk desk;
    FileService service(made, ranks, desk);
    const Column offset{0}, size{200};
    for (int turn = 0; turn < 2; ++turn) {
        service.access({0, 0, -1}, 0, false, {offset, size});
        desk.run(service);
    }
    CHECK((service.server(0).device().disks[0].bytes_read == 200 && service.server(0).cache().hits() == 200));
}

TEST_CASE("an access to nothing is over at once") {
    Desk desk;
    FileService service(rules(CachePolicy::direct), ranks, desk);
    service.access({3, 3, -1}, 0, true, {});
    CHECK((desk.log == Log{"over 3 at 0"} && service.quiet()));
}

TEST_CASE("a forwarder passes on every packet, or what it has gathered") {
    for (const std::int64_t gathered : {0, 150}) {
        FileRules made = rules(CachePolicy::write_behind);
        made.forwarding = {{{{1}, gathered}}, {-1, 0, 0, 0}};
        Desk desk;
        FileService service(made, ranks, desk);
        const Column offset{0}, size{250};
        service.access({1, 7, -1}, 0, true, {offset, size});
        desk.run(service);
        // The forwarder is interface 5, behind the server's; every leg takes 100 ns.
        CHECK((desk.log.front() == "1>5:28" && desk.log.back() == "over 7 at 402"));
        CHECK(std::count(desk.log.begin(), desk.log.end(), "5>4:100+") == 1);
        CHECK(service.server(0).device().disks[0].bytes_written == 250);
    }
}

TEST_CASE("metadata calls wait for their turn") {
    FileRules made = rules(CachePolicy::write_behind);
    made.metadata = {{.open = 1'000'000, .create = 2'000'000}};
    Desk desk;
    FileService service(made, ranks, desk);
    service.metadata().ask({0, 0, -1}, Kind::open, 0, false);
    service.metadata().ask({1, 1, -1}, Kind::open, 3, true);
    desk.run(service);
    // Both come at 100 ns; the first takes 1 us, the second begins then and takes 2 us.
    CHECK((desk.log == Log{"0>5:20", "1>5:20", "5>0:15", "over 0 at 1200", "5>1:15", "over 1 at 3200"}));
    CHECK(!service.metadata().hears(Kind::close, 0));
    CHECK(service.metadata().totals(0).longest_queue == 1);
}

TEST_CASE("a burst buffer acknowledges what its device has, and drains for a sync") {
    FileRules made = rules(CachePolicy::direct);
    Device fast = made.servers[0].device;
    fast.disks[0].write_rate = 1e10;
    made.servers[0].burst = BurstDevice{{10'000, 5000, 1000}, fast};
    made.servers[0].packet_bytes = 100;
    Desk desk;
    FileService service(made, ranks, desk);
    const Column offset{0}, size{100};
    service.access({0, 0, -1}, 0, true, {offset, size});
    desk.run(service);
    CHECK(desk.log.back() == "over 0 at 212");  // 10 ns on the fast device
    CHECK(service.server(0).device().disks[0].bytes_written == 0);
    service.sync({1, 1, -1});
    desk.run(service);
    CHECK(service.server(0).device().disks[0].bytes_written == 100);
}
