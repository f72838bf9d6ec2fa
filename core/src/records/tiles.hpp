// Tiles: a few words of a few records transposed in registers, so that rows become columns without a loop
// over words.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

namespace striate {

// Four words of 4 bytes, or two of 8, of as many records.
template <class Word>
struct Tile {
    static constexpr std::size_t lanes = 16 / sizeof(Word);
    typedef Word Vector __attribute__((vector_size(16)));

    static void transpose(const std::array<std::byte*, lanes>& to,
                          const std::array<const std::byte*, lanes>& from) {
        Vector in[lanes], out[lanes];
        for (std::size_t k = 0; k < lanes; ++k) std::memcpy(&in[k], from[k], 16);
        if constexpr (lanes == 2) {
            out[0] = __builtin_shufflevector(in[0], in[1], 0, 2);
            out[1] = __builtin_shufflevector(in[0], in[1], 1, 3);
        } else {
            const Vector low = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5),
                         high = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7),
                         lower = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5),
                         higher = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
            out[0] = __builtin_shufflevector(low, lower, 0, 1, 4, 5);
            out[1] = __builtin_shufflevector(low, lower, 2, 3, 6, 7);
            out[2] = __builtin_shufflevector(high, higher, 0, 1, 4, 5);
            out[3] = __builtin_shufflevector(high, higher, 2, 3, 6, 7);
        }
        for (std::size_t k = 0; k < lanes; ++k) std::memcpy(to[k], &out[k], 16);
    }
};

// True when the parts from `part` on are words that fill a tile.
template <class Word, class SizeOf>
bool is_tile(const SizeOf& size_of, std::size_t part, std::size_t parts) {
    for (std::size_t k = 0; k < Tile<Word>::lanes; ++k)
        if (part + k >= parts || size_of(part + k) != sizeof(Word)) return false;
    return true;
}

}  // namespace striate
