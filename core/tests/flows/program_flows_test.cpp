#include "striate/flows/program_flows.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <vector>

#include "small_network.hpp"
#include "small_programs.hpp"
#include "striate/layout/simple_stripe.hpp"

using namespace striate;

namespace {

constexpr FlowOrder orders[] = {FlowOrder::path, FlowOrder::round_robin, FlowOrder::queue, FlowOrder::micro};
constexpr Ticks microsecond = 1'000'000;
constexpr double megabyte = 1e6;

// Ranks, and a server behind them, on one switch; 100 MB/s everywhere, no latency, packets of 1,000 bytes.
struct World {
    explicit World(std::size_t ranks, CachePolicy policy = CachePolicy::write_behind) {
        const std::int32_t hub = network.component(100 * megabyte);
        for (std::size_t nic = 0; nic <= ranks; ++nic) network.nic(hub, 100 * megabyte, 100 * megabyte, 0);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            node.push_back(static_cast<std::int32_t>(rank));
            cpus.push_back(1);
            speed.push_back(3e9);
            member.push_back(static_cast<std::int64_t>(rank));
            group.push_back(0);
        }
        first = {0, static_cast<std::int64_t>(ranks)};
        files.packet_bytes = 1000;
        files.io_request_bytes = 10000;
        ServerRules server;
        server.queue.policy = policy;
        server.device.disks = {Disk{DiskKind::simple, 10 * megabyte, 10 * megabyte, 0, 0, 0, 0, 1, 0, 1, 1}};
        files.servers = {server};
        files.plan = [](std::int64_t, const RunsView& runs) {
            return plan_access(SimpleStripe(1, 1 << 20), runs);
        };
    }

    [[nodiscard]] ProgramFlowResult run(
        const Written& written, FlowOrder order, const std::function<void()>& poll = [] {}) const {
        Stations stations = network.stations({.packet_bytes = 1000});
        const std::vector<GroupColumns> communicators{{group, member, first, member}};
        CollectiveColumns no_schedules{};
        no_schedules.first_action = none_;
        const ProgramInput input{.programs = written.programs(),
                                 .communicators = communicators,
                                 .collectives = no_schedules,
                                 .rank_node = node,
                                 .node_cpus = cpus,
                                 .node_instructions_per_second = speed,
                                 .eager_bytes = 1 << 20,
                                 .files = &files};
        return run_program_flows(stations, input, order, poll);
    }

    SmallNetwork network;
    std::vector<std::int32_t> node, cpus;
    std::vector<double> speed;
    std::vector<std::int64_t> member, group, first;
    FileRules files;

  private:
    std::vector<std::int64_t> none_{0};
};

const std::vector<std::int64_t> barrier_operands{-1, -1};

}  // namespace

TEST_CASE("computing alone takes its time, in every order") {
    Written written;
    for (int i = 0; i < 3; ++i) written.add(Kind::compute, {5 * microsecond, 0});
    written.end_of_rank();
    for (const FlowOrder order : orders) CHECK(World(1).run(written, order).ticks == 15 * microsecond);
}

TEST_CASE("a long program asks whether it may go on, in every order") {
    Written written;
    written.add(Kind::loop, {1 << 20});
    written.add(Kind::compute, {microsecond, 0});
    written.add(Kind::end, {});
    written.end_of_rank();
    int asked = 0;
    const std::function<void()> stop = [&] {
        if (++asked == 3) throw std::runtime_error("stop");
    };
    for (const FlowOrder order : orders) {
        asked = 0;
        CHECK_THROWS_AS((void)World(1).run(written, order, stop), std::runtime_error);
    }
}

TEST_CASE("a message of 10 packets passes 5 stations: 4 packets ahead, then all of it") {
    // 9,952 bytes, a tag of 8 and a header of 40: 10,000 bytes at 100 MB/s are 100 us; the first packet has
    // the header and takes 10.4 us
    Written written;
    written.add(Kind::send, {1, 0, 9952, -1});
    written.end_of_rank();
    written.add(Kind::recv, {0, 0, 9952, -1});
    written.end_of_rank();
    for (const FlowOrder order : orders) {
        const auto found = World(2).run(written, order);
        CHECK(found.rank_end[1] == 141'600'000 + 1000);  // and a step of 3 instructions at 3 G/s
        CHECK(found.messages == 1);
    }
}

TEST_CASE("two messages to one receiver share its link, unless nothing is shared") {
    Written written;
    for (const std::int64_t from : {1, 2}) written.add(Kind::recv, {from, 0, 9952, -1});
    written.end_of_rank();
    for (int sender = 0; sender < 2; ++sender) {
        written.add(Kind::send, {0, 0, 9952, -1});
        written.end_of_rank();
    }
    const World world(3);
    CHECK(world.run(written, FlowOrder::path).ticks < 145 * microsecond);
    for (const FlowOrder order : {FlowOrder::round_robin, FlowOrder::queue, FlowOrder::micro}) {
        CHECK(world.run(written, order).ticks > 235 * microsecond);
    }
}

TEST_CASE("a cached write is over when it has arrived, a direct one when it is on disk") {
    Written written;
    written.add(Kind::write, {0, 0, 10000, 1, 0, -1, -1});
    written.end_of_rank();
    for (const FlowOrder order : orders) {
        const auto cached = World(1).run(written, order);
        const auto direct = World(1, CachePolicy::direct).run(written, order);
        const auto early = World(1, CachePolicy::direct_early).run(written, order);
        CHECK(cached.ticks < 250 * microsecond);
        // 10,000 bytes at 10 MB/s: 1 ms, told early less the last packet's 100 us; nothing is proved of that
        if (order != FlowOrder::path) CHECK(direct.ticks > 1000 * microsecond);
        if (order != FlowOrder::path) CHECK((early.ticks > 900 * microsecond && early.ticks < direct.ticks));
        CHECK(cached.written[0] == 10000);
    }
}

TEST_CASE("barriers make everyone wait for the last, and a read waits for the disk") {
    Written written;
    for (const std::int64_t work : {1, 7}) {
        written.add(Kind::compute, {work * microsecond, 0});
        written.add(Kind::barrier, barrier_operands);
        written.add(Kind::read, {0, 0, 10000, 1, 0, -1, -1});
        written.end_of_rank();
    }
    for (const FlowOrder order : orders) {
        const auto found = World(2).run(written, order);
        CHECK(found.ticks > (order == FlowOrder::path ? 1000 : 2000) * microsecond);
        CHECK(found.calls[0] == 1);
    }
}

TEST_CASE("requests are waited for one by one or all together") {
    Written written;
    written.add(Kind::recv, {1, 0, 100, 0});
    written.add(Kind::send, {1, 0, 100, 1});
    written.add(Kind::wait, {0});
    written.add(Kind::waitall, {});
    written.end_of_rank();
    written.add(Kind::sendrecv, {0, 0, 100, 0, 0, 100});
    written.end_of_rank();
    for (const FlowOrder order : orders) CHECK(World(2).run(written, order).messages == 2);
}

TEST_CASE("ranks that wait for each other for ever are told") {
    Written written;
    for (const std::int64_t other : {1, 0}) {
        written.add(Kind::recv, {other, 0, 8, -1});
        written.end_of_rank();
    }
    for (const FlowOrder order : orders) CHECK_THROWS((void)World(2).run(written, order));
}
