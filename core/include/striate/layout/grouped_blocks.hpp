// Grouped blocks: every process's domain is cut into as many equal blocks as the group factor says, and the
// blocks of all domains are dealt to the servers in turn (paper 002, section 3.3).
#pragma once

#include <cstdint>
#include <numeric>

#include "striate/layout/divider.hpp"
#include "striate/layout/place.hpp"

namespace striate {

// A block takes a slot of ceil(domain / factor) bytes, rounded up to the alignment; the end of a slot that
// the domain does not fill is padding, which holds no byte of the file.
class GroupedBlocks {
  public:
    // Throws std::invalid_argument unless all are positive, factor <= servers and factor <= domain_bytes.
    GroupedBlocks(std::int64_t servers, std::int64_t domain_bytes, std::int64_t factor,
                  std::int64_t alignment);

    [[nodiscard]] std::int64_t servers() const { return by_servers_.divisor(); }
    [[nodiscard]] std::int64_t block_bytes() const { return by_block_.divisor(); }

    [[nodiscard]] Place locate(std::int64_t offset) const {
        const std::int64_t domain = by_domain_.quotient(offset);
        const std::int64_t within = by_domain_.remainder(offset, domain);
        const std::int64_t part = by_block_.quotient(within);
        const std::int64_t block = domain * by_factor_.divisor() + part;
        const std::int64_t slot = by_servers_.quotient(block);
        const std::int64_t inside = by_block_.remainder(within, part);
        return {by_servers_.remainder(block, slot), sum_or_nowhere(inside, slot, block_bytes())};
    }

    // `nowhere` for padding, too.
    [[nodiscard]] std::int64_t logical(std::int64_t server, std::int64_t physical) const;

    // Blocks with bytes before this byte's.
    [[nodiscard]] std::int64_t strip_number(std::int64_t offset) const {
        const std::int64_t domain = by_domain_.quotient(offset);
        const std::int64_t filled_parts = by_block_.quotient(by_domain_.divisor() - 1) + 1;
        return domain * filled_parts + by_block_.quotient(by_domain_.remainder(offset, domain));
    }

    // Bytes from here to the end of the block.
    [[nodiscard]] std::int64_t run_length(std::int64_t offset) const {
        const std::int64_t within = by_domain_.remainder(offset);
        const std::int64_t in_block = block_bytes() - by_block_.remainder(within);
        const std::int64_t in_domain = by_domain_.divisor() - within;
        return in_block < in_domain ? in_block : in_domain;
    }

    // One past the last byte that the server holds of the first `size` bytes of the file: padding before it
    // counts.
    [[nodiscard]] std::int64_t physical_size(std::int64_t server, std::int64_t size) const;

    // Bytes after which the servers come again in the same order; the largest number where those are more.
    [[nodiscard]] std::int64_t period_bytes() const {
        const std::int64_t domains = servers() / std::gcd(servers(), by_factor_.divisor());
        return product_or_largest(by_domain_.divisor(), domains);
    }

  private:
    Divider by_servers_;
    Divider by_domain_;
    Divider by_factor_;
    Divider by_block_{1};
};

}  // namespace striate
