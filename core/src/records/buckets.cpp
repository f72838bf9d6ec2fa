#include "striate/records/buckets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

#include "record_bits.hpp"

namespace striate {

namespace {

constexpr const char* foreign_bit = "a live bit is none of the indices";

// What one owner handles in one round: where it ends, the bucket its records go to, and how far they move.
template <class Position>
class Parts {
  public:
    struct Part {
        std::int64_t end;
        std::uint32_t bucket;
        Position shift;
    };

    explicit Parts(const DomainSplit& split) {
        const std::int64_t rounds = split.rounds();
        for (std::size_t owner = 0; owner < split.segments.size(); ++owner)
            for (std::int64_t round = 0; round < rounds; ++round)
                parts_.push_back(part(split, static_cast<std::int64_t>(owner), round));
        // Cells of a power of two of records, each with the part it begins in: few hold the end of a part.
        const std::size_t cells = std::max<std::size_t>(1024, std::bit_ceil(16 * parts_.size()));
        while ((static_cast<std::uint64_t>(split.records) >> shift_) >= cells) ++shift_;
        std::uint32_t begins_in = 0;
        for (std::int64_t first = 0; first < split.records; first += std::int64_t{1} << shift_) {
            while (parts_[begins_in].end <= first) ++begins_in;
            cells_.push_back(begins_in);
        }
    }

    [[nodiscard]] std::size_t size() const { return parts_.size(); }
    [[nodiscard]] const Part& operator[](std::size_t part) const { return parts_[part]; }

    // The part of a record, which is one of the cut's.
    [[nodiscard]] std::size_t number_of(Position index) const {
        std::size_t found = cells_[static_cast<std::uint64_t>(index) >> shift_];
        while (index >= parts_[found].end) ++found;
        return found;
    }
    [[nodiscard]] const Part& of(Position index) const { return parts_[number_of(index)]; }

  private:
    static Part part(const DomainSplit& split, std::int64_t owner, std::int64_t round) {
        const std::int32_t segment = split.segments[static_cast<std::size_t>(owner)];
        const std::int64_t first = owner * split.domain + round * split.window;
        const std::int64_t base = segment >= 0 ? segment * split.window : 0;
        const std::int64_t bucket = round * split.buckets_per_round() + (segment >= 0 ? 0 : owner + 1);
        return {std::min(first + split.window, (owner + 1) * split.domain),
                static_cast<std::uint32_t>(bucket), static_cast<Position>(first - base)};
    }

    std::vector<Part> parts_;  // by owner, then by round: in the order of the records
    std::vector<std::uint32_t> cells_;
    int shift_ = 0;
};

void refuse_split(const DomainSplit& split) {
    if (split.records < 0 || split.domain < 1 || split.window < 1 || split.window > split.domain)
        throw std::invalid_argument("expected domains and windows of one record at least");
    const auto owners = static_cast<std::uint64_t>(split.segments.size());
    if (split.records > 0 &&
        static_cast<std::uint64_t>(split.records - 1) / static_cast<std::uint64_t>(split.domain) >= owners)
        throw std::invalid_argument("the domains do not cover the records");
}

std::vector<std::int64_t> no_starts(const DomainSplit& split) {
    return std::vector<std::int64_t>(static_cast<std::size_t>(split.rounds() * split.buckets_per_round()) +
                                     1);
}

template <class Position>
void make_room(Buckets<Position>& buckets) {
    for (std::size_t b = 1; b < buckets.starts.size(); ++b) buckets.starts[b] += buckets.starts[b - 1];
    const auto count = static_cast<std::size_t>(buckets.starts.back());
    buckets.order.resize(count);
    buckets.place.resize(count);
}

// Buckets with room for every record whose bit is set.
template <class Position>
Buckets<Position> room_for_live(const Parts<Position>& parts, const DomainSplit& split,
                                std::span<const std::uint64_t> live) {
    Buckets<Position> result{{}, {}, no_starts(split)};
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto [first, end] = split.part(part);
        result.starts[parts[part].bucket + 1] += count_bits(live, first, end);
    }
    make_room(result);
    return result;
}

// Puts into `kept`, without a branch, which of the entries [begin, end) name a live bit, the last first; each
// clears its bit, unless no other can name it. Every index lies within the bits, and `kept` has room for all.
template <bool EachOnce, class Position>
std::size_t take_live(std::span<const Position> indices, std::size_t begin, std::size_t end,
                      std::span<std::uint64_t> live, Position* kept) {
    std::size_t count = 0;
    for (std::size_t k = end; k-- > begin;) {
        const auto bit = static_cast<std::uint64_t>(indices[k]);
        const std::uint64_t word = live[bit / 64];
        kept[count] = static_cast<Position>(k);
        count += (word >> (bit % 64)) & 1;
        if constexpr (!EachOnce) live[bit / 64] = word & ~(std::uint64_t{1} << (bit % 64));
    }
    return count;
}

}  // namespace

