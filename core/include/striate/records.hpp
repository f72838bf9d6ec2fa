// Records of one size, found by position: marked, settled between claimants, put into buckets, and moved.
//
// Positions are 32-bit where they fit, else 64-bit; nothing outside the given memory is ever touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "striate/large_vector.hpp"

namespace striate {

// Sets bit i - first for every index i in [first, first + 64 * bits.size()); the others are passed over.
template <class Position>
void mark_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> bits);

// Appends every position in [first, end) whose bit is not set. Throws std::out_of_range beyond the bits.
void unmarked_records(std::span<const std::uint64_t> bits, std::int64_t first, std::int64_t end,
                      std::vector<std::int64_t>& found);

// Which of `indices` have their bit set, ascending. Throws std::out_of_range for an index beyond the bits.
template <class Position>
[[nodiscard]] std::vector<Position> marked_entries(std::span<const Position> indices,
                                                   std::span<const std::uint64_t> bits);

// Which of `indices` keep their claim: the last one at each bit still set in `live`, which is cleared by it.
// Appends the places of the claims in `indices`, ascending.
template <class Position>
void settle_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> live,
                    LargeVector<Position>& kept);

// A cut of numbered records into domains of `domain` records, each handled `window` records a round.
// `segments[owner]` is where that owner's window lies in memory shared with us, counted in windows, or -1.
struct DomainCut {
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
                                               const DomainCut& cut);

// `settle_records` and `bucket_records` in one pass, for bits that begin at record 0 and owners that all
// share memory with us. Every bit of `live` is one of `indices`; it is cleared.
template <class Position>
[[nodiscard]] Buckets<Position> settle_into_buckets(std::span<const Position> indices,
                                                    std::span<std::uint64_t> live, const DomainCut& cut);

// Moves of one bucket: entries, ascending, and their places.
template <class Position>
struct EntryPlaces {
    std::span<const Position> entries, places;
};

// `moves` without the entries `dropped` and with those of `added`; all three ascend.
template <class Position>
void splice_moves(const EntryPlaces<Position>& moves, std::span<const Position> dropped,
                  const EntryPlaces<Position>& added, LargeVector<Position>& entries,
                  LargeVector<Position>& places);

// target[to[k]] = source[from[k]] for k = 0, 1, ... count - 1, records of `size` bytes; an empty list of
// positions stands for 0, 1, 2, ... Throws std::out_of_range before a byte outside would be touched.
template <class Position>
void move_records(std::span<std::byte> target, std::span<const Position> to,
                  std::span<const std::byte> source, std::span<const Position> from, std::size_t count,
                  std::size_t size);

}  // namespace striate
