// Rows: the records of several variables side by side, so that one random access moves all of them.
#pragma once

#include <cstddef>
#include <span>

namespace striate {

// The records of one variable, `size` bytes for each row.
struct RowPart {
    std::span<const std::byte> records;
    std::size_t size;
};

// Row to[k] of `target` becomes record from[k] of every part, one behind another, for k = 0, 1, ... count -
// 1; an empty list of positions stands for 0, 1, 2, ... Throws std::out_of_range before a byte outside would
// be touched.
template <class Position>
void move_rows(std::span<std::byte> target, std::span<const Position> to, std::span<const RowPart> parts,
               std::span<const Position> from, std::size_t count);

// Takes rows apart: all records of the first part, then all of the second, and so on, into `target`, which
// overlaps no row. Throws std::out_of_range unless both are as long, and whole rows.
void split_rows(std::span<std::byte> target, std::span<const std::byte> rows,
                std::span<const std::size_t> sizes);

}  // namespace striate
