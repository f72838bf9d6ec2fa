#include "striate/programs/volume.hpp"

#include <algorithm>
#include <bit>

namespace striate {

namespace {

std::int64_t rounds(std::int64_t size) {  // ceil(log2(size))
    return size <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(size - 1));
}

// The subtree of position v in a binomial tree over `size`: v itself and all that hang below it.
std::int64_t subtree(std::int64_t v, std::int64_t size) { return v == 0 ? size : std::min(v & -v, size - v); }

// Children of v: v + 1, v + 2, v + 4, ... inside its subtree.
std::int64_t children(std::int64_t v, std::int64_t size) { return rounds(subtree(v, size)); }

Volume down_tree(std::int64_t v, std::int64_t size, std::int64_t bytes) {
    return {children(v, size) * bytes, v ? bytes : 0, v ? 1 : 0};
}

Volume up_tree(std::int64_t v, std::int64_t size, std::int64_t bytes) {
    return {v ? bytes : 0, children(v, size) * bytes, children(v, size)};
}

}  // namespace

Volume volume_of(Kind kind, std::int64_t size, std::int64_t position, std::int64_t root, std::int64_t bytes) {
    if (size <= 1) return {};
    const std::int64_t v = (position - root + size) % size;
    const std::int64_t others = size - 1;
    const std::int64_t below = (subtree(v, size) - 1) * bytes;
    switch (kind) {
        case Kind::barrier:
            return {0, 0, rounds(size)};
        case Kind::bcast:
            return down_tree(v, size, bytes);
        case Kind::reduce:
            return up_tree(v, size, bytes);
        case Kind::gather:
            return {v ? below + bytes : 0, below, children(v, size)};
        case Kind::scatter:
            return {below, v ? below + bytes : 0, v ? 1 : 0};
        case Kind::gatherv:
            return {v ? bytes : 0, 0, 0};  // straight to the root; the root's side is charged by the sender
        case Kind::scatterv:
            return {0, v ? bytes : 0, v ? 1 : 0};
        case Kind::allgather:
        case Kind::allgatherv:
        case Kind::alltoall:
            return {others * bytes, others * bytes, others};
        case Kind::scan:
            return {rounds(size) * bytes, rounds(size) * bytes, rounds(size)};
        case Kind::reduce_scatter:
            return {bytes / size * others, bytes / size * others, others};
        case Kind::allreduce: {
            if (bytes < reduce_scatter_from) {
                return {rounds(size) * bytes, rounds(size) * bytes, rounds(size)};
            }
            const std::int64_t halves = 2 * (bytes / size) * others;
            return {halves, halves, 2 * rounds(size)};
        }
        default:
            return {};
    }
}

}  // namespace striate
