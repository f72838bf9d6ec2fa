// Any layout over whole columns of bytes: where each lives, which it was, and how byte runs fall into strips.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "striate/layout/place.hpp"

#include "striate/refusal.hpp"

namespace striate {

// Clears the sign of an offset that will be refused, so that no table is read outside.
inline constexpr std::int64_t file_offset = std::numeric_limits<std::int64_t>::max();

// False when some byte has no place: an offset below zero, or a place beyond 63 bits (then `nowhere`).
template <class Layout>
[[nodiscard]] bool locate(const Layout& layout, std::span<const std::int64_t> offsets,
                          std::span<std::int64_t> servers, std::span<std::int64_t> physical) {
    std::int64_t* __restrict server = servers.data();  // not the layout's own numbers: they stay in registers
    std::int64_t* __restrict place_on_server = physical.data();
    std::int64_t signs = 0;
    for (std::size_t byte = 0; byte < offsets.size(); ++byte) {
        const Place place = layout.locate(offsets[byte] & file_offset);
        signs |= offsets[byte] | place.physical;
        server[byte] = place.server;
        place_on_server[byte] = place.physical;
    }
    return signs >= 0;
}

// False when some place holds no byte (then `nowhere`), or there is no such server.
template <class Layout>
[[nodiscard]] bool logical(const Layout& layout, std::span<const std::int64_t> servers,
                           std::span<const std::int64_t> physical, std::span<std::int64_t> offsets) {
    std::int64_t signs = 0;
    for (std::size_t byte = 0; byte < servers.size(); ++byte) {
        const bool exists = servers[byte] >= 0 && servers[byte] < layout.servers() && physical[byte] >= 0;
        offsets[byte] = exists ? layout.logical(servers[byte], physical[byte]) : nowhere;
        signs |= offsets[byte];
    }
    return signs >= 0;
}

// False when some offset is below zero.
template <class Layout>
[[nodiscard]] bool run_length(const Layout& layout, std::span<const std::int64_t> offsets,
                              std::span<std::int64_t> lengths) {
    std::int64_t signs = 0;
    for (std::size_t byte = 0; byte < offsets.size(); ++byte) {
        signs |= offsets[byte];
        lengths[byte] = layout.run_length(offsets[byte] & file_offset);
    }
    return signs >= 0;
}

// False when some offset is below zero.
template <class Layout>
[[nodiscard]] bool strip_number(const Layout& layout, std::span<const std::int64_t> offsets,
                                std::span<std::int64_t> numbers) {
    std::int64_t signs = 0;
    for (std::size_t byte = 0; byte < offsets.size(); ++byte) {
        signs |= offsets[byte];
        numbers[byte] = layout.strip_number(offsets[byte] & file_offset);
    }
    return signs >= 0;
}

// False when some size is below zero, or there is no such server.
template <class Layout>
[[nodiscard]] bool physical_size(const Layout& layout, std::span<const std::int64_t> servers,
                                 std::span<const std::int64_t> sizes, std::span<std::int64_t> lengths) {
    std::int64_t signs = 0;
    for (std::size_t row = 0; row < servers.size(); ++row) {
        const bool exists = servers[row] >= 0 && servers[row] < layout.servers() && sizes[row] >= 0;
        lengths[row] = exists ? layout.physical_size(servers[row], sizes[row]) : nowhere;
        signs |= lengths[row];
    }
    return signs >= 0;
}

// Byte runs cut where they change strips: piece i is part of run `run[i]`.
struct Pieces {
    std::vector<std::int64_t> run;
    std::vector<std::int64_t> server;
    std::vector<std::int64_t> physical;
    std::vector<std::int64_t> offset;
    std::vector<std::int64_t> size;
};

// How many pieces the runs fall into. Throws std::length_error beyond `most`.
template <class Layout>
[[nodiscard]] std::size_t count_pieces(const Layout& layout, std::span<const std::int64_t> offsets,
                                       std::span<const std::int64_t> sizes, std::size_t most) {
    std::size_t total = 0;
    for (std::size_t run = 0; run < offsets.size(); ++run) {
        if (sizes[run] < 1) continue;
        const std::int64_t last = layout.strip_number(offsets[run] + (sizes[run] - 1));
        total += static_cast<std::size_t>(last - layout.strip_number(offsets[run])) + 1;
        if (total > most) throw Refusal(Reason::too_many_pieces);
    }
    return total;
}

// Runs must lie within 63 bits. Throws std::length_error beyond `most` pieces, before any is made.
template <class Layout>
[[nodiscard]] Pieces split(const Layout& layout, std::span<const std::int64_t> offsets,
                           std::span<const std::int64_t> sizes, std::size_t most) {
    const std::size_t count = count_pieces(layout, offsets, sizes, most);
    Pieces pieces;
    for (auto* column : {&pieces.run, &pieces.server, &pieces.physical, &pieces.offset, &pieces.size}) {
        column->resize(count);
    }
    std::size_t piece = 0;
    for (std::size_t run = 0; run < offsets.size(); ++run) {
        std::int64_t offset = offsets[run];
        for (std::int64_t left = sizes[run]; left > 0; ++piece) {
            const Place place = layout.locate(offset);
            const std::int64_t size = std::min(left, layout.run_length(offset));
            pieces.run[piece] = static_cast<std::int64_t>(run);
            pieces.server[piece] = place.server;
            pieces.physical[piece] = place.physical;
            pieces.offset[piece] = offset;
            pieces.size[piece] = size;
            offset += size;
            left -= size;
        }
    }
    if (piece != count) throw std::logic_error("a split made other pieces than it counted");
    return pieces;
}

}  // namespace striate
