#include "striate/records/records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "record_bits.hpp"
#include "record_sizes.hpp"

namespace striate {

namespace {

template <class Size, class Position>
void scatter(std::byte* target, std::span<const Position> to, const std::byte* source, std::size_t given) {
    const std::size_t size = Size::bytes(given);
    for (std::size_t k = 0; k < to.size(); ++k) {
        if (k + records_ahead < to.size())
            fetch_record(target + static_cast<std::size_t>(to[k + records_ahead]) * size, size);
        Size::copy(target + static_cast<std::size_t>(to[k]) * size, source + k * size, size);
    }
}

template <class Size, class Position>
void gather(std::byte* target, const std::byte* source, std::span<const Position> from, std::size_t given) {
    const std::size_t size = Size::bytes(given);
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (k + records_ahead < from.size())
            fetch_record(source + static_cast<std::size_t>(from[k + records_ahead]) * size, size);
        Size::copy(target + k * size, source + static_cast<std::size_t>(from[k]) * size, size);
    }
}

template <class Size, class Position>
void both(std::byte* target, std::span<const Position> to, const std::byte* source,
          std::span<const Position> from, std::size_t given) {
    const std::size_t size = Size::bytes(given);
    for (std::size_t k = 0; k < to.size(); ++k) {
        if (k + records_ahead < to.size()) {
            fetch_record(target + static_cast<std::size_t>(to[k + records_ahead]) * size, size);
            fetch_record(source + static_cast<std::size_t>(from[k + records_ahead]) * size, size);
        }
        Size::copy(target + static_cast<std::size_t>(to[k]) * size,
                   source + static_cast<std::size_t>(from[k]) * size, size);
    }
}

template <class Size, class Position>
void move_sized(std::byte* target, std::span<const Position> to, const std::byte* source,
                std::span<const Position> from, std::size_t size) {
    if (from.empty())
        scatter<Size>(target, to, source, size);
    else if (to.empty())
        gather<Size>(target, source, from, size);
    else
        both<Size>(target, to, source, from, size);
}

}  // namespace

template <class Position>
void mark_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> bits) {
    const std::uint64_t end = bits.size() * 64;
    for (const Position index : indices) {
        const auto bit = static_cast<std::uint64_t>(static_cast<std::int64_t>(index) - first);
        if (bit < end) bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
}

void count_marked(std::span<const std::uint64_t> bits, std::span<const std::int64_t> edges,
                  std::vector<std::int64_t>& counts) {
    const auto outside = [&](std::int64_t edge) {
        return edge < 0 || static_cast<std::uint64_t>(edge) > bits.size() * 64;
    };
    if (std::any_of(edges.begin(), edges.end(), outside))
        throw std::out_of_range("expected edges within the bits");
    for (std::size_t k = 1; k < edges.size(); ++k) counts.push_back(count_bits(bits, edges[k - 1], edges[k]));
}

void unmarked_records(std::span<const std::uint64_t> bits, std::int64_t first, std::int64_t end,
                      std::vector<std::int64_t>& found) {
    if (first < 0 || end < first || static_cast<std::uint64_t>(end) > bits.size() * 64)
        throw std::out_of_range("expected a range within the bits");
    for (std::int64_t word = first / 64; word * 64 < end; ++word) {
        std::uint64_t open = ~bits[static_cast<std::size_t>(word)];
        while (open != 0) {
            const std::int64_t position = word * 64 + std::countr_zero(open);
            if (position >= first && position < end) found.push_back(position);
            open &= open - 1;
        }
    }
}

template <class Position>
std::vector<Position> marked_entries(std::span<const Position> indices, std::span<const std::uint64_t> bits) {
    refuse_outside(indices, bits.size() * 64);
    std::vector<Position> found;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const auto bit = static_cast<std::uint64_t>(indices[k]);
        if ((bits[bit / 64] >> (bit % 64)) & 1) found.push_back(static_cast<Position>(k));
    }
    return found;
}

