// Random machines with file systems and programs that use them, of ordinary sizes: for playing one program in
// several ways that must not differ.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "random_draws.hpp"
#include "small_network.hpp"
#include "small_programs.hpp"
#include "striate/layout/file_layouts.hpp"
#include "striate/programs/program_run.hpp"

class RandomFiles : private RandomDraws {
  public:
    explicit RandomFiles(std::uint64_t seed) : RandomDraws(seed) {
        ranks_ = pick(1, 9);
        packet_ = 1024 * pick(1, 64) + (one_in(3) ? pick(0, 100) : 0);
        settings_ = {.packet_bytes = packet_,
                     .rounding = one_in(4) ? striate::Rounding::truncated_nanoseconds
                                           : striate::Rounding::nearest_picosecond,
                     .routing = one_in(2) ? striate::Routing::shortest : striate::Routing::round_robin,
                     .free_near = one_in(6)};
        store();
        wire();
        place();
        write();
    }

    [[nodiscard]] striate::ProgramResult run(const striate::RunOptions& options) const {
        striate::Stations stations = network_.stations(settings_);
        const std::vector<striate::GroupColumns> communicators{{group_, member_, first_, member_}};
        striate::CollectiveColumns no_schedules{};
        no_schedules.first_action = none_;
        const striate::ProgramInput input{.programs = written_.programs(),
                                          .communicators = communicators,
                                          .collectives = no_schedules,
                                          .rank_node = node_,
                                          .node_cpus = cpus_,
                                          .node_instructions_per_second = speed_,
                                          .eager_bytes = eager_,
                                          .files = &files_,
                                          .rank_start = start_};
        return striate::run_programs(stations, input, options);
    }

  private:
    striate::Ticks latency() {
        return one_in(3) ? 0 : one_in(6) ? pick(0, 3'000'000'000) : 1000 * pick(0, 20'000);
    }
    std::int64_t bytes() { return one_in(2) ? packet_ * pick(1, 40) : pick(1, 40 * packet_); }

    // Nodes on one switch, or on two rows of switches with several equal routes between them.
    void wire() {
        const bool crossing = one_in(2);
        std::vector<std::int32_t> outer{network_.component(rate())}, inner;
        if (crossing) {
            outer.push_back(network_.component(rate()));
            if (one_in(2))
                outer.push_back(network_.component(rate(), 0, striate::ComponentKind::cut_through));
            for (std::int64_t number = pick(2, 3); number > 0; --number)
                inner.push_back(network_.component(rate()));
            const double link = rate();
            const striate::Ticks away = latency();
            for (const std::int32_t left : outer) {
                for (const std::int32_t right : inner) network_.cable(left, right, link, away);
            }
        }
        const std::int64_t others = std::ssize(files_.servers) + std::ssize(files_.metadata) +
                                    std::ssize(files_.forwarding.forwarders);
        const double interface = rate(), link = rate();
        const striate::Ticks away = latency();
        std::int32_t memory = 0;
        for (std::int64_t nic = 0; nic < ranks_ + others; ++nic) {
            if (nic == 0 || one_in(2)) {
                memory = network_.component(rate(), rate(), striate::ComponentKind::memory);
                const auto at = static_cast<std::size_t>(pick(0, std::ssize(outer) - 1));
                network_.cable(memory, outer[at], rate(), latency());
            }
            const bool alike = !one_in(3);
            network_.nic(memory, alike ? interface : rate(), alike ? link : rate(), alike ? away : latency(),
                         one_in(12));
        }
    }

