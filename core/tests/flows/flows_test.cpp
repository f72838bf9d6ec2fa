#include "striate/flows/flows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "striate/refusal.hpp"

using namespace striate;

namespace {

constexpr FlowRung rungs[] = {FlowRung::resource, FlowRung::macro_round_robin, FlowRung::macro_queue,
                              FlowRung::micro};

// Columns of graphs and the source over them.
struct Listed {
    explicit Listed(FlowMachine of) : machine(of) {}

    FlowMachine machine;
    std::vector<std::int64_t> first{0}, read, compute, first_receiver{0};
    std::vector<std::uint8_t> local, write;
    std::vector<double> size;
    std::vector<std::uint32_t> receiver;

    void add(std::int64_t read_ticks, std::int64_t compute_ticks, bool is_local,
             std::vector<std::uint32_t> to, bool writes = false) {
        read.push_back(read_ticks);
        compute.push_back(compute_ticks);
        local.push_back(is_local);
        write.push_back(writes);
        size.push_back(1);
        receiver.insert(receiver.end(), to.begin(), to.end());
        first_receiver.push_back(static_cast<std::int64_t>(receiver.size()));
    }
    void end_of_disk() { first.push_back(static_cast<std::int64_t>(read.size())); }
    [[nodiscard]] ListedFlows flows() const {
        return {machine, {first, read, compute, local, write, size, first_receiver, receiver}};
    }
    [[nodiscard]] std::int64_t run(FlowRung rung) const { return run_flows(flows(), rung, 8).ticks; }
};

}  // namespace

TEST_CASE("one disk that only reads takes the sum, on every rung") {
    Listed listed({1, 1, 0, true});
    for (const std::int64_t ticks : {5, 7, 11}) listed.add(ticks, 0, true, {});
    listed.end_of_disk();
    for (const FlowRung rung : rungs) CHECK(listed.run(rung) == 23);
}

TEST_CASE("a graph that writes sends the other way, and only sums know it") {
    // Two makers of one block for disk 0: each sends for 3 and computes for 4; the disk's processor receives
    // both and computes nothing.
    Listed listed({3, 1, 3, true, true});
    listed.add(10, 4, false, {1, 2}, true);
    for (int disk = 0; disk < 3; ++disk) listed.end_of_disk();
    const auto result = run_flows(listed.flows(), FlowRung::resource, 8);
    CHECK(result.disk_work == std::vector<std::int64_t>{10, 0, 0});
    CHECK(result.processor_work == std::vector<std::int64_t>{6, 7, 7});
    CHECK(result.floor == 10);
    for (const FlowRung rung : {FlowRung::macro_round_robin, FlowRung::macro_queue, FlowRung::micro})
        CHECK_THROWS_AS((void)listed.run(rung), std::invalid_argument);
}

TEST_CASE("computation follows its read: 10 + 10 + 10 and the last 4") {
    Listed listed({1, 1, 0, true});
    for (int i = 0; i < 3; ++i) listed.add(10, 4, true, {});
    listed.end_of_disk();
    CHECK(listed.run(FlowRung::resource) == 30);
    for (const FlowRung rung : {FlowRung::macro_round_robin, FlowRung::macro_queue, FlowRung::micro}) {
        CHECK(listed.run(rung) == 34);
    }
}

TEST_CASE("a block sent to another processor costs both of them a transfer") {
    // disk 0 (processor 0) sends its block to processor 1: read 10, send and receive 3, compute 5
    Listed listed({2, 1, 3, true});
    listed.add(10, 5, false, {1});
    listed.end_of_disk();
    listed.end_of_disk();
    const auto result = run_flows(listed.flows(), FlowRung::macro_queue, 8);
    CHECK(result.ticks == 10 + 3 + 5);
    CHECK(run_flows(listed.flows(), FlowRung::micro, 8).ticks == 10 + 3 + 5);
    CHECK((result.processor_work == std::vector<std::int64_t>{3, 8}));
    CHECK((result.communication_work == std::vector<std::int64_t>{3, 3}));
    CHECK(result.most_fan_out == 1);
}

