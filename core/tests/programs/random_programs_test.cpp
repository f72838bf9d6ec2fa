// Fuzzed machines and programs, extreme numbers included: a run ends, or is refused for a reason. Under the
// sanitizers no sum may overflow and no index go astray on the way.
#include "striate/programs/program_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "random_draws.hpp"
#include "small_network.hpp"
#include "small_programs.hpp"
#include "striate/layout/file_layouts.hpp"
#include "striate/refusal.hpp"

using namespace striate;

namespace {

// Thrown where a run is only long.
struct TooLong {};

class RandomProgram : private RandomDraws {
  public:
    explicit RandomProgram(std::uint64_t seed) : RandomDraws(seed) {
        ranks_ = pick(1, 4);
        machine();
        storage();
        for (std::int64_t rank = 0; rank < ranks_; ++rank) {
            node_.push_back(static_cast<std::int32_t>(rank));
            cpus_.push_back(static_cast<std::int32_t>(pick(1, 2)));
            speed_.push_back(rate());
            member_.push_back(rank);
            group_.push_back(0);
        }
        first_ = {0, ranks_};
        write();
    }

    void run() {
        Stations stations =
            network_.stations({.packet_bytes = packet_,
                               .routing = one_in(2) ? Routing::shortest : Routing::round_robin,
                               .free_near = one_in(3)});
        const std::vector<GroupColumns> communicators{{group_, member_, first_, member_}};
        CollectiveColumns no_schedules{};
        no_schedules.first_action = none_;
        const ProgramInput input{.programs = written_.programs(),
                                 .communicators = communicators,
                                 .collectives = no_schedules,
                                 .rank_node = node_,
                                 .node_cpus = cpus_,
                                 .node_instructions_per_second = speed_,
                                 .eager_bytes = size(),
                                 .files = &files_};
        Timeline timeline(1 << 16);
        RunOptions options;
        options.fidelity = one_in(3) ? Fidelity::trains : Fidelity::packets;
        options.poll = [] { throw TooLong(); };
        if (one_in(3) && options.fidelity == Fidelity::packets) options.timeline = &timeline;
        const ProgramResult found = run_programs(stations, input, options);
        CHECK(found.end >= 0);
        for (const std::int64_t end : found.rank_end) CHECK((end >= 0 && end <= found.end));
    }

  private:
    // Any order of magnitude.
    std::int64_t upto(int bits) { return pick(0, (std::int64_t{1} << pick(0, bits)) - 1); }
    double rate() { return static_cast<double>(1 + upto(47)); }
    Ticks latency() { return one_in(2) ? upto(40) : upto(56); }  // a description's times end at a day
    Ticks computing() { return one_in(8) ? upto(62) : upto(50); }
    std::int64_t piece() { return 1 + upto(40); }  // what data is cut into
    std::int64_t size() { return upto(one_in(8) ? 62 : 20); }
    std::int64_t transfer() { return one_in(6) ? upto(36) : std::min<std::int64_t>(upto(40), 64 * packet_); }

    void machine() {
        packet_ = piece();
        const std::int32_t left = network_.component(rate()), right = network_.component(rate(), rate());
        network_.cable(left, right, rate(), latency());
        const std::int64_t interfaces = ranks_ + 8;
        for (std::int64_t nic = 0; nic < interfaces; ++nic) {
            network_.nic(one_in(2) ? left : right, rate(), rate(), latency(), one_in(5));
        }
    }

    Disk disk() {
        Disk made{.kind = static_cast<DiskKind>(pick(0, 2)),
                  .read_rate = rate(),
                  .write_rate = rate(),
                  .read_latency = latency(),
                  .write_latency = latency(),
                  .average_seek = latency(),
                  .track_seek = latency(),
                  .revolutions_per_minute = static_cast<double>(pick(1, 1'000'000)),
                  .near = size(),
                  .channels = static_cast<std::int32_t>(pick(1, 5)),
                  .queue_depth = static_cast<std::int32_t>(pick(1, 5))};
        if (made.kind == DiskKind::simple && one_in(4)) {
            made.slice = 1 + latency();
            made.peak_rate = one_in(2) ? 0 : rate();
        }
        return made;
    }

    Device device() {
        Device made;
        made.raid = one_in(3) ? Raid::parity : Raid::striped;
        const std::int64_t disks = made.raid == Raid::parity ? pick(3, 4) : pick(1, 3);
        for (std::int64_t number = 0; number < disks; ++number) made.disks.push_back(disk());
        made.chunk_bytes = (1 << 20) + piece();
        made.capacity_bytes = one_in(4) ? 1 + size() : 0;
        return made;
    }

