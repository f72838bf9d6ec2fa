// Variable strips: a round of strips of chosen sizes on chosen servers, repeated for ever.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/layout/divider.hpp"
#include "striate/layout/place.hpp"

namespace striate {

class VarStrip {
  public:
    // Strip i of every round has sizes[i] bytes on servers[i]. Throws std::invalid_argument unless every size
    // is positive, every server from 0 to the highest has a strip, and a round fits 63 bits.
    VarStrip(std::span<const std::int64_t> servers, std::span<const std::int64_t> sizes);

    [[nodiscard]] std::int64_t servers() const { return static_cast<std::int64_t>(shares_.size()); }

    [[nodiscard]] Place locate(std::int64_t offset) const {
        const std::int64_t round = by_round_.quotient(offset);
        const std::int64_t within = by_round_.remainder(offset, round);
        const Strip& strip = strips_[strip_of(within)];
        return {strip.server, round * strip.share + strip.before + (within - strip.start)};
    }

    [[nodiscard]] std::int64_t logical(std::int64_t server, std::int64_t physical) const;

    // Strips before this byte's.
    [[nodiscard]] std::int64_t strip_number(std::int64_t offset) const {
        const std::int64_t round = by_round_.quotient(offset);
        const auto strip = static_cast<std::int64_t>(strip_of(by_round_.remainder(offset, round)));
        return round * static_cast<std::int64_t>(strips_.size()) + strip;
    }

    // Bytes from here to the end of the strip.
    [[nodiscard]] std::int64_t run_length(std::int64_t offset) const {
        const std::int64_t within = by_round_.remainder(offset);
        const std::size_t strip = strip_of(within);
        return starts_[strip + 1] - within;
    }

    // Bytes that the server holds of the first `size` bytes of the file.
    [[nodiscard]] std::int64_t physical_size(std::int64_t server, std::int64_t size) const;

    // Bytes after which the servers come again in the same order.
    [[nodiscard]] std::int64_t period_bytes() const { return by_round_.divisor(); }

  private:
    struct Strip {
        std::int64_t start;   // in the round
        std::int64_t before;  // bytes of the same server earlier in the round
        std::int64_t share;   // bytes of this server in a whole round
        std::int64_t server;
    };
    struct Share {
        Divider by_bytes;                 // what the server takes of a round
        std::vector<std::size_t> strips;  // its strips, in order
    };

    // The strip that holds byte `within` of a round: the bucket narrows it to a few, bisection finds it.
    [[nodiscard]] std::size_t strip_of(std::int64_t within) const {
        const auto bucket = static_cast<std::size_t>(within >> bucket_shift_);
        std::size_t low = buckets_[bucket];
        std::size_t high = buckets_[bucket + 1];
        while (low < high) {
            const std::size_t middle = (low + high + 1) / 2;
            if (starts_[middle] <= within) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    void fill_buckets();

    Divider by_round_{1};
    std::vector<Strip> strips_;
    std::vector<std::int64_t> starts_;  // of every strip, then the length of the round
    std::vector<std::uint32_t>
        buckets_;  // the strip at the first byte of every 2^shift bytes, and the last strip
    int bucket_shift_ = 0;
    std::vector<Share> shares_;  // one per server
};

}  // namespace striate