TEST_CASE("without overlap a disk waits for the send of its block") {
    // two blocks from one disk, each sent: read 10, send 3, read 10, send 3 - or read 10, read 10, send 3
    Listed listed({2, 1, 3, false});
    listed.add(10, 0, false, {1});
    listed.add(10, 0, false, {1});
    listed.end_of_disk();
    listed.end_of_disk();
    CHECK(listed.run(FlowRung::macro_queue) == 26);
    listed.machine.overlap = true;
    CHECK(listed.run(FlowRung::macro_queue) == 23);
}

TEST_CASE("groups wait for each other, except for the resource rung") {
    // group 0: disk 0 reads 10; group 1: disk 1 reads 10
    Listed listed({2, 1, 0, true});
    listed.add(10, 0, true, {});
    listed.end_of_disk();
    listed.end_of_disk();
    listed.end_of_disk();
    listed.add(10, 0, true, {});
    listed.end_of_disk();
    CHECK(listed.run(FlowRung::resource) == 10);
    for (const FlowRung rung : {FlowRung::macro_round_robin, FlowRung::macro_queue, FlowRung::micro}) {
        CHECK(listed.run(rung) == 20);
    }
}

TEST_CASE("every rung books the same work, and none is below the resource rung") {
    std::mt19937 engine(7);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    for (int round = 0; round < 300; ++round) {
        const std::uint32_t per = 1 + random() % 3, processors = 1 + random() % 4;
        Listed listed({per * processors, per, random() % 20, random() % 2 == 0});
        const std::size_t groups = 1 + random() % 3;
        for (std::size_t cell = 0; cell < groups * listed.machine.disks; ++cell) {
            for (std::uint32_t n = random() % 6; n > 0; --n) {
                std::vector<std::uint32_t> to;
                const std::uint32_t owner =
                    listed.machine.owner(static_cast<std::uint32_t>(cell) % listed.machine.disks);
                for (std::uint32_t p = 0; p < processors; ++p) {
                    if (p != owner && random() % 3 == 0) to.push_back(p);
                }
                listed.add(random() % 50, random() % 30, random() % 2 == 0, to);
            }
            listed.end_of_disk();
        }
        const auto base = run_flows(listed.flows(), FlowRung::resource, 8);
        for (const FlowRung rung : rungs) {
            const auto result = run_flows(listed.flows(), rung, 8);
            CHECK(result.disk_work == base.disk_work);
            CHECK(result.processor_work == base.processor_work);
            CHECK(result.communication_work == base.communication_work);
            CHECK(result.graphs == base.graphs);
            CHECK(result.ticks >= base.ticks);
        }
    }
}

TEST_CASE("a mesh query deals every block once and sends it where its footprint lies") {
    // 4 processors as a 2 x 2 mesh, 8 x 8 blocks: each cell takes a quarter; without reach one receiver per
    // block
    const MeshQueries source({4, 1, 1, true}, {2, 2, 0.0, true, 10, 1, 0.0, 0}, {{8, 8, 3}});
    const auto result = run_flows(source, FlowRung::resource, 8);
    CHECK(result.graphs == 8 * 8 * 3);
    CHECK((result.disk_reads == std::vector<std::int64_t>{48, 48, 48, 48}));
    std::int64_t compute = 0;
    for (std::size_t p = 0; p < 4; ++p) compute += result.processor_work[p] - result.communication_work[p];
    CHECK(compute == 8 * 8 * 3);
    CHECK(result.most_fan_out == 1);
}

TEST_CASE("nonsense is refused") {
    CHECK_THROWS(MeshQueries({3, 2, 0, true}, {1, 1, 0.0, true, 1, 1, 0.0, 0}, {{1, 1, 1}}));
    CHECK_THROWS(MeshQueries({4, 1, 0, true}, {2, 1, 0.0, true, 1, 1, 0.0, 0}, {{1, 1, 1}}));
    CHECK_THROWS(MeshQueries({4, 1, 0, true}, {2, 2, 0.0, true, 1, 1, 0.0, 0}, {{0, 1, 1}}));
}

