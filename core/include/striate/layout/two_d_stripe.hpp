// Two-dimensional stripe: the servers in groups; a stripe stays in one group for some rows, then moves to the
// next.
#pragma once

#include <cstdint>

#include "striate/layout/divider.hpp"
#include "striate/layout/place.hpp"

namespace striate {

// The last group takes the servers that do not divide evenly.
class TwoDStripe {
  public:
    // Throws std::invalid_argument unless all are positive, groups <= servers, and a round fits 63 bits.
    TwoDStripe(std::int64_t servers, std::int64_t unit_bytes, std::int64_t groups, std::int64_t factor);

    [[nodiscard]] std::int64_t servers() const { return servers_; }

    [[nodiscard]] Place locate(std::int64_t offset) const {
        const Spot spot = spot_of(offset);
        const Divider& by_members = members(spot.group);
        const std::int64_t strip = by_unit_.quotient(spot.within);
        const std::int64_t row = by_members.quotient(strip);
        const std::int64_t server = spot.group * small_ + by_members.remainder(strip, row);
        return {server, spot.round * share_ + row * unit() + by_unit_.remainder(spot.within, strip)};
    }

    [[nodiscard]] std::int64_t logical(std::int64_t server, std::int64_t physical) const;

    // Strips before this byte's: groups and rows are whole strips.
    [[nodiscard]] std::int64_t strip_number(std::int64_t offset) const { return by_unit_.quotient(offset); }

    // Bytes from here to the end of the strip.
    [[nodiscard]] std::int64_t run_length(std::int64_t offset) const {
        return unit() - by_unit_.remainder(spot_of(offset).within);
    }

    // Bytes that the server holds of the first `size` bytes of the file.
    [[nodiscard]] std::int64_t physical_size(std::int64_t server, std::int64_t size) const;

    // Bytes after which the servers come again in the same order.
    [[nodiscard]] std::int64_t period_bytes() const { return by_round_.divisor(); }

  private:
    struct Spot {
        std::int64_t round;
        std::int64_t group;
        std::int64_t within;  // bytes into the group's part of the round
    };

    [[nodiscard]] Spot spot_of(std::int64_t offset) const {
        const std::int64_t round = by_round_.quotient(offset);
        const std::int64_t rest = by_round_.remainder(offset, round);
        const std::int64_t ahead = by_group_.quotient(rest);
        const std::int64_t group = ahead < last_ ? ahead : last_;
        return {round, group, rest - group * by_group_.divisor()};
    }
    [[nodiscard]] std::int64_t unit() const { return by_unit_.divisor(); }
    [[nodiscard]] const Divider& members(std::int64_t group) const {
        return group == last_ ? by_last_ : by_small_;
    }
    [[nodiscard]] std::int64_t group_of(std::int64_t server) const {
        const std::int64_t group = by_small_.quotient(server);
        return group < last_ ? group : last_;
    }

    std::int64_t servers_;
    std::int64_t small_;  // servers in every group but the last
    std::int64_t last_;   // number of the last group
    std::int64_t share_;  // bytes of one server in a round
    Divider by_unit_;
    Divider by_share_{1};
    Divider by_round_{1};
    Divider by_group_{1};  // bytes of a group but the last in a round
    Divider by_small_{1};
    Divider by_last_{1};
};

}  // namespace striate
