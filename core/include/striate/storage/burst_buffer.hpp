// A burst buffer: fast memory that takes writes at once and drains to the disks when it may.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "striate/storage/disk.hpp"
#include "striate/storage/read_cache.hpp"

namespace striate {

struct BurstRules {
    std::int64_t capacity_bytes = 0;
    std::int64_t drain_above_bytes = 0;           // begins to drain when more than this is held
    std::int64_t largest_drain_bytes = 10 << 20;  // one write to the disks
};

// Bytes on their way from the buffer to the disks.
struct Drain {
    Access write;
    std::uint64_t age;  // of the write they came with
};

// Knows no time: whoever owns the fast device and the disks says when a write has arrived and when a drain is
// over.
class BurstBuffer {
  public:
    // Throws std::invalid_argument when a limit is negative or nothing can ever drain.
    explicit BurstBuffer(const BurstRules& rules);

    // Whether a write of so many bytes has room now; one larger than the buffer never has.
    [[nodiscard]] bool accepts(std::int64_t bytes) const {
        return bytes <= rules_.capacity_bytes - dirty_bytes_;
    }

    // The write is in the buffer. Bytes that were there already are replaced, and take no more room.
    void add(const Access& write);

    // Whether every byte of the range is in the buffer, so that a read need not go to the disks.
    [[nodiscard]] bool holds(std::int64_t file, std::int64_t offset, std::int64_t bytes) const;

    // The parts of the range, in order, each with whether it is in the buffer.
    struct Found {
        FileRange range;
        bool buffered;
    };
    [[nodiscard]] std::vector<Found> find(std::int64_t file, std::int64_t offset, std::int64_t bytes) const;

    // What to write to the disks now, oldest first: until no more than the threshold is left to drain, or,
    // for a sync, until nothing is. It stays in the buffer until `drained`.
    [[nodiscard]] std::vector<Drain> drain(bool all);

    // A drain is over: those of its bytes that were not written again meanwhile leave.
    void drained(const Drain& drain);

    [[nodiscard]] std::int64_t dirty_bytes() const { return dirty_bytes_; }
    [[nodiscard]] bool empty() const { return dirty_bytes_ == 0; }

  private:
    struct Range {
        std::int64_t end;
        std::uint64_t age;
        bool draining;
    };
    using Ranges = std::map<std::int64_t, Range>;  // of one file, by where they begin; they do not overlap

    // Splits the range that covers `at`, so that one begins there.
    static void split(Ranges& ranges, std::int64_t at);
    void mark_oldest(std::vector<Drain>& drains);

    BurstRules rules_;
    std::map<std::int64_t, Ranges> files_;
    std::deque<std::pair<std::uint64_t, Access>> writes_;  // by age; parts of them may be replaced already
    std::uint64_t age_ = 0;
    std::int64_t dirty_bytes_ = 0;
    std::int64_t draining_bytes_ = 0;
};

}  // namespace striate
