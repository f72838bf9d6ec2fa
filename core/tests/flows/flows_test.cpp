#include "striate/flows/flows.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace striate;

namespace {

constexpr FlowRung rungs[] = {FlowRung::resource, FlowRung::macro_round_robin, FlowRung::macro_queue,
                              FlowRung::micro};

// Columns of graphs and the source over them.
struct Listed {
    explicit Listed(FlowMachine of) : machine(of) {}

    FlowMachine machine;
    std::vector<std::int64_t> first{0}, read, compute, first_receiver{0};
    std::vector<std::uint8_t> local;
    std::vector<std::uint32_t> receiver;

    void add(std::int64_t read_ticks, std::int64_t compute_ticks, bool is_local,
             std::vector<std::uint32_t> to) {
        read.push_back(read_ticks);
        compute.push_back(compute_ticks);
        local.push_back(is_local);
        receiver.insert(receiver.end(), to.begin(), to.end());
        first_receiver.push_back(static_cast<std::int64_t>(receiver.size()));
    }
    void end_of_disk() { first.push_back(static_cast<std::int64_t>(read.size())); }
    [[nodiscard]] ListedFlows flows() const {
        return {machine, {first, read, compute, local, first_receiver, receiver}};
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
    // 4 processors as a 2 x 2 mesh, 8 x 8 blocks: each cell takes a quarter; without reach one receiver a
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