template <class Position>
void splice_moves(const EntryPlaces<Position>& moves, std::span<const Position> dropped,
                  const EntryPlaces<Position>& added, LargeVector<Position>& entries,
                  LargeVector<Position>& places) {
    if (moves.entries.size() != moves.places.size() || added.entries.size() != added.places.size())
        throw std::out_of_range("expected a place for every entry");
    entries.resize(moves.entries.size() + added.entries.size());
    places.resize(entries.size());
    std::size_t at = 0, drop = 0, add = 0, filled = 0;
    const auto copy_to = [&](std::size_t end) {
        std::copy(moves.entries.data() + at, moves.entries.data() + end, entries.data() + filled);
        std::copy(moves.places.data() + at, moves.places.data() + end, places.data() + filled);
        filled += end - at;
        at = end;
    };
    const auto find = [&](Position entry) {  // steps that double: the next change is mostly near
        std::size_t step = 1;
        while (at + step < moves.entries.size() && moves.entries[at + step] < entry) step *= 2;
        const Position* from = moves.entries.data() + at + step / 2;
        const Position* end = moves.entries.data() + std::min(at + step + 1, moves.entries.size());
        return static_cast<std::size_t>(std::lower_bound(std::min(from, end), end, entry) -
                                        moves.entries.data());
    };
    while (drop < dropped.size() || add < added.entries.size()) {
        if (add == added.entries.size() || (drop < dropped.size() && dropped[drop] <= added.entries[add])) {
            copy_to(find(dropped[drop]));
            if (at < moves.entries.size() && moves.entries[at] == dropped[drop]) ++at;
            ++drop;
        } else {
            copy_to(find(added.entries[add]));
            entries[filled] = added.entries[add];
            places[filled++] = added.places[add++];
        }
    }
    copy_to(moves.entries.size());
    entries.resize(filled);
    places.resize(filled);
}

template <class Position>
void resolve_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> live,
                     LargeVector<Position>& kept) {
    const std::uint64_t end = live.size() * 64;
    const std::size_t before = kept.size();
    const auto most = std::min(indices.size(), static_cast<std::size_t>(count_bits(live)));
    kept.resize(before + most + 1);  // written without a branch: half of all claims may fail
    std::size_t count = before;
    for (std::size_t k = indices.size(); k-- > 0;) {
        const auto bit = static_cast<std::uint64_t>(static_cast<std::int64_t>(indices[k]) - first);
        if (bit >= end) continue;
        std::uint64_t& word = live[bit / 64];
        kept[count] = static_cast<Position>(k);
        count += (word >> (bit % 64)) & 1;
        word &= ~(std::uint64_t{1} << (bit % 64));
    }
    kept.resize(count);
    std::reverse(kept.begin() + static_cast<std::ptrdiff_t>(before), kept.end());
}

template <class Position>
void move_records(std::span<std::byte> target, std::span<const Position> to,
                  std::span<const std::byte> source, std::span<const Position> from, std::size_t count,
                  std::size_t size) {
    if (size == 0 || count == 0) return;
    if ((!to.empty() && to.size() != count) || (!from.empty() && from.size() != count))
        throw std::out_of_range("expected as many positions as records");
    refuse_outside(to, target.size() / size);
    refuse_outside(from, source.size() / size);
    if ((to.empty() && count > target.size() / size) || (from.empty() && count > source.size() / size))
        throw std::out_of_range("more records than there is memory for");
    if (to.empty() && from.empty()) {
        std::memmove(target.data(), source.data(), count * size);
        return;
    }
    with_record_size(size,
                     [&]<class Size>() { move_sized<Size>(target.data(), to, source.data(), from, size); });
}

#define STRIATE_INSTANTIATE(Position)                                                                       \
    template std::vector<Position> marked_entries(std::span<const Position>,                                \
                                                  std::span<const std::uint64_t>);                          \
    template void splice_moves(const EntryPlaces<Position>&, std::span<const Position>,                     \
                               const EntryPlaces<Position>&, LargeVector<Position>&,                        \
                               LargeVector<Position>&);                                                     \
    template void mark_records(std::span<const Position>, std::int64_t, std::span<std::uint64_t>);          \
    template void resolve_records(std::span<const Position>, std::int64_t, std::span<std::uint64_t>,        \
                                  LargeVector<Position>&);                                                  \
    template void move_records(std::span<std::byte>, std::span<const Position>, std::span<const std::byte>, \
                               std::span<const Position>, std::size_t, std::size_t);
STRIATE_INSTANTIATE(std::int32_t)
STRIATE_INSTANTIATE(std::int64_t)

}  // namespace striate
