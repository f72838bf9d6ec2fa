// Simple stripe: equal strips dealt to the servers in turn.
#pragma once

#include <cstdint>

#include "striate/layout/divider.hpp"
#include "striate/layout/place.hpp"

namespace striate {

class SimpleStripe {
  public:
    // Throws std::invalid_argument unless both are positive.
    SimpleStripe(std::int64_t servers, std::int64_t unit_bytes)
        : by_servers_(servers), by_unit_(unit_bytes) {}

    [[nodiscard]] std::int64_t servers() const { return by_servers_.divisor(); }

    [[nodiscard]] Place locate(std::int64_t offset) const {
        const std::int64_t strip = by_unit_.quotient(offset);
        const std::int64_t row = by_servers_.quotient(strip);
        return {by_servers_.remainder(strip, row), row * unit() + by_unit_.remainder(offset, strip)};
    }

    [[nodiscard]] std::int64_t logical(std::int64_t server, std::int64_t physical) const {
        const std::int64_t row = by_unit_.quotient(physical);
        const std::int64_t strip = sum_or_nowhere(server, row, servers());
        if (strip == nowhere) return nowhere;
        return sum_or_nowhere(by_unit_.remainder(physical, row), strip, unit());
    }

    // Strips before this byte's.
    [[nodiscard]] std::int64_t strip_number(std::int64_t offset) const { return by_unit_.quotient(offset); }

    // Bytes from here to the end of the strip.
    [[nodiscard]] std::int64_t run_length(std::int64_t offset) const {
        return unit() - by_unit_.remainder(offset);
    }

    // Bytes that the server holds of the first `size` bytes of the file.
    [[nodiscard]] std::int64_t physical_size(std::int64_t server, std::int64_t size) const {
        const std::int64_t strip = by_unit_.quotient(size);
        const std::int64_t row = by_servers_.quotient(strip);
        const std::int64_t column = by_servers_.remainder(strip, row);
        const std::int64_t partial = server == column ? by_unit_.remainder(size, strip) : 0;
        return row * unit() + (server < column ? unit() : partial);
    }

    // Bytes after which the servers come again in the same order; the largest number where those are more.
    [[nodiscard]] std::int64_t period_bytes() const { return product_or_largest(unit(), servers()); }

  private:
    [[nodiscard]] std::int64_t unit() const { return by_unit_.divisor(); }

    Divider by_servers_;
    Divider by_unit_;
};

}  // namespace striate
