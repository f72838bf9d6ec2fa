// FlowClocks and books of the disks and processors on which flows run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "striate/flows/flows.hpp"

#include "striate/refusal.hpp"

namespace striate {

inline constexpr const char* only_sums_know_writes = "a rung with clocks was asked about graphs that write";

// A clock that remembers its longest idle time, so that work which is told late still finds its place: a
// graph processed at once reaches far ahead on its receivers' clocks, and without the gap all that comes
// after would queue behind it, processor after processor.
struct IdleClock {
    std::int64_t end = 0;
    std::int64_t idle_from = 0, idle_to = 0;

    // When `ticks` of work that may begin at `ready` begin; in turn, or in the idle time.
    template <bool fills>
    std::int64_t serve(std::int64_t ready, std::int64_t ticks) {
        if constexpr (!fills) {
            const std::int64_t begun = std::max(end, ready);
            end = begun + ticks;
            return begun;
        }
        if (ready >= end) {
            if (ready - end > idle_to - idle_from) idle_from = end, idle_to = ready;
            end = ready + ticks;
            return ready;
        }
        const std::int64_t from = std::max(ready, idle_from);
        if (idle_to - from >= ticks) {
            idle_from = from + ticks;
            return from;
        }
        end += ticks;
        return end - ticks;
    }
};

// FlowClocks and work of every disk and processor; shared by all rungs. Where interfaces do the protocol work
// a processor has three clocks: what it sends, what it receives, what it computes.
struct FlowClocks {
    explicit FlowClocks(const FlowMachine& machine)
        : machine_(machine),
          disk(machine.disks),
          each(machine.links ? 3 : 1),
          clock(machine.processors() * std::size_t{each}),
          work(machine.processors()),
          before(machine.processors()),
          disk_before(machine.disks),
          station(machine.station_ticks.size()),
          station_before(machine.station_ticks.size()),
          met(machine.processors() <= most_known ? std::size_t{machine.processors()} * machine.processors()
                                                 : 0) {
        result.station_work.resize(machine.station_ticks.size());
        result.disk_work.resize(machine.disks);
        result.disk_reads.resize(machine.disks);
        result.processor_work.resize(machine.processors());
        result.communication_work.resize(machine.processors());
    }

    [[nodiscard]] IdleClock& computing(std::uint32_t processor) {
        return clock[processor * std::size_t{each}];
    }
    [[nodiscard]] IdleClock& sending(std::uint32_t processor) {
        return clock[processor * std::size_t{each} + (each == 3 ? 1 : 0)];
    }
    [[nodiscard]] IdleClock& receiving(std::uint32_t processor) {
        return clock[processor * std::size_t{each} + (each == 3 ? 2 : 0)];
    }

    // Books the work of one graph, whatever the order in which it is done.
    void book(const Flow& flow, std::uint32_t on, std::uint32_t owner) {
        const std::int64_t communication = machine_.communication(flow);
        result.disk_work[on] += flow.read_ticks;
        ++result.disk_reads[on];
        if ((++result.graphs & 0xFFFF) == 0 && machine_.keep_going) machine_.keep_going();
        result.sends += flow.receivers;
        result.most_fan_out = std::max<std::int64_t>(result.most_fan_out, flow.receivers);
        work[owner].compute += flow.local ? flow.compute_ticks : 0;
        for (std::uint32_t i = 0; i < flow.receivers; ++i) {
            const std::uint32_t from = flow.write ? flow.receiver[i] : owner;
            const std::uint32_t to = flow.write ? owner : flow.receiver[i];
            work[from].sent += communication;
            work[to].received += communication;
            work[owner].for_disks += communication;
            work[flow.receiver[i]].compute += flow.compute_ticks;
            if (!met.empty()) met[std::size_t{from} * machine_.processors() + to] = 1;
            for (const std::uint32_t shared : machine_.route(from, to)) {
                result.station_work[shared] += machine_.passing(shared, flow);
            }
        }
    }

    // A block on its way from one processor to another, whose first packet leaves at `begun` and which takes
    // `communication` at either end: when its receiver begins to take part. Every shared component passes it
    // in turn, and its last packet arrives no earlier than the last component has passed it.
    template <bool fills>
    std::int64_t pass(std::uint32_t from, std::uint32_t to, std::int64_t begun, const Flow& flow) {
        const std::int64_t communication = machine_.communication(flow);
        std::int64_t at = begun, ready = begun;
        for (const std::uint32_t shared : machine_.route(from, to)) {
            const std::int64_t ticks = machine_.passing(shared, flow);
            at = station[shared].template serve<fills>(at, ticks);
            ready = std::max(ready, at + ticks - communication);
        }
        return ready;
    }

