// Eight doubles at a time, on whatever vector unit the machine has; every width gives the same bits.
#pragma once

#include <cstddef>

namespace striate {

inline constexpr std::size_t lane_count = 8;

using Lanes = double __attribute__((vector_size(lane_count * sizeof(double))));

// Lanes in memory: a bare vector type loses its alignment as the argument of a template such as std::vector.
struct alignas(lane_count * sizeof(double)) Stored {
    Lanes value{};
};

}  // namespace striate

// Compiles a function once per vector width and picks at load time. No fused multiply-add is ever formed
// (-ffp-contract=off), so the choice changes the speed alone.
#if defined(__x86_64__) && defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
#define STRIATE_EVERY_WIDTH __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STRIATE_EVERY_WIDTH
#endif
