// Claims to records put into buckets, one for each owner and round that they are moved in.
//
// Positions are 32-bit where they fit, else 64-bit.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "striate/records/large_vector.hpp"

namespace striate {

// A cut of numbered records into domains of `domain` records, each handled `window` records per round.
// `segments[owner]` is where that owner's window lies in memory shared with us, counted in windows, or -1.
struct DomainSplit {
    std::int64_t records;
    std::int64_t domain;
    std::int64_t window;
    std::span<const std::int32_t> segments;

    [[nodiscard]] std::int64_t rounds() const { return domain > 0 ? (domain + window - 1) / window : 0; }
    // Records of one owner in one round, first and end; parts are counted by owner, then by round.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> part(std::size_t number) const {
        const auto [owner, round] = std::pair{static_cast<std::int64_t>(number) / rounds(),
                                              static_cast<std::int64_t>(number) % rounds()};
        const std::int64_t first = owner * domain + round * window;
        const std::int64_t end = std::min({first + window, (owner + 1) * domain, records});
        return {std::min(first, records), end};
    }
    // Per round: one bucket for all owners that share memory with us, then one for each owner that does not.
    [[nodiscard]] std::int64_t buckets_per_round() const {
        return static_cast<std::int64_t>(segments.size()) + 1;
    }
};

// Entries in the order of their buckets, and within a bucket in the order they came.
template <class Position>
struct Buckets {
    LargeVector<Position> order;       // where the record is in the caller's memory
    LargeVector<Position> place;       // where it goes in the window (shared memory, or the owner's own)
    std::vector<std::int64_t> starts;  // bucket b is [starts[b], starts[b + 1])
};

// Throws std::out_of_range for an index outside [0, records), std::invalid_argument for a cut that has no
// sense. `kept` chooses entries of `indices`; when empty and `all` is set, every entry is taken.
template <class Position>
[[nodiscard]] Buckets<Position> bucket_records(std::span<const Position> indices,
                                               std::span<const Position> kept, bool all,
                                               const DomainSplit& split);

// `resolve_records` and `bucket_records` in one pass, for bits that begin at record 0 and owners that all
// share memory with us. Every bit of `live`, which is used up, is one of `indices`; `each_once` tells that no
// two of those are the same. Throws std::invalid_argument where that is seen not to hold.
template <class Position>
[[nodiscard]] Buckets<Position> resolve_into_buckets(std::span<const Position> indices,
                                                     std::span<std::uint64_t> live, bool each_once,
                                                     const DomainSplit& split);

// The same for owners anywhere, with the entries of a bucket in the order of their records, so that an owner
// who knows the live bits knows the place of each. Where several entries name a record, the last is kept.
template <class Position>
[[nodiscard]] Buckets<Position> sort_into_buckets(std::span<const Position> indices,
                                                  std::span<const std::uint64_t> live,
                                                  const DomainSplit& split);

}  // namespace striate
