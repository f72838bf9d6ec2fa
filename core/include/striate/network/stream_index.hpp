// Streams by a 64-bit key: a table without nodes, because streams come and go with almost every message.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace striate {

// Open addressing with linear probing; an entry that leaves moves its followers up, so that no marks stay.
class StreamIndex {
  public:
    static constexpr std::uint32_t nothing = 0xffffffff;

    [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
        const Entry& entry = entries_[place_of(key)];
        return entry.stream;
    }

    // Afterwards `find(key)` gives this stream.
    void set(std::uint64_t key, std::uint32_t stream) {
        const std::size_t place = place_of(key);
        if (entries_[place].stream != nothing) {
            entries_[place].stream = stream;
            return;
        }
        entries_[place] = {key, stream};
        if (++used_ * 2 > entries_.size()) grow();
    }

    void erase(std::uint64_t key) {
        std::size_t hole = place_of(key);
        if (entries_[hole].stream == nothing) return;
        --used_;
        entries_[hole].stream = nothing;
        for (std::size_t at = next(hole); entries_[at].stream != nothing; at = next(at)) {
            const std::size_t home = home_of(entries_[at].key);
            // Whether the hole lies between its home and its place, round the end of the table.
            if (((at - home) & mask()) < ((at - hole) & mask())) continue;
            entries_[hole] = entries_[at];
            entries_[at].stream = nothing;
            hole = at;
        }
    }

    [[nodiscard]] std::size_t size() const { return used_; }

  private:
    struct Entry {
        std::uint64_t key = 0;
        std::uint32_t stream = nothing;
    };

    [[nodiscard]] std::size_t mask() const { return entries_.size() - 1; }
    [[nodiscard]] std::size_t next(std::size_t place) const { return (place + 1) & mask(); }
    [[nodiscard]] std::size_t home_of(std::uint64_t key) const {
        return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15U >>
                                        (64 - std::countr_zero(entries_.size())));
    }
    // Of its entry, or the free one where it belongs.
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
        std::size_t place = home_of(key);
        while (entries_[place].stream != nothing && entries_[place].key != key) place = next(place);
        return place;
    }
    void grow() {
        std::vector<Entry> old(2 * entries_.size());
        old.swap(entries_);
        for (const Entry& entry : old) {
            if (entry.stream != nothing) entries_[place_of(entry.key)] = entry;
        }
    }

    std::vector<Entry> entries_{64};
    std::size_t used_ = 0;
};

}  // namespace striate
