#include "striate/records/rows.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "record_bits.hpp"
#include "record_sizes.hpp"
#include "tiles.hpp"

namespace striate {

namespace {

constexpr std::size_t block_bytes =
    16384;  // rows that stay in the first-level cache while they are put together

std::size_t rows_in_block(std::size_t row) { return std::clamp<std::size_t>(block_bytes / row, 1, 512); }

template <class Size>
void copy_strided(std::byte* to, std::size_t to_step, const std::byte* from, std::size_t from_step,
                  std::size_t count, std::size_t size) {
    for (std::size_t k = 0; k < count; ++k) Size::copy(to + k * to_step, from + k * from_step, size);
}

template <class Size, class Position>
void gather_strided(std::byte* to, std::size_t to_step, const std::byte* records,
                    std::span<const Position> from, std::size_t given) {
    const std::size_t size = Size::bytes(given);
    for (std::size_t k = 0; k < from.size(); ++k)
        Size::copy(to + k * to_step, records + static_cast<std::size_t>(from[k]) * size, size);
}

// Rows [first, first + count) of a tile's parts into `rows`, `row` bytes from one to the next.
template <class Word>
void join_tile(std::byte* rows, std::size_t row, const RowPart* parts, std::size_t first, std::size_t count) {
    constexpr std::size_t lanes = Tile<Word>::lanes;
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        std::array<std::byte*, lanes> to;
        std::array<const std::byte*, lanes> from;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            to[lane] = rows + (k + lane) * row;
            from[lane] = parts[lane].records.data() + (first + k) * sizeof(Word);
        }
        Tile<Word>::transpose(to, from);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
        copy_strided<FixedSize<sizeof(Word)>>(rows + k * row + lane * sizeof(Word), row,
                                              parts[lane].records.data() + (first + k) * sizeof(Word),
                                              sizeof(Word), count - k, sizeof(Word));
}

// Records of a tile out of rows: those of each part to `column`, `apart` bytes from one part to the next.
template <class Word>
void split_tile(std::byte* column, std::size_t apart, const std::byte* rows, std::size_t row,
                std::size_t count) {
    constexpr std::size_t lanes = Tile<Word>::lanes;
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        std::array<std::byte*, lanes> to;
        std::array<const std::byte*, lanes> from;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            to[lane] = column + lane * apart + k * sizeof(Word);
            from[lane] = rows + (k + lane) * row;
        }
        Tile<Word>::transpose(to, from);
    }
    for (std::size_t lane = 0; lane < lanes; ++lane)
        copy_strided<FixedSize<sizeof(Word)>>(column + lane * apart + k * sizeof(Word), sizeof(Word),
                                              rows + k * row + lane * sizeof(Word), row, count - k,
                                              sizeof(Word));
}

// Rows [first, first + count) of the parts, one behind another, into `rows`.
template <class Position>
void join_parts(std::byte* rows, std::size_t row, std::span<const RowPart> parts,
                std::span<const Position> from, std::size_t first, std::size_t count) {
    const auto size_of = [&](std::size_t part) { return parts[part].size; };
    for (std::size_t k = 0; k < parts.size();) {
        const RowPart& part = parts[k];
        std::size_t taken = 1;
        if (part.size == 0) {  // may have no memory at all
        } else if (!from.empty()) {
            with_record_size(part.size, [&]<class Size>() {
                gather_strided<Size>(rows, row, part.records.data(), from.subspan(first, count), part.size);
            });
        } else if (is_tile<std::uint32_t>(size_of, k, parts.size())) {
            join_tile<std::uint32_t>(rows, row, &part, first, count);
            taken = Tile<std::uint32_t>::lanes;
        } else if (is_tile<std::uint64_t>(size_of, k, parts.size())) {
            join_tile<std::uint64_t>(rows, row, &part, first, count);
            taken = Tile<std::uint64_t>::lanes;
        } else {
            with_record_size(part.size, [&]<class Size>() {
                copy_strided<Size>(rows, row, part.records.data() + first * part.size, part.size, count,
                                   part.size);
            });
        }
        rows += taken * part.size;
        k += taken;
    }
}

// Puts rows to their places.
template <class Size, class Position>
void scatter_rows(std::byte* target, std::span<const Position> to, const std::byte* rows, std::size_t given) {
    const std::size_t row = Size::bytes(given);
    for (std::size_t k = 0; k < to.size(); ++k)
        Size::copy(target + static_cast<std::size_t>(to[k]) * row, rows + k * row, row);
}

