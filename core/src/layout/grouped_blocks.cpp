#include "striate/layout/grouped_blocks.hpp"

#include <algorithm>
#include <stdexcept>

namespace striate {

GroupedBlocks::GroupedBlocks(std::int64_t servers, std::int64_t domain_bytes, std::int64_t factor,
                             std::int64_t alignment)
    : by_servers_(servers), by_domain_(domain_bytes), by_factor_(factor) {
    if (alignment < 1) throw std::invalid_argument("the alignment must be positive");
    if (factor > servers) throw std::invalid_argument("the group factor exceeds the number of servers");
    if (factor > domain_bytes) throw std::invalid_argument("a domain has fewer bytes than blocks");
    const std::int64_t least = (domain_bytes - 1) / factor + 1;
    const std::int64_t slot = sum_or_nowhere(0, (least - 1) / alignment + 1, alignment);
    if (slot == nowhere) throw std::invalid_argument("an aligned block exceeds 2^63 - 1 bytes");
    by_block_ = Divider(slot);
}

std::int64_t GroupedBlocks::logical(std::int64_t server, std::int64_t physical) const {
    const std::int64_t slot = by_block_.quotient(physical);
    const std::int64_t block = sum_or_nowhere(server, slot, servers());
    if (block == nowhere) return nowhere;
    const std::int64_t domain = by_factor_.quotient(block);
    const std::int64_t part = by_factor_.remainder(block, domain);
    const std::int64_t within = sum_or_nowhere(by_block_.remainder(physical, slot), part, block_bytes());
    if (within == nowhere || within >= by_domain_.divisor()) return nowhere;
    return sum_or_nowhere(within, domain, by_domain_.divisor());
}

std::int64_t GroupedBlocks::physical_size(std::int64_t server, std::int64_t size) const {
    const std::int64_t factor = by_factor_.divisor();
    const std::int64_t domain = by_domain_.quotient(size);
    const std::int64_t within = by_domain_.remainder(size, domain);
    const std::int64_t started = within == 0 ? 0 : by_block_.quotient(within - 1) + 1;
    // The server's last block among those that begin before `size`; blocks beyond the domain's end are empty,
    // and within `factor` of the server's blocks every reachable part comes up once.
    std::int64_t block = domain * factor + started - 1;
    if (block < server) return 0;
    block -= by_servers_.remainder(block - server);
    for (std::int64_t tried = 0; tried < factor && block >= 0; ++tried, block -= servers()) {
        const std::int64_t owner = by_factor_.quotient(block);
        const std::int64_t part = by_factor_.remainder(block, owner);
        if (part > by_block_.quotient(by_domain_.divisor() - 1)) continue;
        const std::int64_t start_within = part * block_bytes();
        const std::int64_t start = owner * by_domain_.divisor() + start_within;
        const std::int64_t filled =
            std::min({block_bytes(), by_domain_.divisor() - start_within, size - start});
        return sum_or_nowhere(filled, by_servers_.quotient(block), block_bytes());
    }
    return 0;
}

}  // namespace striate
