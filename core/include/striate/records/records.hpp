// Records of one size, found by position: marked, resolved between claimants, put into buckets, and moved.
//
// Positions are 32-bit where they fit, else 64-bit; nothing outside the given memory is ever touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "striate/records/large_vector.hpp"

namespace striate {

// Sets bit i - first for every index i in [first, first + 64 * bits.size()); the others are passed over.
template <class Position>
void mark_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> bits);

// Appends how many bits are set from each edge to the next. Throws std::out_of_range beyond the bits.
void count_marked(std::span<const std::uint64_t> bits, std::span<const std::int64_t> edges,
                  std::vector<std::int64_t>& counts);

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
void resolve_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> live,
                     LargeVector<Position>& kept);

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
