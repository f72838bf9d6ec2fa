#include "striate/flows.hpp"

#include <algorithm>
#include <stdexcept>

#include "striate/hole_heap.hpp"
#include "striate/ladder_queue.hpp"

namespace striate {

namespace {

constexpr std::int64_t latest = std::int64_t{1} << 62;

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

// Clocks and work of every disk and processor; shared by all rungs. Where interfaces do the protocol work a
// processor has three clocks: what it sends, what it receives, what it computes.
struct Clocks {
    explicit Clocks(const FlowMachine& machine)
        : disk(machine.disks),
          each(machine.links ? 3 : 1),
          clock(machine.processors() * std::size_t{each}),
          work(machine.processors()),
          before(machine.processors()),
          disk_before(machine.disks) {
        result.disk_work.resize(machine.disks);
        result.disk_reads.resize(machine.disks);
        result.processor_work.resize(machine.processors());
        result.communication_work.resize(machine.processors());
        result.sent_work.resize(machine.processors());
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
    void book(const Flow& flow, std::uint32_t on, std::uint32_t owner, std::int64_t communication) {
        result.disk_work[on] += flow.read_ticks;
        ++result.disk_reads[on];
        ++result.graphs;
        result.sends += flow.receivers;
        result.most_fan_out = std::max<std::int64_t>(result.most_fan_out, flow.receivers);
        work[owner].sent += communication * flow.receivers;
        work[owner].compute += flow.local ? flow.compute_ticks : 0;
        for (std::uint32_t i = 0; i < flow.receivers; ++i) {
            work[flow.receiver[i]].received += communication;
            work[flow.receiver[i]].compute += flow.compute_ticks;
        }
    }

    [[nodiscard]] std::int64_t latest_clock() const {
        std::int64_t last = *std::max_element(disk.begin(), disk.end());
        for (const IdleClock& one : clock) last = std::max(last, one.end);
        return last;
    }

    // A barrier between groups: nothing of the next begins before all of this one has ended.
    void level() {
        result.ticks = latest_clock();
        if (result.ticks > latest) throw std::overflow_error("the run lasts longer than the clock reaches");
        std::fill(disk.begin(), disk.end(), result.ticks);
        std::fill(clock.begin(), clock.end(), IdleClock{result.ticks, 0, 0});
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
            const Work done{work[i].sent - before[i].sent, work[i].received - before[i].received,
                            work[i].compute - before[i].compute};
            busiest = std::max(busiest, each == 3 ? std::max({done.sent, done.received, done.compute})
                                                  : done.sent + done.received + done.compute);
            before[i] = work[i];
        }
        result.floor += busiest;
    }

    // Moves the work of the processors into the result.
    FlowResult finish() {
        for (std::size_t i = 0; i < work.size(); ++i) {
            result.sent_work[i] = work[i].sent;
            result.communication_work[i] = work[i].sent + work[i].received;
            result.processor_work[i] = result.communication_work[i] + work[i].compute;
        }
        return std::move(result);
    }

    struct Work {
        std::int64_t sent = 0, received = 0, compute = 0;
    };

