#include "striate/flows/flows.hpp"

#include <algorithm>
#include <stdexcept>

#include "striate/events/hole_heap.hpp"
#include "striate/flows/flow_clocks.hpp"
#include "striate/flows/micro_flows.hpp"

namespace striate {

namespace {

// Section 5.1: all events of a resource are one event, and groups do not matter.
template <class Source>
FlowResult resource(const Source& source) {
    const FlowMachine& machine = source.machine();
    FlowClocks clocks(machine);
    Flow flow;
    for (std::size_t group = 0; group < source.groups(); ++group) {
        for (std::uint32_t disk = 0; disk < machine.disks; ++disk) {
            auto cursor = source.begin(group, disk);
            for (std::int64_t left = source.count(group, disk); left > 0; --left) {
                source.take(group, disk, cursor, flow);
                clocks.book(flow, disk, machine.owner(disk));
            }
        }
        clocks.add_floor();
    }
    FlowResult result = clocks.finish();
    result.ticks = std::max(*std::max_element(result.disk_work.begin(), result.disk_work.end()),
                            *std::max_element(result.processor_work.begin(), result.processor_work.end()));
    for (const std::int64_t work : result.station_work) result.ticks = std::max(result.ticks, work);
    return result;
}

// A whole graph at once: the read, then each send with its receive and computation, then the local
// computation. The receiver takes part from the start of the transfer on (section 5.2).
template <bool links, bool fills>
void macro(FlowClocks& clocks, const FlowMachine& machine, const Flow& flow, std::uint32_t disk) {
    if (flow.write) throw std::invalid_argument(only_sums_know_writes);
    const std::uint32_t owner = machine.owner(disk);
    const std::int64_t communication = machine.communication(flow);
    clocks.book(flow, disk, owner);
    const std::int64_t read = clocks.disk[disk] += flow.read_ticks;
    std::int64_t sent = read;
    for (std::uint32_t i = 0; i < flow.receivers; ++i) {
        const std::uint32_t to = flow.receiver[i];
        if constexpr (links) {
            const std::int64_t begun = clocks.clock[3 * owner + 1].template serve<fills>(read, communication);
            const std::int64_t ready = clocks.template pass<fills>(owner, to, begun, flow);
            const std::int64_t taken = clocks.clock[3 * to + 2].template serve<fills>(ready, communication);
            clocks.clock[3 * to].template serve<fills>(taken + communication, flow.compute_ticks);
            sent = std::max(sent, begun + communication);
        } else {
            const std::int64_t begun = clocks.clock[owner].template serve<fills>(read, communication);
            const std::int64_t ready = clocks.template pass<fills>(owner, to, begun, flow);
            clocks.clock[to].template serve<fills>(ready, communication + flow.compute_ticks);
            sent = std::max(sent, begun + communication);
        }
    }
    if (!machine.overlap) clocks.disk[disk] = sent;
    if (flow.local) clocks.clock[links ? 3 * owner : owner].template serve<fills>(read, flow.compute_ticks);
}

template <bool links, class Source>
FlowResult macro_round_robin(const Source& source) {
    const FlowMachine& machine = source.machine();
    FlowClocks clocks(machine);
    Flow flow;
    std::vector<FlowPlace<Source>> places(machine.disks);
    for (std::size_t group = 0; group < source.groups(); ++group) {
        std::int64_t most = 0;
        for (std::uint32_t disk = 0; disk < machine.disks; ++disk) {
            places[disk] = {source.begin(group, disk), source.count(group, disk)};
            most = std::max(most, places[disk].left);
        }
        for (std::int64_t round = 0; round < most; ++round) {
            for (std::uint32_t disk = 0; disk < machine.disks; ++disk) {
                if (places[disk].left == 0) continue;
                --places[disk].left;
                source.take(group, disk, places[disk].cursor, flow);
                macro<links, false>(clocks, machine, flow, disk);
            }
        }
        clocks.level();
    }
    return clocks.finish();
}

// Graphs in the order in which their disks come free (section 5.3).
template <bool links, class Source>
FlowResult macro_queue(const Source& source) {
    const FlowMachine& machine = source.machine();
    FlowClocks clocks(machine);
    Flow flow;
    std::vector<FlowPlace<Source>> places(machine.disks);
    for (std::size_t group = 0; group < source.groups(); ++group) {
        HoleHeap queue;
        for (std::uint32_t disk = 0; disk < machine.disks; ++disk) {
            places[disk] = {source.begin(group, disk), source.count(group, disk)};
            if (places[disk].left > 0) queue.push({clocks.disk[disk], disk});
        }
        while (!queue.empty()) {
            const auto disk = static_cast<std::uint32_t>(queue.pop().key);
            source.take(group, disk, places[disk].cursor, flow);
            macro<links, true>(clocks, machine, flow, disk);
            if (--places[disk].left > 0) queue.push({clocks.disk[disk], disk});
        }
        clocks.level();
    }
    return clocks.finish();
}

}  // namespace

template <class Source>
FlowResult run_flows(const Source& source, FlowRung rung, std::int64_t blocks_ahead) {
    switch (rung) {
        case FlowRung::resource:
            return resource(source);
        case FlowRung::macro_round_robin:
            return source.machine().links ? macro_round_robin<true>(source)
                                          : macro_round_robin<false>(source);
        case FlowRung::macro_queue:
            return source.machine().links ? macro_queue<true>(source) : macro_queue<false>(source);
        case FlowRung::micro:
            return MicroFlows<Source>(source, blocks_ahead).run();
    }
    throw std::invalid_argument("no such rung");
}

template FlowResult run_flows(const MeshQueries&, FlowRung, std::int64_t);
template FlowResult run_flows(const ListedFlows&, FlowRung, std::int64_t);

}  // namespace striate