    void place() {
        const bool jitter = one_in(2);
        const double same = rate();
        for (std::int64_t rank = 0; rank < ranks_; ++rank) {
            if (rank == 0 || one_in(2)) {
                cpus_.push_back(static_cast<std::int32_t>(pick(1, 4)));
                speed_.push_back(one_in(3) ? rate() : same);
            }
            node_.push_back(static_cast<std::int32_t>(cpus_.size()) - 1);
            member_.push_back(rank);
            group_.push_back(0);
            if (jitter) start_.push_back(one_in(3) ? 0 : pick(0, 2'000'000'000));
        }
        first_ = {0, ranks_};
        eager_ = pick(0, 4 * packet_);
    }

    striate::Disk disk() {
        striate::Disk made{.kind = static_cast<striate::DiskKind>(pick(0, 2)),
                           .read_rate = rate(),
                           .write_rate = rate(),
                           .read_latency = latency(),
                           .write_latency = latency(),
                           .average_seek = latency(),
                           .track_seek = latency(),
                           .revolutions_per_minute = static_cast<double>(pick(1, 15)) * 1000,
                           .near = packet_ * pick(1, 100),
                           .channels = static_cast<std::int32_t>(pick(1, 4)),
                           .queue_depth = static_cast<std::int32_t>(pick(1, 8))};
        if (made.kind == striate::DiskKind::simple && one_in(4)) {
            made.slice = 1'000'000 * pick(1, 10'000);
            made.peak_rate = one_in(2) ? 0 : rate();
        }
        return made;
    }

    striate::Device device() {
        striate::Device made;
        made.raid = one_in(3) ? striate::Raid::parity : striate::Raid::striped;
        const std::int64_t disks = made.raid == striate::Raid::parity ? pick(3, 4) : pick(1, 3);
        for (std::int64_t number = 0; number < disks; ++number) made.disks.push_back(disk());
        made.chunk_bytes = 4096 * pick(1, 64);
        return made;
    }

    striate::ServerRules server() {
        striate::ServerRules made;
        made.packet_bytes = packet_;
        made.queue.policy = static_cast<striate::CachePolicy>(pick(0, 5));
        made.queue.largest_bytes = files_.io_request_bytes;
        made.queue.memory_bytes = one_in(2) ? 0 : packet_ * pick(1, 60);
        made.queue.concurrent = static_cast<std::int32_t>(pick(1, 4));
        made.queue.second_part_first = one_in(6);
        made.device = device();
        made.dirty_bytes = one_in(4) ? packet_ * pick(1, 30) : 0;
        made.sync_ticks = one_in(3) ? latency() : 0;
        if (one_in(3)) {
            made.read_cache.page_bytes = 4096 * pick(1, 16);
            made.read_cache.capacity_bytes = packet_ * pick(1, 60);
            made.read_cache.read_ahead_bytes = packet_ * pick(0, 4);
        }
        if (one_in(4)) {
            striate::Device fast;
            fast.disks = {disk()};
            const std::int64_t kept = packet_ * pick(0, 8);
            made.burst =
                striate::BurstDevice{{kept + packet_ * pick(2, 40), kept, files_.io_request_bytes}, fast};
        }
        return made;
    }

    void store() {
        const std::int64_t servers = pick(1, 5);
        files_.packet_bytes = packet_;
        files_.io_request_bytes = packet_ * pick(1, 12);
        for (std::int64_t number = 0; number < servers; ++number)
            files_.servers.push_back(number == 0 || one_in(2) ? server() : files_.servers.back());
        for (std::int64_t number = pick(-2, 2); number > 0; --number) {
            files_.metadata.push_back({latency(), latency(), latency(), latency(), one_in(2) ? -1 : latency(),
                                       static_cast<std::int32_t>(pick(1, 2))});
        }
        if (one_in(3)) forward(servers);
        files_.write_window_bytes = one_in(3) ? packet_ * pick(1, 10) : 0;
        files_.read_window_bytes = one_in(3) ? packet_ * pick(1, 10) : 0;
        files_.lock_move_ticks = one_in(4) ? 1 + latency() : 0;
        files_.size_update_ticks = one_in(4) ? 1 + latency() : 0;
        files_.inode_lock = one_in(4);
        files_.write_copy_rate = one_in(4) ? rate() : 0;
        files_.read_copy_rate = one_in(4) ? rate() : 0;
        files_.piece_ticks = one_in(4) ? latency() : 0;
        files_.exchange_copy_rate = one_in(4) ? rate() : 0;
        files_.thread_ticks = one_in(4) ? latency() : 0;
        files_.thread_idle_ticks = latency();
        files_.open_by_all = one_in(4);
        files_.sync_alone = one_in(2);
        files_.flush_on_close = one_in(3);
        files_.log = true;
        const bool aligned = one_in(2);
        const striate::CollectiveRule rule{static_cast<striate::CollectiveMethod>(pick(0, 3)),
                                           pick(-1, ranks_), packet_ * pick(1, 20), aligned ? packet_ : 1,
                                           aligned && one_in(2)};
        files_.collective = [rule](std::int64_t) { return rule; };
        const auto layouts = std::make_shared<const striate::FileLayouts>(servers, packet_ * pick(1, 6));
        files_.plan = [layouts](std::int64_t file, const striate::RunsView& runs) {
            return layouts->plan(file, runs);
        };
        files_.physical_end = [layouts](std::int64_t file, std::int64_t at, std::int64_t size) {
            return layouts->physical_end(file, at, size);
        };
    }

    void forward(std::int64_t servers) {
        for (std::int64_t number = pick(1, 2); number > 0; --number) {
            striate::Forwarder made;
            for (std::int64_t at = 0; at < servers; ++at) made.relays_to.push_back(one_in(4) ? 0 : 1);
            made.aggregate_bytes = one_in(2) ? 0 : packet_ * pick(1, 8);
            files_.forwarding.forwarders.push_back(made);
        }
        const std::int64_t last = std::ssize(files_.forwarding.forwarders) - 1;
        for (std::int64_t rank = 0; rank < ranks_; ++rank)
            files_.forwarding.of_rank.push_back(static_cast<std::int32_t>(pick(-1, last)));
    }

    struct Step {
        std::int64_t what, request, hop, file, count, size, gap;
        bool alike;
    };

    // Every rank does the same kinds of operations, so that all meet; sizes and places may differ.
    void write() {
        std::vector<Step> steps;
        const std::int64_t times = one_in(2) ? 1 : pick(2, 8);
        for (std::int64_t number = pick(1, 6); number > 0; --number) {
            steps.push_back({pick(0, 9), one_in(2) ? striate::blocking : pick(0, 1), pick(1, 3), pick(0, 2),
                             one_in(2) ? 1 : pick(1, 12), bytes(), one_in(2) ? 0 : packet_ * pick(0, 3),
                             one_in(2)});
        }
        for (std::int64_t rank = 0; rank < ranks_; ++rank) {
            for (std::int64_t file = 0; file < 3; ++file) written_.add(striate::Kind::open, {file, 1});
            std::int64_t done = 0;
            for (std::int64_t time = 0; time < times; ++time) {
                for (const Step& step : steps) add(rank, step, done++);
                if (times > 1) written_.add(striate::Kind::waitall, {});
            }
            written_.add(striate::Kind::waitall, {});
            for (std::int64_t file = 0; file < 3; ++file) written_.add(striate::Kind::close, {file});
            written_.end_of_rank();
        }
    }

    void add(std::int64_t rank, const Step& step, std::int64_t done) {
        const std::int64_t size = step.alike ? step.size : bytes();
        const std::int64_t each = std::max<std::int64_t>(1, size / step.count);
        const std::int64_t stride = each + step.gap;
        const std::int64_t offset = (done * ranks_ + rank) * (step.size + step.gap * step.count);
        const std::vector<std::int64_t> access{
            step.file, one_in(12) ? bytes() : offset, each, step.count, stride, -1, step.request};
        switch (step.what) {
            case 0:
                return written_.add(striate::Kind::compute, {pick(0, 3'000'000'000), pick(0, 1000)});
            case 1:
            case 2:
                return written_.add(striate::Kind::read, access);
            case 3:
            case 4:
                return written_.add(striate::Kind::write, access);
            case 5:
                return written_.add(striate::Kind::write_all, access);
            case 6:
                return written_.add(striate::Kind::read_all, access);
            case 7:
                return written_.add(striate::Kind::sync, {step.file});
            default:
                break;
        }
        const std::int64_t most = one_in(3) ? 10 : 1;
        written_.add(striate::Kind::send, {(rank + step.hop) % ranks_, step.hop, size * most, 7});
        written_.add(striate::Kind::recv,
                     {(rank + 4 * ranks_ - step.hop) % ranks_, step.hop, 0, striate::blocking});
        written_.add(striate::Kind::wait, {7});
    }

    SmallNetwork network_;
    striate::NetworkSettings settings_{1};
    Written written_;
    striate::FileRules files_;
    std::int64_t ranks_ = 1, packet_ = 1, eager_ = 0;
    std::vector<std::int32_t> node_, cpus_;
    std::vector<double> speed_;
    std::vector<std::int64_t> member_, group_, first_, start_, none_{0};
};