    std::vector<std::int64_t> disk;
    std::uint32_t each;
    std::vector<IdleClock> clock;
    std::vector<Work> work, before;
    std::vector<std::int64_t> disk_before;
    FlowResult result;
};

// Section 5.1: all events of a resource are one event, and groups do not matter.
template <class Source>
FlowResult resource(const Source& source) {
    const FlowMachine& machine = source.machine();
    Clocks clocks(machine);
    Flow flow;
    for (std::size_t group = 0; group < source.groups(); ++group) {
        for (std::uint32_t disk = 0; disk < machine.disks; ++disk) {
            auto cursor = source.begin(group, disk);
            for (std::int64_t left = source.count(group, disk); left > 0; --left) {
                source.take(group, disk, cursor, flow);
                clocks.book(flow, disk, machine.owner(disk), machine.communication_ticks);
            }
        }
        clocks.add_floor();
    }
    FlowResult result = clocks.finish();
    result.ticks = std::max(*std::max_element(result.disk_work.begin(), result.disk_work.end()),
                            *std::max_element(result.processor_work.begin(), result.processor_work.end()));
    return result;
}

// A whole graph at once: the read, then each send with its receive and computation, then the local
// computation. The receiver takes part from the start of the transfer on (section 5.2).
template <bool links, bool fills>
void macro(Clocks& clocks, const FlowMachine& machine, const Flow& flow, std::uint32_t disk) {
    const std::uint32_t owner = machine.owner(disk);
    const std::int64_t communication = machine.communication_ticks;
    clocks.book(flow, disk, owner, communication);
    const std::int64_t read = clocks.disk[disk] += flow.read_ticks;
    std::int64_t sent = read;
    for (std::uint32_t i = 0; i < flow.receivers; ++i) {
        const std::uint32_t to = flow.receiver[i];
        if constexpr (links) {
            const std::int64_t begun = clocks.clock[3 * owner + 1].template serve<fills>(read, communication);
            const std::int64_t taken = clocks.clock[3 * to + 2].template serve<fills>(begun, communication);
            clocks.clock[3 * to].template serve<fills>(taken + communication, flow.compute_ticks);
            sent = std::max(sent, begun + communication);
        } else {
            const std::int64_t begun = clocks.clock[owner].template serve<fills>(read, communication);
            clocks.clock[to].template serve<fills>(begun, communication + flow.compute_ticks);
            sent = std::max(sent, begun + communication);
        }
    }
    if (!machine.overlap) clocks.disk[disk] = sent;
    if (flow.local) clocks.clock[links ? 3 * owner : owner].template serve<fills>(read, flow.compute_ticks);
}

// Where a disk has got to, and how many graphs it still has.
template <class Source>
struct Place {
    typename Source::Cursor cursor{};
    std::int64_t left = 0;
};

template <bool links, class Source>
FlowResult macro_round_robin(const Source& source) {
    const FlowMachine& machine = source.machine();
    Clocks clocks(machine);
    Flow flow;
    std::vector<Place<Source>> places(machine.disks);
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
    Clocks clocks(machine);
    Flow flow;
    std::vector<Place<Source>> places(machine.disks);
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

// Every event on its own, in the order of time (section 5.4). An event that finds its resource busy waits for
// it, first come first served. A disk is at most `ahead` blocks ahead of those who use them.
template <class Source>
class Micro {
  public:
    Micro(const Source& source, std::int64_t ahead)
        : source_(source),
          machine_(source.machine()),
          ahead_(static_cast<std::uint32_t>(ahead)),
          clocks_(machine_),
          disks_(machine_.disks),
          blocks_(static_cast<std::size_t>(machine_.disks) * ahead_) {
        if (ahead < 1 || ahead > 64) throw std::invalid_argument("a disk may be 1 to 64 blocks ahead");
        if (machine_.processors() >= (1U << 24) || machine_.disks >= (1U << 24)) {
            throw std::invalid_argument("at most 16 million disks and processors");
        }
    }

    FlowResult run() {
        for (group_ = 0; group_ < source_.groups(); ++group_) {
            for (std::uint32_t disk = 0; disk < machine_.disks; ++disk) {
                disks_[disk] = {};
                disks_[disk].place = {source_.begin(group_, disk), source_.count(group_, disk)};
                begin_read(disk, clocks_.disk[disk]);
            }
            while (!queue_.empty()) step(queue_.pop());
            clocks_.level();
        }
        return clocks_.finish();
    }

  private:
    // Ends come before what they make possible: a computation that ends frees its place first.
    enum What : std::uint64_t { ended = 0, computes = 1, receives = 2, sends = 3, has_read = 4 };

    struct Disk {
        Place<Source> place;
        std::uint64_t used = 0;  // a bit for every block that is still in use
        bool reading = false, sending = false;
        std::uint32_t slot = 0;
    };
    struct Block {
        Flow flow;
        std::uint32_t sends_left = 0, uses_left = 0;
    };

    static std::uint64_t key(What what, std::uint32_t disk, std::uint32_t slot, std::uint32_t processor) {
        return static_cast<std::uint64_t>(what) << 54 | static_cast<std::uint64_t>(disk) << 30 |
               static_cast<std::uint64_t>(slot) << 24 | processor;
    }

    void begin_read(std::uint32_t number, std::int64_t now) {
        Disk& disk = disks_[number];
        if (disk.place.left == 0 || disk.reading || disk.sending) return;
        const std::uint64_t all = ahead_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << ahead_) - 1;
        const std::uint64_t free = ~disk.used & all;
        if (free == 0) return;
        disk.slot = static_cast<std::uint32_t>(__builtin_ctzll(free));
        disk.used |= std::uint64_t{1} << disk.slot;
        Block& block = blocks_[static_cast<std::size_t>(number) * ahead_ + disk.slot];
        source_.take(group_, number, disk.place.cursor, block.flow);
        clocks_.book(block.flow, number, machine_.owner(number), machine_.communication_ticks);
        block.sends_left = block.flow.receivers;
        block.uses_left = block.flow.receivers + (block.flow.local ? 1 : 0);
        --disk.place.left;
        disk.reading = true;
        clocks_.disk[number] = std::max(clocks_.disk[number], now) + block.flow.read_ticks;
        queue_.push({clocks_.disk[number], key(has_read, number, disk.slot, 0)});
    }

    void step(const Event& event) {
        const auto what = static_cast<What>(event.key >> 54);
        const auto disk = static_cast<std::uint32_t>(event.key >> 30 & 0xFFFFFF);
        const auto slot = static_cast<std::uint32_t>(event.key >> 24 & 0x3F);
        const auto processor = static_cast<std::uint32_t>(event.key & 0xFFFFFF);
        Block& block = blocks_[static_cast<std::size_t>(disk) * ahead_ + slot];
        switch (what) {
            case has_read:
                return read_done(disk, slot, block, event.time);
            case sends: {  // the receiver takes part from the start of the transfer on
                const std::int64_t sent =
                    occupy(clocks_.sending(machine_.owner(disk)), event.time, machine_.communication_ticks);
                queue_.push({sent - machine_.communication_ticks, key(receives, disk, slot, processor)});
                return send_done(disk, block, sent);
            }
            case receives:
                queue_.push({occupy(clocks_.receiving(processor), event.time, machine_.communication_ticks),
                             key(computes, disk, slot, processor)});
                return;
            case computes:
                queue_.push({occupy(clocks_.computing(processor), event.time, block.flow.compute_ticks),
                             key(ended, disk, slot, processor)});
                return;
            case ended:
                return use_done(disk, slot, block, event.time);
        }
    }

    static std::int64_t occupy(IdleClock& clock, std::int64_t now, std::int64_t ticks) {
        return clock.end = std::max(clock.end, now) + ticks;
    }

    void read_done(std::uint32_t number, std::uint32_t slot, Block& block, std::int64_t now) {
        Disk& disk = disks_[number];
        disk.reading = false;
        disk.sending = !machine_.overlap && block.sends_left > 0;
        for (std::uint32_t i = 0; i < block.flow.receivers; ++i) {
            queue_.push({now, key(sends, number, slot, block.flow.receiver[i])});
        }
        if (block.flow.local) queue_.push({now, key(computes, number, slot, machine_.owner(number))});
        if (block.uses_left == 0) disk.used &= ~(std::uint64_t{1} << slot);
        begin_read(number, now);
    }

    // Without overlap the disk goes on when the last send of its block has ended.
    void send_done(std::uint32_t number, Block& block, std::int64_t then) {
        if (--block.sends_left > 0 || !disks_[number].sending) return;
        disks_[number].sending = false;
        begin_read(number, then);
    }

    void use_done(std::uint32_t number, std::uint32_t slot, Block& block, std::int64_t now) {
        if (--block.uses_left > 0) return;
        disks_[number].used &= ~(std::uint64_t{1} << slot);
        begin_read(number, now);
    }

    const Source& source_;
    const FlowMachine machine_;
    const std::uint32_t ahead_;
    Clocks clocks_;
    std::vector<Disk> disks_;
    std::vector<Block> blocks_;
    LadderQueue queue_;
    std::size_t group_ = 0;
};

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
            return Micro<Source>(source, blocks_ahead).run();
    }
    throw std::invalid_argument("no such rung");
}

template FlowResult run_flows(const MeshQueries&, FlowRung, std::int64_t);
template FlowResult run_flows(const ListedFlows&, FlowRung, std::int64_t);

}  // namespace striate