    void storage() {
        const std::int64_t servers = pick(1, 3);
        files_.packet_bytes = packet_;
        files_.io_request_bytes = std::max<std::int64_t>(upto(32), 1 << 20);
        for (std::int64_t number = 0; number < servers; ++number) {
            ServerRules server;
            server.packet_bytes = packet_;
            server.queue.policy = static_cast<CachePolicy>(pick(0, 4));
            server.queue.largest_bytes = files_.io_request_bytes;
            server.queue.memory_bytes = one_in(2) ? 0 : size();
            server.queue.concurrent = static_cast<std::int32_t>(pick(1, 3));
            server.device = device();
            server.dirty_bytes = one_in(3) ? size() : 0;
            server.sync_ticks = one_in(3) ? latency() : 0;
            if (one_in(3)) {
                server.read_cache.capacity_bytes = std::min<std::int64_t>(size(), 1 << 30);
                server.read_cache.read_ahead_bytes = std::min<std::int64_t>(size(), 1 << 24);
            }
            if (one_in(4)) {
                Device fast;
                fast.disks = {disk()};
                const std::int64_t kept = size() / 2;  // a packet must fit beside it
                server.burst =
                    BurstDevice{{kept + packet_ + size() / 2, kept, files_.io_request_bytes}, fast};
            }
            files_.servers.push_back(server);
        }
        files_.write_window_bytes = one_in(3) ? 4096 + size() : 0;
        files_.read_window_bytes = one_in(3) ? 4096 + size() : 0;
        files_.sync_alone = one_in(2);
        files_.flush_on_close = one_in(2);
        const CollectiveRule rule{static_cast<CollectiveMethod>(pick(0, 3)), pick(-1, 2), (1 << 24) + piece(),
                                  piece()};
        files_.collective = [rule](std::int64_t) { return rule; };
        const auto layouts = std::make_shared<const FileLayouts>(servers, (1 << 20) + piece());
        files_.plan = [layouts](std::int64_t file, const RunsView& runs) {
            return layouts->plan(file, runs);
        };
        files_.physical_end = [layouts](std::int64_t file, std::int64_t server, std::int64_t size) {
            return layouts->physical_end(file, server, size);
        };
    }

    // Every rank does the same kinds of operations, so that all meet; sizes and places differ.
    void write() {
        const std::int64_t steps = pick(1, 6);
        std::vector<std::int64_t> what, request, to;
        for (std::int64_t step = 0; step < steps; ++step) {
            what.push_back(pick(0, 7));
            request.push_back(one_in(2) ? blocking : pick(0, 1));
            to.push_back(pick(1, 3));
        }
        for (std::int64_t rank = 0; rank < ranks_; ++rank) {
            written_.add(Kind::open, {0, one_in(2) ? 1 : 0});
            for (std::size_t step = 0; step < what.size(); ++step)
                add(rank, what[step], request[step], to[step]);
            written_.add(Kind::waitall, {});
            written_.add(Kind::close, {0});
            written_.end_of_rank();
        }
    }

    void add(std::int64_t rank, std::int64_t what, std::int64_t request, std::int64_t hop) {
        const std::int64_t count = pick(1, 20);
        const std::vector<std::int64_t> access{pick(0, 1), size(), transfer() / count, count, size() >> 6,
                                               -1,         request};
        switch (what) {
            case 0:
                return written_.add(Kind::compute, {computing(), upto(50)});
            case 1:
                return written_.add(Kind::read, access);
            case 2:
            case 3:
                return written_.add(Kind::write, access);
            case 4:
                return written_.add(Kind::write_all, access);
            case 5:
                return written_.add(Kind::read_all, access);
            case 6:
                return written_.add(Kind::sync, {0});
            default:
                break;
        }
        const std::int64_t tag = hop;
        written_.add(Kind::send, {(rank + hop) % ranks_, tag, one_in(8) ? upto(62) : transfer(), 7});
        written_.add(Kind::recv, {(rank + 4 * ranks_ - hop) % ranks_, tag, 0, blocking});
        written_.add(Kind::waitall, {});
    }

    SmallNetwork network_;
    Written written_;
    FileRules files_;
    std::int64_t ranks_ = 1, packet_ = 1;
    std::vector<std::int32_t> node_, cpus_;
    std::vector<double> speed_;
    std::vector<std::int64_t> member_, group_, first_, none_{0};
};

enum class Outcome { played, refused, too_long };

Outcome outcome_of(std::uint64_t seed) {
    try {
        RandomProgram(seed).run();
    } catch (const Refusal&) {
        return Outcome::refused;
    } catch (const TooLong&) {
        return Outcome::too_long;
    }
    return Outcome::played;
}

}  // namespace

TEST_CASE("fuzzed machines and programs are played or refused for a reason") {
    const char* asked = std::getenv("STRIATE_FUZZ_SEEDS");  // `make fuzz-core` asks for many
    const std::uint64_t seeds = asked == nullptr ? 10 : std::strtoull(asked, nullptr, 10);
    std::uint64_t played = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        CAPTURE(seed);
        if (outcome_of(seed) == Outcome::played) ++played;
    }
    CHECK(played > seeds / 20);
}