template <class Position>
Buckets<Position> resolve_into_buckets(std::span<const Position> indices, std::span<std::uint64_t> live,
                                       bool each_once, const DomainSplit& split) {
    refuse_split(split);
    if (live.size() * 64 < static_cast<std::size_t>(split.records))
        throw std::out_of_range("expected a bit for every record");
    if (std::any_of(split.segments.begin(), split.segments.end(),
                    [](std::int32_t segment) { return segment < 0; }))
        throw std::invalid_argument("expected owners that share memory");
    const Parts<Position> parts(split);
    Buckets<Position> result = room_for_live(parts, split, live);
    std::vector<std::int64_t> next(result.starts.begin() + 1, result.starts.end());  // filled from behind
    const bool all =
        result.order.size() == indices.size();  // as many live records as claims: each has its own
    constexpr std::size_t block = 2048;         // entries whose survivors stay in the first-level cache
    std::array<Position, block> kept;
    for (std::size_t end = indices.size(); end > 0;) {
        const std::size_t begin = end > block ? end - block : 0;
        refuse_outside(indices.subspan(begin, end - begin), static_cast<std::size_t>(split.records));
        const std::size_t count = all         ? end - begin
                                  : each_once ? take_live<true>(indices, begin, end, live, kept.data())
                                              : take_live<false>(indices, begin, end, live, kept.data());
        for (std::size_t k = 0; k < count; ++k) {
            const Position entry = all ? static_cast<Position>(end - 1 - k) : kept[k];
            const Position index = indices[static_cast<std::size_t>(entry)];
            const auto& part = parts.of(index);
            const auto at = static_cast<std::size_t>(--next[part.bucket]);
            if (at >= result.order.size()) throw std::invalid_argument(foreign_bit);
            result.order[at] = entry;
            result.place[at] = static_cast<Position>(index - part.shift);
        }
        end = begin;
    }
    for (std::size_t b = 0; b < next.size(); ++b)
        if (next[b] != result.starts[b]) throw std::invalid_argument(foreign_bit);
    return result;
}

namespace {

// As std::popcount, which is a call to a library where the compiler may not assume the instruction.
std::int64_t ones_in(std::uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555U;
    word = (word & 0x3333333333333333U) + ((word >> 2) & 0x3333333333333333U);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return static_cast<std::int64_t>((word * 0x0101010101010101U) >> 56);
}

// The places of all live records from `first` to `end`, from entry `at` on; one past the last entry.
template <class Position>
std::int64_t list_places(std::span<const std::uint64_t> live, std::int64_t first, std::int64_t end,
                         Position shift, LargeVector<Position>& places, std::int64_t at) {
    for (std::int64_t word = first / 64; word * 64 < end; ++word) {
        std::uint64_t open = live[static_cast<std::size_t>(word)];
        if (word * 64 < first) open &= ~std::uint64_t{0} << (first % 64);
        if (end - word * 64 < 64) open &= (std::uint64_t{1} << (end % 64)) - 1;
        for (; open != 0; open &= open - 1)
            places[static_cast<std::size_t>(at++)] =
                static_cast<Position>(word * 64 + std::countr_zero(open) - shift);
    }
    return at;
}

}  // namespace

