// An array of records that lies in memory as chunks, each somewhere else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace striate {

// `at[c]` is where chunk c begins; nullptr stands for zeros. Every chunk has `records` records of `size`
// bytes.
struct ChunkedRecords {
    std::span<const std::byte* const> at;
    std::int64_t records;
    std::size_t size;
};

// target[k] = record indices[k]. Throws std::out_of_range before a byte outside would be touched.
template <class Position>
void gather_chunks(std::span<std::byte> target, std::span<const Position> indices,
                   const ChunkedRecords& source);

}  // namespace striate