template <class Position>
void fetch_rows(const std::byte* target, std::span<const Position> to, std::size_t row) {
    for (const Position place : to) fetch_record(target + static_cast<std::size_t>(place) * row, row);
}

struct Block {
    std::size_t first, count, of;  // rows, of so many in all
};

// The records of a block of rows, into the columns of all rows.
void split_block(std::byte* column, const std::byte* part, std::size_t row,
                 std::span<const std::size_t> sizes, const Block& block) {
    const auto size_of = [&](std::size_t number) { return sizes[number]; };
    for (std::size_t k = 0; k < sizes.size();) {
        const std::size_t size = sizes[k], apart = block.of * size;
        std::byte* to = column + block.first * size;
        std::size_t taken = 1;
        if (is_tile<std::uint32_t>(size_of, k, sizes.size())) {
            split_tile<std::uint32_t>(to, apart, part, row, block.count);
            taken = Tile<std::uint32_t>::lanes;
        } else if (is_tile<std::uint64_t>(size_of, k, sizes.size())) {
            split_tile<std::uint64_t>(to, apart, part, row, block.count);
            taken = Tile<std::uint64_t>::lanes;
        } else if (size > 0) {
            with_record_size(
                size, [&]<class Size>() { copy_strided<Size>(to, size, part, row, block.count, size); });
        }
        part += taken * size;
        column += taken * apart;
        k += taken;
    }
}

}  // namespace

template <class Position>
void move_rows(std::span<std::byte> target, std::span<const Position> to, std::span<const RowPart> parts,
               std::span<const Position> from, std::size_t count) {
    std::size_t row = 0;
    for (const RowPart& part : parts) row += part.size;
    if (row == 0 || count == 0) return;
    if ((!to.empty() && to.size() != count) || (!from.empty() && from.size() != count))
        throw std::out_of_range("expected as many positions as records");
    refuse_outside(to, target.size() / row);
    bool fits = !to.empty() || count <= target.size() / row;
    std::size_t shortest = SIZE_MAX;
    for (const RowPart& part : parts)
        if (part.size > 0) shortest = std::min(shortest, part.records.size() / part.size);
    refuse_outside(from, shortest);
    fits = fits && (!from.empty() || count <= shortest);
    if (!fits) throw std::out_of_range("more records than there is memory for");

    const std::size_t block = to.empty() ? rows_in_block(row) : records_ahead;
    std::vector<std::byte> rows(to.empty() ? 0 : block * row);
    const auto places = [&](std::size_t first) {
        return to.subspan(std::min(first, to.size()),
                          std::min(block, to.size() - std::min(first, to.size())));
    };
    fetch_rows(target.data(), places(0), row);
    for (std::size_t first = 0; first < count; first += block) {
        const std::size_t some = std::min(block, count - first);
        std::byte* joined = to.empty() ? target.data() + first * row : rows.data();
        fetch_rows(target.data(), places(first + block), row);  // arrive while rows are put together
        join_parts(joined, row, parts, from, first, some);
        if (to.empty()) continue;
        with_record_size(
            row, [&]<class Size>() { scatter_rows<Size>(target.data(), places(first), joined, row); });
    }
}

void split_rows(std::span<std::byte> target, std::span<const std::byte> rows,
                std::span<const std::size_t> sizes) {
    const std::size_t row = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    if (target.size() != rows.size() || (row == 0 ? !rows.empty() : rows.size() % row != 0))
        throw std::out_of_range("expected whole rows, and as much room");
    if (row == 0) return;
    const std::size_t count = rows.size() / row, block = rows_in_block(row);
    for (std::size_t first = 0; first < count; first += block) {
        const std::size_t some = std::min(block, count - first);
        split_block(target.data(), rows.data() + first * row, row, sizes, {first, some, count});
    }
}

template void move_rows(std::span<std::byte>, std::span<const std::int32_t>, std::span<const RowPart>,
                        std::span<const std::int32_t>, std::size_t);
template void move_rows(std::span<std::byte>, std::span<const std::int64_t>, std::span<const RowPart>,
                        std::span<const std::int64_t>, std::size_t);

}  // namespace striate
