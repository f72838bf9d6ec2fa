// Programs of many ranks, executed on the packet-level network.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "striate/network/schedule.hpp"
#include "striate/network/stations.hpp"
#include "striate/programs/collective_actor.hpp"
#include "striate/programs/collective_book.hpp"
#include "striate/programs/ledger.hpp"
#include "striate/programs/program.hpp"
#include "striate/storage/file_service.hpp"

namespace striate {

// Interface i of the stations belongs to rank i, those behind the ranks' to the I/O servers.
struct ProgramInput {
    Programs programs;
    std::span<const GroupColumns> communicators;
    CollectiveColumns collectives;
    std::span<const std::int32_t> rank_node;
    std::span<const std::int32_t> node_cpus;
    std::span<const double> node_instructions_per_second;
    std::int64_t eager_bytes;
    ExtentColumns extents{};                     // lists of runs that accesses name
    const FileRules* files = nullptr;            // none: programs that touch files are refused
    std::span<const std::int64_t> rank_start{};  // ticks; empty: all at once
    std::int64_t open_bytes = 32;  // what the first of a group tells the others about a file it opens
    std::span<const std::int64_t> rank_wait{};  // ticks until a message to a rank sets out; empty: none
    // By how much of a rank's computing since its last message the next one sets out later, and at most how
    // much later; empty: none. Messages to a rank keep their order.
    std::span<const double> rank_lag{};
    std::int64_t longest_lag = 0;
    CollectiveActor* actor = nullptr;  // of collectives that react; not owned
};

// What one I/O server did.
struct ServerTotals {
    std::int64_t operations = 0, sequential = 0, near_seeks = 0;  // of its disks
    std::int64_t bytes_read = 0, bytes_written = 0;
    std::int64_t cache_hits = 0, cache_misses = 0;  // bytes
    StorageTotals storage;
};

struct ProgramResult {
    std::vector<std::int64_t> rank_end;   // ticks
    std::vector<std::int64_t> node_busy;  // CPU ticks
    std::vector<StationTotals> stations;
    std::vector<double> waited;  // per station: seconds that packets have waited, all together
    std::vector<ServerTotals> servers;
    std::vector<MetadataTotals> metadata;
    std::vector<ForwarderTotals> forwarders;
    std::vector<DiskEntry> disk_log;  // empty unless asked for
    std::int64_t messages = 0;
    std::int64_t events = 0, skipped = 0;
    std::int64_t end = 0;
};

// Every operation takes a step of 3 instructions on its rank's CPU; one that had to wait takes another at the
// end. A collective runs the schedule written for it; a barrier without one synchronises at no further cost.
// Throws Refusal for deadlocks, messages that nobody received, targets out of reach, and operations that
// have no schedule or no server.
[[nodiscard]] ProgramResult run_programs(Stations& stations, const ProgramInput& input,
                                         const RunOptions& options);

}  // namespace striate
