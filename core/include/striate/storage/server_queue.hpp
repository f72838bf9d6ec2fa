// The jobs in front of a server's disks: in which order they are served, which are merged, what is accepted.
#pragma once

#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

#include "striate/storage/disk.hpp"
#include "striate/storage/sorted_blocks.hpp"

namespace striate {

enum class CachePolicy : std::uint8_t {
    direct,               // as they come; a job waiting behind a busy disk stops all receiving
    direct_early,         // the same, but a write counts as done when the disks begin with its last bytes
    write_behind,         // as they come, from memory
    aggregation,          // as they come; the first takes along those that continue it
    aggregation_reorder,  // reads first, always the smallest offset; it takes along those that continue it
    server_directed,      // reads first, upwards from where the disk stands; reads also take along near gaps
};

// Nothing is held in memory: a write is not acknowledged before the disks have seen it.
[[nodiscard]] constexpr bool holds_nothing(CachePolicy policy) { return policy <= CachePolicy::direct_early; }

struct Job;

// A user's own order of jobs in place of the policies above; asked in the order of simulated time.
class RequestScheduler {
  public:
    virtual ~RequestScheduler() = default;
    // A job waits in this slot from now on.
    virtual void arrive(std::uint32_t server, std::uint32_t slot, const Job& job, Ticks now) = 0;
    // Slots of waiting jobs, at least one, that are served as one access: each continues the one before.
    [[nodiscard]] virtual std::vector<std::uint32_t> next(std::uint32_t server, Ticks now) = 0;
};

struct QueueRules {
    CachePolicy policy = CachePolicy::aggregation_reorder;
    std::int64_t largest_bytes = 10 << 20;  // of a merged operation
    std::int64_t memory_bytes = 0;          // for data on its way to the disks; 0: no end
    std::int32_t concurrent = 1;            // operations on the disks at once
    std::int64_t sieve_bytes = 64 << 10;    // a gap that server-directed reads rather fetch than skip
    // A merged operation tells its second part before its first, as PIOsimHD does; else in order of offset.
    bool second_part_first = false;
    RequestScheduler* scheduler = nullptr;  // decides instead of the policy; not owned
    std::uint32_t server = 0;               // as which the scheduler knows this queue
};

struct Job {
    Access access;
    std::uint64_t cookie;      // of whoever wants to hear of its end
    std::uint32_t writer = 0;  // the rank whose bytes are written or read
};

// One access of the disks that serves one job or several.
struct Operation {
    Access access;
    std::vector<Job> parts;  // in the order in which they hear
};

// Takes jobs and hands out operations; knows no time but what it tells a scheduler. Adding and taking a job
// cost O(log n).
class ServerQueue {
  public:
    explicit ServerQueue(const QueueRules& rules) : rules_(rules) {}

    void add(const Job& job, Ticks now = 0);

    // Whether there is an operation for the disks now.
    [[nodiscard]] bool ready() const { return waiting() > 0 && running_ < rules_.concurrent; }

    // The next operation. Only when ready.
    [[nodiscard]] Operation take(Ticks now = 0);

    // An operation is over: its written bytes leave the memory.
    void finish(const Operation& operation);

    // Whether the server may receive. A packet already on its way is taken even beyond the limit. Data that
    // was read and is not yet sent does not count: a server that could not send it would wait for ever.
    [[nodiscard]] bool receives() const;

    [[nodiscard]] std::int64_t waiting() const {
        return static_cast<std::int64_t>(jobs_.size() - free_.size());
    }
    [[nodiscard]] std::int64_t dirty_bytes() const { return dirty_bytes_; }
    // Nothing waits and nothing runs: a sync may be answered.
    [[nodiscard]] bool idle() const { return waiting() == 0 && running_ == 0; }

  private:
    // Place in the order of offsets: reads before writes, then file, offset, and who came first.
    struct Place {
        bool write;
        std::int64_t file, offset;
        std::uint64_t arrival;
        std::uint32_t job;
        [[nodiscard]] auto key() const { return std::tie(write, file, offset, arrival); }
        friend bool operator<(const Place& left, const Place& right) { return left.key() < right.key(); }
        friend bool operator==(const Place& left, const Place& right) { return left.key() == right.key(); }
    };
    struct Waiting {
        Job job;
        std::uint64_t arrival = 0;
        bool present = false;
    };
    using ByOffset = SortedBlocks<Place>;

    [[nodiscard]] bool merges() const {
        return rules_.scheduler == nullptr && rules_.policy >= CachePolicy::aggregation;
    }
    [[nodiscard]] Operation take_scheduled(Ticks now);
    [[nodiscard]] bool in_order_of_arrival() const { return rules_.policy <= CachePolicy::aggregation; }
    [[nodiscard]] std::uint32_t oldest();
    [[nodiscard]] ByOffset::Place first_place();
    [[nodiscard]] ByOffset::Place next_upwards();
    [[nodiscard]] ByOffset::Place follower(const Access& access, ByOffset::Place next);
    [[nodiscard]] Place place_of(std::uint32_t job) const;
    Job release(std::uint32_t job);

    QueueRules rules_;
    std::vector<Waiting> jobs_;
    std::vector<std::uint32_t> free_;
    std::deque<std::pair<std::uint32_t, std::uint64_t>> arrivals_;  // job and arrival; some are gone already
    ByOffset by_offset_;
    std::uint64_t arrived_ = 0;
    std::int64_t dirty_bytes_ = 0;
    std::int32_t running_ = 0;
    std::int64_t last_file_ = 0, last_end_ = 0;  // of the operation taken last
};

}  // namespace striate
