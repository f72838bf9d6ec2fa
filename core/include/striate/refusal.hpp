// What the core refuses, with the numbers that say why. Whatever else it throws is a bug of the core.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace striate {

enum class Reason : std::uint8_t {
    deadlock,                   // count: ranks, waits
    unreceived,                 // count: messages, waits
    truncated,                  // rank, peer, tag, bytes, room
    server_full,                // server, room, file, end
    no_server,                  // rank, and row where known
    no_route,                   // from, to: components
    unreachable,                // rank, peer
    unknown_request,            // rank, row, request
    unknown_operation,          // rank, row
    no_schedule,                // rank, row, bytes, count: members
    nonblocking_collective,     // rank, row
    nonblocking_collective_io,  // rank, row
    files_as_fluid,             // no fluids for them
    too_few_servers,            // room: servers there are, count: wanted
    too_many_bytes,             // of I/O for 63 bits
    too_many_packets,           // in one message
    too_many_passes,            // a peer, root or size moves with a loop
    too_many_file_passes,       // a file's number moves with a loop
    too_many_offsets,           // accesses begin at
    job_too_long,               // for the clock
    run_too_long,               // for the clock
    blocks_ahead,               // count, room: the most
    too_many_disks,             // count, room: the most
    window_too_large,           // in blocks
    unknown_receiver,           // peer, count: processors
    too_many_receivers,         // of a block, room: the most
    negative_time,              // of a graph
    no_aggregator,              // of collective I/O
    unknown_aggregator,         // or one that is named twice
    empty_buffer,               // of collective I/O, or alignment
    place_beyond,               // a byte whose place on its server needs more than 63 bits
    too_many_pieces,            // of byte runs
    rate_out_of_range,          // rate: B/s, beside 1 to 2^47
    transfer_too_large,         // bytes of one packet or disk job
    instruction_rate,           // count: instructions of a job, rate: per second
    negative_latency,           // of a link
    empty_unit,                 // a packet, I/O request, RAID chunk or cache page without a byte
    too_few_disks,              // count, room: the fewest disks of a server
    idle_disk,                  // a rate below 1 B/s, or no channel, queue or turn
    burst_limits,               // of a burst buffer: below zero, or drained beyond its capacity
    no_cpu,                     // in a node
};

// Where a rank stands; a rank that has ended stands on no row.
struct RankRow {
    std::int64_t rank, row;
};

enum class WaitKind : std::uint8_t {
    send,
    receive,
    collective_send,
    collective_receive,
    others,   // all_places more of those above
    file,     // in a collective call on a file
    meeting,  // in a collective, for peers
    step,     // a step of a schedule, or a rank of which no more is known
};

// Who waits for whom. Of long lists the first few are given, and how many there are.
struct Wait {
    WaitKind kind;
    std::vector<RankRow> places{};
    std::vector<std::int64_t> peers{};  // -1 is any
    std::int64_t tag = -1;              // -1 is any
    std::int64_t file = -1, communicator = -1;
    std::int64_t all_places = 1, all_peers = 1;
};

// Numbers that a reason does not name are -1.
struct RefusalNumbers {
    std::int64_t rank = -1, row = -1, peer = -1, tag = -1, request = -1;
    std::int64_t server = -1, file = -1, end = -1;
    std::int64_t from = -1, to = -1;
    std::int64_t bytes = -1, room = -1, count = -1;
    double rate = -1;
};

struct Refusal : std::runtime_error {
    explicit Refusal(Reason why, RefusalNumbers numbers_ = {}, std::vector<Wait> waits_ = {})
        : std::runtime_error("the core refuses its input"),
          reason(why),
          numbers(numbers_),
          waits(std::move(waits_)) {}

    Reason reason;
    RefusalNumbers numbers;
    std::vector<Wait> waits;
};

}  // namespace striate
