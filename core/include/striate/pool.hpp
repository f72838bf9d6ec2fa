// Objects by number: the numbers of those that are over are given again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace striate {

// The number of the value: that of the one freed last, else a new one.
template <class T>
[[nodiscard]] std::uint32_t take(std::vector<T>& pool, std::vector<std::uint32_t>& free, T value) {
    if (free.empty()) {
        pool.push_back(std::move(value));
        return static_cast<std::uint32_t>(pool.size() - 1);
    }
    const std::uint32_t place = free.back();
    free.pop_back();
    pool[place] = std::move(value);
    return place;
}

}  // namespace striate