template <class Position>
Buckets<Position> sort_into_buckets(std::span<const Position> indices, std::span<const std::uint64_t> live,
                                    const DomainSplit& split) {
    refuse_split(split);
    if (live.size() * 64 < static_cast<std::size_t>(split.records))
        throw std::out_of_range("expected a bit for every record");
    refuse_outside(indices, static_cast<std::size_t>(split.records));
    std::vector<Position> before(live.size());  // live records in all words before each
    for (std::size_t word = 1; word < live.size(); ++word)
        before[word] = static_cast<Position>(before[word - 1] + ones_in(live[word - 1]));
    const auto rank = [&](std::uint64_t record) {
        const std::uint64_t below = live[record / 64] & ((std::uint64_t{1} << (record % 64)) - 1);
        return static_cast<std::int64_t>(before[record / 64]) + ones_in(below);
    };
    const Parts<Position> parts(split);
    Buckets<Position> result = room_for_live(parts, split, live);
    // Several parts share a bucket, where their owners share our memory: each follows the one before.
    std::vector<std::int64_t> next(result.starts.begin(), result.starts.end() - 1), shift(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto [first, end] = split.part(part);
        if (first >= end) continue;
        std::int64_t& at = next[parts[part].bucket];
        shift[part] = at - rank(static_cast<std::uint64_t>(first));
        at = list_places(live, first, end, parts[part].shift, result.place, at);
    }
    std::fill(result.order.begin(), result.order.end(), Position{-1});
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const auto record = static_cast<std::uint64_t>(indices[k]);
        if (((live[record / 64] >> (record % 64)) & 1) == 0) continue;
        const std::size_t part = parts.number_of(indices[k]);
        const auto at = static_cast<std::size_t>(rank(record) + shift[part]);
        result.order[at] = static_cast<Position>(k);
    }
    if (std::find(result.order.begin(), result.order.end(), Position{-1}) != result.order.end())
        throw std::invalid_argument(foreign_bit);
    return result;
}

template <class Position>
Buckets<Position> bucket_records(std::span<const Position> indices, std::span<const Position> kept, bool all,
                                 const DomainSplit& split) {
    refuse_split(split);
    refuse_outside(indices, static_cast<std::size_t>(split.records));
    if (!all) refuse_outside(kept, indices.size());

    const std::size_t count = all ? indices.size() : kept.size();
    const Parts<Position> parts(split);
    Buckets<Position> result{{}, {}, no_starts(split)};
    const auto entry = [&](std::size_t k) { return all ? static_cast<Position>(k) : kept[k]; };
    const auto index_of = [&](std::size_t k) { return indices[static_cast<std::size_t>(entry(k))]; };
    for (std::size_t k = 0; k < count; ++k) ++result.starts[parts.of(index_of(k)).bucket + 1];
    make_room(result);
    std::vector<std::int64_t> next(result.starts.begin(), result.starts.end() - 1);
    for (std::size_t k = 0; k < count; ++k) {
        const auto& part = parts.of(index_of(k));
        const auto at = static_cast<std::size_t>(next[part.bucket]++);
        result.order[at] = entry(k);
        result.place[at] = static_cast<Position>(index_of(k) - part.shift);
    }
    return result;
}

#define STRIATE_INSTANTIATE(Position)                                                                       \
    template Buckets<Position> bucket_records(std::span<const Position>, std::span<const Position>, bool,   \
                                              const DomainSplit&);                                          \
    template Buckets<Position> resolve_into_buckets(std::span<const Position>, std::span<std::uint64_t>,    \
                                                    bool, const DomainSplit&);                              \
    template Buckets<Position> sort_into_buckets(std::span<const Position>, std::span<const std::uint64_t>, \
                                                 const DomainSplit&);
STRIATE_INSTANTIATE(std::int32_t)
STRIATE_INSTANTIATE(std::int64_t)

}  // namespace striate
