// What the kernels over records share: positions within bounds, and bits that are counted.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace striate {

template <class Position>
void refuse_outside(std::span<const Position> positions, std::size_t records) {
    using Unsigned = std::make_unsigned_t<Position>;
    Unsigned largest = 0;
    for (const Position position : positions) largest = std::max(largest, static_cast<Unsigned>(position));
    if (!positions.empty() && largest >= records)
        throw std::out_of_range("a position lies outside the records");
}

inline std::int64_t count_bits(std::span<const std::uint64_t> bits) {
    std::int64_t count = 0;
    for (const std::uint64_t word : bits) count += std::popcount(word);
    return count;
}

// How many bits are set from `first` to `end`, of which both lie within the bits.
inline std::int64_t count_bits(std::span<const std::uint64_t> bits, std::int64_t first, std::int64_t end) {
    if (first >= end) return 0;
    const auto low = static_cast<std::size_t>(first / 64), high = static_cast<std::size_t>((end - 1) / 64);
    const std::uint64_t from = ~std::uint64_t{0} << (first % 64),
                        to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    if (low == high) return std::popcount(bits[low] & from & to);
    return std::popcount(bits[low] & from) + count_bits(bits.subspan(low + 1, high - low - 1)) +
           std::popcount(bits[high] & to);
}

}  // namespace striate
