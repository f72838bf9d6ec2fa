// Where a byte of a file lives: a server, and a position in that server's own file.
#pragma once

#include <cstdint>
#include <limits>

namespace striate {

struct Place {
    std::int64_t server;
    std::int64_t physical;
};

// The answer for a byte that has no place, or a place that holds no byte within 63 bits.
inline constexpr std::int64_t nowhere = -1;

// base + step * count, or `nowhere` when it exceeds 2^63 - 1.
[[nodiscard]] inline std::int64_t sum_or_nowhere(std::int64_t base, std::int64_t step, std::int64_t count) {
    std::int64_t product = 0;
    std::int64_t sum = 0;
    if (__builtin_mul_overflow(step, count, &product) || __builtin_add_overflow(base, product, &sum))
        return nowhere;
    return sum;
}

[[nodiscard]] inline std::int64_t product_or_largest(std::int64_t left, std::int64_t right) {
    std::int64_t product = 0;
    const bool beyond = __builtin_mul_overflow(left, right, &product);
    return beyond ? std::numeric_limits<std::int64_t>::max() : product;
}

}  // namespace striate