TEST_CASE("a switch that all share is a clock of its own, and a floor") {
    // four processors send one block each to the next; ends take 1, the switch 10 for each block
    const std::vector<std::int64_t> ticks{10};
    std::vector<std::int64_t> first{0};
    std::vector<std::uint32_t> station;
    for (int from = 0; from < 4; ++from) {
        for (int to = 0; to < 4; ++to) {
            if (from != to) station.push_back(0);
            first.push_back(static_cast<std::int64_t>(station.size()));
        }
    }
    FlowMachine machine{4, 1, 1, true, true};
    machine.station_ticks = ticks, machine.first_station = first, machine.station = station;
    Listed listed(machine);
    for (std::uint32_t disk = 0; disk < 4; ++disk) {
        listed.add(5, 0, false, {(disk + 1) % 4});
        listed.end_of_disk();
    }
    const FlowResult result = run_flows(listed.flows(), FlowRung::resource, 8);
    CHECK(result.floor == 40);
    CHECK(result.ticks == 40);
    CHECK(result.most_partners == 2);  // one that it sends to, one that it receives from
    for (const FlowRung rung : {FlowRung::macro_round_robin, FlowRung::macro_queue, FlowRung::micro}) {
        CHECK(listed.run(rung) == 45);  // read 5, then four blocks one after the other
    }
}

TEST_CASE("disks of different speed read at their own") {
    const std::vector<double> scale{1.0, 3.0};
    FlowMachine machine{2, 1, 0, true};
    machine.read_scale = scale;
    const MeshQueries source(machine, {1, 1, 0.0, false, 7, 0, 0.0, 0}, {{2, 1, 1}});
    for (const FlowRung rung : rungs) CHECK(run_flows(source, rung, 8).ticks == 21);
}

TEST_CASE("a window of a stored area takes every block once, from the disks where they lie") {
    // 7 x 5 blocks of a larger area in 2 layers on 12 disks: 70 blocks, no disk holds two neighbours of a row
    const MeshQueries source({12, 1, 1, true}, {4, 3, 0.0, true, 1, 1, 0.0, 0}, {{7, 5, 2, 3, 4}});
    std::int64_t blocks = 0, most = 0;
    std::vector<int> seen(70);
    Flow flow;
    for (std::uint32_t disk = 0; disk < 12; ++disk) {
        const std::int64_t count = source.count(0, disk);
        blocks += count;
        most = std::max(most, count);
        auto cursor = source.begin(0, disk);
        for (std::int64_t i = 0; i < count; ++i) {
            ++seen[static_cast<std::size_t>(cursor.column + 7 * (cursor.row + 5 * cursor.layer))];
            source.take(0, disk, cursor, flow);
        }
    }
    CHECK(blocks == 70);
    CHECK(most >= 6);  // 70 / 12 rounded up
    CHECK(most <= 8);
    for (const int times : seen) CHECK(times == 1);
}

TEST_CASE("a block for more receivers than a graph holds is refused, not cut") {
    // one block under a mesh of 5 x 5 processors, reaching over all of them
    const MeshQueries source({25, 1, 1, true}, {5, 5, 1.0, true, 1, 1, 0.0, 0}, {{1, 1, 1}});
    CHECK_THROWS_AS((void)run_flows(source, FlowRung::resource, 8), Refusal);
}

TEST_CASE("a call now and then may end a long run") {
    FlowMachine machine{1, 1, 0, true};
    machine.keep_going = [] { throw std::runtime_error("interrupted"); };
    const MeshQueries source(machine, {1, 1, 0.0, false, 1, 1, 0.0, 0}, {{1000, 1000, 1}});
    CHECK_THROWS_AS((void)run_flows(source, FlowRung::micro, 8), std::runtime_error);
}