    [[nodiscard]] std::int64_t latest_clock() const {
        std::int64_t last = *std::max_element(disk.begin(), disk.end());
        for (const IdleClock& one : clock) last = std::max(last, one.end);
        for (const IdleClock& one : station) last = std::max(last, one.end);
        return last;
    }

    // A barrier between groups: nothing of the next begins before all of this one has ended.
    void level() {
        result.ticks = latest_clock();
        if (result.ticks > latest) throw Refusal(Reason::run_too_long);
        std::fill(disk.begin(), disk.end(), result.ticks);
        std::fill(clock.begin(), clock.end(), IdleClock{result.ticks, 0, 0});
        std::fill(station.begin(), station.end(), IdleClock{result.ticks, 0, 0});
        add_floor();
    }

    // No order of events within a group beats its busiest resource, and groups follow one another.
    void add_floor() {
        std::int64_t busiest = 0;
        for (std::size_t i = 0; i < disk_before.size(); ++i) {
            busiest = std::max(busiest, result.disk_work[i] - disk_before[i]);
            disk_before[i] = result.disk_work[i];
        }
        for (std::size_t i = 0; i < work.size(); ++i) {
            busiest = std::max(busiest, busiest_part(i));
            before[i] = work[i];
        }
        for (std::size_t i = 0; i < station_before.size(); ++i) {
            busiest = std::max(busiest, result.station_work[i] - station_before[i]);
            station_before[i] = result.station_work[i];
        }
        result.floor += busiest;
    }

    // What a processor cannot do at once in the group that ends. T_comm holds latencies, and those of blocks
    // that interfaces move may overlap: no proof. With several CPUs the work for its disks goes on beside the
    // rest.
    [[nodiscard]] std::int64_t busiest_part(std::size_t i) const {
        const std::int64_t compute = work[i].compute - before[i].compute;
        if (each == 3) return compute;
        const std::int64_t all =
            work[i].sent - before[i].sent + work[i].received - before[i].received + compute;
        if (machine_.one_cpu) return all;
        const std::int64_t for_disks = work[i].for_disks - before[i].for_disks;
        return std::max(all - for_disks, for_disks / machine_.disks_per_processor);
    }

    // The most processors that any one exchanges blocks with, sent or received.
    [[nodiscard]] std::int64_t partners() const {
        const std::size_t count = machine_.processors();
        if (met.empty()) return static_cast<std::int64_t>(count) - 1;
        std::int64_t most = 0;
        for (std::size_t a = 0; a < count; ++a) {
            std::int64_t found = 0;
            for (std::size_t b = 0; b < count; ++b) found += met[a * count + b] | met[b * count + a];
            most = std::max(most, found);
        }
        return most;
    }

    // Moves the work of the processors into the result.
    FlowResult finish() {
        result.most_partners = partners();
        for (std::size_t i = 0; i < work.size(); ++i) {
            result.communication_work[i] = work[i].sent + work[i].received;
            result.processor_work[i] = result.communication_work[i] + work[i].compute;
        }
        return std::move(result);
    }

    static constexpr std::int64_t latest = std::int64_t{1} << 62;

    struct Work {
        std::int64_t sent = 0, received = 0, compute = 0;
        std::int64_t for_disks = 0;  // of what is sent and received: to and from the own disks
    };

    static constexpr std::uint32_t most_known = 8192;  // processors whose pairs are told apart

    const FlowMachine& machine_;
    std::vector<std::int64_t> disk;
    std::uint32_t each;
    std::vector<IdleClock> clock;
    std::vector<Work> work, before;
    std::vector<std::int64_t> disk_before;
    std::vector<IdleClock> station;
    std::vector<std::int64_t> station_before;
    std::vector<std::uint8_t> met;  // from * processors + to
    FlowResult result;
};

// Where a disk has got to, and how many graphs it still has.
template <class Source>
struct FlowPlace {
    typename Source::Cursor cursor{};
    std::int64_t left = 0;
};

}  // namespace striate
