// Programs of ranks as work-flow graphs: every operation is a graph of sends, receives, reads, writes and
// computation, and each resource has one clock (paper 004, sections 2 and 3).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "striate/programs/program_run.hpp"

namespace striate {

// In which order work is given to the clocks.
enum class FlowOrder : std::uint8_t {
    path,         // to none: nothing waits for a busy resource, only for what it depends on
    chain,        // the same, and files cost nothing
    round_robin,  // ranks in turn, an operation at once
    queue,        // the rank whose clock is earliest, an operation at once
    micro,        // every leg of every operation in the order of time
};

// Times in ticks. Work is what was given to a resource, whether or not it was waited for.
struct ProgramFlowResult {
    Ticks ticks = 0;  // when the last rank ends
    std::vector<Ticks> rank_end;
    std::vector<Ticks> compute_work;        // per rank
    std::vector<Ticks> communication_work;  // per rank: from the start to the end of its messages
    std::vector<Ticks> station_work;
    std::vector<Ticks> disk_work;         // per server
    std::vector<std::int64_t> written;    // bytes per server
    std::vector<std::int64_t> disk_jobs;  // per server, as many as packets and I/O requests make at most
    std::vector<std::int64_t> calls;      // per rank: reads and writes
    Ticks network_work = 0;               // service of all messages at all stations
    Ticks delays = 0;                     // all latencies of all messages
    std::int64_t graphs = 0, messages = 0;
};

// Runs the programs of `input` to their end; `poll` is called now and then, and may throw. Throws Refusal
// when ranks wait for each other for ever, and std::invalid_argument for an operation that has no schedule or
// does not wait where it must.
[[nodiscard]] ProgramFlowResult run_program_flows(
    Stations& stations, const ProgramInput& input, FlowOrder order,
    const std::function<void()>& poll = [] {});

}  // namespace striate
