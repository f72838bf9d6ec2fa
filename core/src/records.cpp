#include "striate/records.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "record_sizes.hpp"
#include "striate/divider.hpp"

namespace striate {

namespace {

template <class Position>
void refuse_outside(std::span<const Position> positions, std::size_t records) {
    using Unsigned = std::make_unsigned_t<Position>;
    Unsigned largest = 0;
    for (const Position position : positions) largest = std::max(largest, static_cast<Unsigned>(position));
    if (!positions.empty() && largest >= records)
        throw std::out_of_range("a position lies outside the records");
}

// What one owner handles in one round: the bucket its records go to, and how far they move.
template <class Position>
class Parts {
  public:
    struct Part {
        std::size_t bucket;
        Position shift;
    };

    explicit Parts(const DomainCut& cut)
        : rounds_(static_cast<std::uint32_t>(cut.rounds())), by_domain_(cut.domain), by_window_(cut.window) {
        const auto stride = static_cast<std::size_t>(cut.buckets_per_round());
        for (std::size_t owner = 0; owner < cut.segments.size(); ++owner) {
            const std::int32_t segment = cut.segments[owner];
            const std::int64_t base = segment >= 0 ? segment * cut.window : 0;
            for (std::uint32_t round = 0; round < rounds_; ++round) {
                const std::int64_t first = static_cast<std::int64_t>(owner) * cut.domain + round * cut.window;
                parts_.push_back(
                    {round * stride + (segment >= 0 ? 0 : owner + 1), static_cast<Position>(first - base)});
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] const Part& operator[](std::size_t part) const { return parts_[part]; }

    [[nodiscard]] std::uint32_t find(Position index) const {
        const std::int64_t owner = by_domain_.quotient(index);
        const std::int64_t round = by_window_.quotient(by_domain_.remainder(index, owner));
        return static_cast<std::uint32_t>(owner) * rounds_ + static_cast<std::uint32_t>(round);
    }

  private:
    std::uint32_t rounds_;
    Divider by_domain_, by_window_;
    std::vector<Part> parts_;
};

void refuse_cut(const DomainCut& cut) {
    if (cut.records < 0 || cut.domain < 1 || cut.window < 1 || cut.window > cut.domain)
        throw std::invalid_argument("expected domains and windows of one record at least");
    const auto owners = static_cast<std::uint64_t>(cut.segments.size());
    if (cut.records > 0 &&
        static_cast<std::uint64_t>(cut.records - 1) / static_cast<std::uint64_t>(cut.domain) >= owners)
        throw std::invalid_argument("the domains do not cover the records");
}

std::int64_t count_bits(std::span<const std::uint64_t> bits) {
    std::int64_t count = 0;
    for (const std::uint64_t word : bits) count += std::popcount(word);
    return count;
}

// How many bits are set from `first` to `end`, of which both lie within the bits.
std::int64_t count_bits(std::span<const std::uint64_t> bits, std::int64_t first, std::int64_t end) {
    if (first >= end) return 0;
    const auto low = static_cast<std::size_t>(first / 64), high = static_cast<std::size_t>((end - 1) / 64);
    const std::uint64_t from = ~std::uint64_t{0} << (first % 64),
                        to = ~std::uint64_t{0} >> (63 - (end - 1) % 64);
    if (low == high) return std::popcount(bits[low] & from & to);
    return std::popcount(bits[low] & from) + count_bits(bits.subspan(low + 1, high - low - 1)) +
           std::popcount(bits[high] & to);
}

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
    entries.reserve(moves.entries.size() + added.entries.size());
    places.reserve(entries.capacity());
    std::size_t at = 0, drop = 0, add = 0;
    const auto copy_to = [&](std::size_t end) {
        entries.insert(entries.end(), moves.entries.begin() + static_cast<std::ptrdiff_t>(at),
                       moves.entries.begin() + static_cast<std::ptrdiff_t>(end));
        places.insert(places.end(), moves.places.begin() + static_cast<std::ptrdiff_t>(at),
                      moves.places.begin() + static_cast<std::ptrdiff_t>(end));
        at = end;
    };
    const auto find = [&](Position entry) {
        const auto from = moves.entries.begin() + static_cast<std::ptrdiff_t>(at);
        return static_cast<std::size_t>(std::lower_bound(from, moves.entries.end(), entry) -
                                        moves.entries.begin());
    };
    while (drop < dropped.size() || add < added.entries.size()) {
        if (add == added.entries.size() || (drop < dropped.size() && dropped[drop] <= added.entries[add])) {
            copy_to(find(dropped[drop]));
            if (at < moves.entries.size() && moves.entries[at] == dropped[drop]) ++at;
            ++drop;
        } else {
            copy_to(find(added.entries[add]));
            entries.push_back(added.entries[add]);
            places.push_back(added.places[add]);
            ++add;
        }
    }
    copy_to(moves.entries.size());
}

template <class Position>
void settle_records(std::span<const Position> indices, std::int64_t first, std::span<std::uint64_t> live,
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
Buckets<Position> settle_into_buckets(std::span<const Position> indices, std::span<std::uint64_t> live,
                                      const DomainCut& cut) {
    refuse_cut(cut);
    refuse_outside(indices, static_cast<std::size_t>(cut.records));
    if (live.size() * 64 < static_cast<std::size_t>(cut.records))
        throw std::out_of_range("expected a bit for every record");
    if (std::any_of(cut.segments.begin(), cut.segments.end(),
                    [](std::int32_t segment) { return segment < 0; }))
        throw std::invalid_argument("expected owners that share memory");
    const Parts<Position> parts(cut);
    Buckets<Position> result;
    result.starts.assign(static_cast<std::size_t>(cut.rounds() * cut.buckets_per_round()) + 1, 0);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto [first, end] = cut.part(part);
        result.starts[parts[part].bucket + 1] += count_bits(live, first, end);
    }
    for (std::size_t b = 1; b < result.starts.size(); ++b) result.starts[b] += result.starts[b - 1];
    std::vector<std::int64_t> next(result.starts.begin() + 1, result.starts.end());  // filled from behind
    const auto count = static_cast<std::size_t>(result.starts.back());
    result.order.resize(count);
    result.place.resize(count);
    for (std::size_t k = indices.size(); k-- > 0;) {
        const auto bit = static_cast<std::uint64_t>(indices[k]);
        std::uint64_t& word = live[bit / 64];
        if (((word >> (bit % 64)) & 1) == 0) continue;
        word &= ~(std::uint64_t{1} << (bit % 64));
        const auto& part = parts[parts.find(indices[k])];
        const auto at = static_cast<std::size_t>(--next[part.bucket]);
        result.order[at] = static_cast<Position>(k);
        result.place[at] = static_cast<Position>(indices[k] - part.shift);
    }
    for (std::size_t b = 0; b < next.size(); ++b)
        if (next[b] != result.starts[b]) throw std::invalid_argument("a live bit is none of the indices");
    return result;
}

template <class Position>
Buckets<Position> bucket_records(std::span<const Position> indices, std::span<const Position> kept, bool all,
                                 const DomainCut& cut) {
    refuse_cut(cut);
    refuse_outside(indices, static_cast<std::size_t>(cut.records));
    if (!all) refuse_outside(kept, indices.size());

    const std::size_t count = all ? indices.size() : kept.size();
    const Parts<Position> parts(cut);
    Buckets<Position> result;
    result.starts.assign(static_cast<std::size_t>(cut.rounds() * cut.buckets_per_round()) + 1, 0);
    result.order.resize(count);
    result.place.resize(count);
    const auto index_of = [&](std::size_t k) { return indices[all ? k : static_cast<std::size_t>(kept[k])]; };
    LargeVector<std::uint32_t> part_of(count);
    std::vector<std::int64_t> in_part(parts.size(), 0);
    for (std::size_t k = 0; k < count; ++k) {
        part_of[k] = parts.find(index_of(k));
        ++in_part[part_of[k]];
    }
    for (std::size_t part = 0; part < parts.size(); ++part)
        result.starts[parts[part].bucket + 1] += in_part[part];
    for (std::size_t b = 1; b < result.starts.size(); ++b) result.starts[b] += result.starts[b - 1];
    std::vector<std::int64_t> next(result.starts.begin(), result.starts.end() - 1);
    for (std::size_t k = 0; k < count; ++k) {
        const auto& part = parts[part_of[k]];
        const auto at = static_cast<std::size_t>(next[part.bucket]++);
        result.order[at] = all ? static_cast<Position>(k) : kept[k];
        result.place[at] = static_cast<Position>(index_of(k) - part.shift);
    }
    return result;
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
    template void settle_records(std::span<const Position>, std::int64_t, std::span<std::uint64_t>,         \
                                 LargeVector<Position>&);                                                   \
    template Buckets<Position> bucket_records(std::span<const Position>, std::span<const Position>, bool,   \
                                              const DomainCut&);                                            \
    template Buckets<Position> settle_into_buckets(std::span<const Position>, std::span<std::uint64_t>,     \
                                                   const DomainCut&);                                       \
    template void move_records(std::span<std::byte>, std::span<const Position>, std::span<const std::byte>, \
                               std::span<const Position>, std::size_t, std::size_t);
STRIATE_INSTANTIATE(std::int32_t)
STRIATE_INSTANTIATE(std::int64_t)

}  // namespace striate
