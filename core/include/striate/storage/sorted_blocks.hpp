// Values in order, in blocks of neighbours: what a set does, without a node per value.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace striate {

// Adding and erasing cost a search and a move inside one block. A place is good until the next change.
template <class Value>
class SortedBlocks {
  public:
    struct Place {
        std::size_t block, at;
        friend bool operator==(const Place&, const Place&) = default;
    };

    [[nodiscard]] bool empty() const { return blocks_.empty(); }
    [[nodiscard]] Place begin() const { return {0, 0}; }
    [[nodiscard]] Place end() const { return {blocks_.size(), 0}; }
    [[nodiscard]] const Value& operator[](const Place& place) const { return blocks_[place.block][place.at]; }

    // The first value that is not less.
    [[nodiscard]] Place lower_bound(const Value& value) const {
        const auto block =
            std::partition_point(blocks_.begin(), blocks_.end(),
                                 [&](const std::vector<Value>& one) { return one.back() < value; });
        if (block == blocks_.end()) return end();
        const auto at = std::lower_bound(block->begin(), block->end(), value);
        return {static_cast<std::size_t>(block - blocks_.begin()),
                static_cast<std::size_t>(at - block->begin())};
    }

    void insert(const Value& value) {
        Place place = lower_bound(value);
        if (place == end()) {
            if (blocks_.empty() || blocks_.back().size() == most) blocks_.emplace_back().reserve(most);
            return blocks_.back().push_back(value);
        }
        if (blocks_[place.block].size() == most) {
            halve(place.block);
            place = lower_bound(value);
        }
        std::vector<Value>& block = blocks_[place.block];
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(place.at), value);
    }

    // The place of the value behind it.
    Place erase(const Place& place) {
        std::vector<Value>& block = blocks_[place.block];
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(place.at));
        if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(place.block));
        const bool inside = place.block < blocks_.size() && place.at < blocks_[place.block].size();
        return inside || place.block == blocks_.size() ? place : Place{place.block + 1, 0};
    }

  private:
    static constexpr std::size_t most = 64;

    void halve(std::size_t which) {
        const auto here = blocks_.begin() + static_cast<std::ptrdiff_t>(which);
        std::vector<Value> later;
        later.reserve(most);
        later.assign(here->begin() + most / 2, here->end());
        here->resize(most / 2);
        blocks_.insert(here + 1, std::move(later));
    }

    std::deque<std::vector<Value>> blocks_;  // none is empty
};

}  // namespace striate
