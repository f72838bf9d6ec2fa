// Lists of byte runs: put in order, joined, and combined as sets of bytes, at tens of millions of runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace striate {

// Columns in: run i is sizes[i] bytes from offsets[i], within 63 bits, in any order.
struct RunsView {
    std::span<const std::int64_t> offsets;
    std::span<const std::int64_t> sizes;
};

// Columns out.
struct Runs {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> sizes;
};

// By offset; runs that begin together keep their order.
[[nodiscard]] Runs sorted(const RunsView& runs);

// The same set of bytes as the fewest runs, in order: none empty, none touching.
[[nodiscard]] Runs merged(const RunsView& runs);

// Bytes of the first that are not in the second. Both must be merged, and so is the result.
[[nodiscard]] Runs difference(const RunsView& first, const RunsView& second);

}  // namespace striate
