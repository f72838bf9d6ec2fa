// What every rank and every server is asked for in all: one pass over the program table, loops by
// multiplication.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "striate/layout/file_layouts.hpp"
#include "striate/network/routes.hpp"
#include "striate/programs/collective_sums.hpp"
#include "striate/programs/file_calls.hpp"
#include "striate/programs/groups.hpp"
#include "striate/programs/program.hpp"

namespace striate {

struct LedgerInput {
    Programs programs;
    std::span<const GroupColumns> communicators;
    ExtentColumns extents;
    CollectiveSumsInput collectives;
    NetworkColumns network;
    std::span<const std::int32_t> rank_component;     // where each rank's interface hangs
    std::span<const double> interface_bandwidth;      // per rank: the slowest of its own interface and link
    std::span<const std::int64_t> interface_latency;  // per rank: picoseconds to its component
    std::int64_t stripe_unit;
    const FileLayouts* layouts;          // none: no I/O server, and no file may be touched
    bool metadata = false;               // count what metadata servers hear
    bool free_near = false;              // ranks on one component reach each other in no time
    bool independent_only = false;       // leave out collective access to files
    std::function<void()> poll = [] {};  // called now and then; may throw
};

// Sums of one application. Times are exact sums of whole picoseconds, given in seconds.
struct Ledger {
    std::vector<double> compute_seconds;        // per rank
    std::vector<double> instructions;           // per rank
    std::vector<double> communication_seconds;  // per rank: the contention-free time of its messages
    std::vector<std::int64_t> computes;         // per rank: operations that compute
    std::vector<std::int64_t> exchanges;  // per rank: messages that it sends and receives, collective calls
    // Per rank: messages to others as they go on the wire, those of collective calls one by one. Blocking
    // bytes are sent, read and written by calls that return when this is done.
    std::vector<std::int64_t> sent_bytes, received_bytes, sent_messages, received_messages;
    std::vector<std::int64_t> blocking_bytes, blocking_messages;
    std::vector<std::int64_t> accesses;                     // per rank: reads and writes
    std::vector<std::int64_t> read_bytes, written_bytes;    // per rank
    std::vector<std::int64_t> server_read, server_written;  // bytes per server
    std::vector<std::int64_t> server_reads, server_writes;  // requests per server
    std::int64_t barriers = 0;            // calls that make groups of events wait for each other
    std::vector<FileCalls::Heard> heard;  // by metadata servers, where there are any
};

// Throws std::domain_error when two ranks that exchange messages cannot reach each other, std::overflow_error
// past 2^63 - 1 bytes.
[[nodiscard]] Ledger sum_up(const LedgerInput& input);

}  // namespace striate
