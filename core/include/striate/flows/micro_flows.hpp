// The rung that plays every event of the flows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "striate/events/ladder_queue.hpp"
#include "striate/flows/flow_clocks.hpp"
#include "striate/refusal.hpp"

namespace striate {

// Every event on its own, in the order of time (section 5.4). An event that finds its resource busy waits for
// it, first come first served. A disk is at most `ahead` blocks ahead of those who use them.
template <class Source>
class MicroFlows {
  public:
    MicroFlows(const Source& source, std::int64_t ahead)
        : source_(source),
          machine_(source.machine()),
          ahead_(static_cast<std::uint32_t>(ahead)),
          clocks_(machine_),
          disks_(machine_.disks),
          blocks_(static_cast<std::size_t>(machine_.disks) * ahead_) {
        if (ahead < 1 || ahead > 64) throw Refusal(Reason::blocks_ahead, {.room = 64, .count = ahead});
        if (machine_.processors() >= (1U << 24) || machine_.disks >= (1U << 24)) {
            throw Refusal(Reason::too_many_disks, {.room = (1U << 24) - 1, .count = machine_.disks});
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
        FlowPlace<Source> place;
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
        if (block.flow.write) throw std::invalid_argument(only_sums_know_writes);
        clocks_.book(block.flow, number, machine_.owner(number));
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
                const std::uint32_t owner = machine_.owner(disk);
                const std::int64_t communication = machine_.communication(block.flow);
                const std::int64_t sent = occupy(clocks_.sending(owner), event.time, communication);
                const std::int64_t ready =
                    clocks_.template pass<false>(owner, processor, sent - communication, block.flow);
                queue_.push({ready, key(receives, disk, slot, processor)});
                return send_done(disk, block, sent);
            }
            case receives: {
                const std::int64_t communication = machine_.communication(block.flow);
                queue_.push({occupy(clocks_.receiving(processor), event.time, communication),
                             key(computes, disk, slot, processor)});
                return;
            }
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
    const FlowMachine& machine_;
    const std::uint32_t ahead_;
    FlowClocks clocks_;
    std::vector<Disk> disks_;
    std::vector<Block> blocks_;
    LadderQueue queue_;
    std::size_t group_ = 0;
};

}  // namespace striate
