#include "striate/layout/varstrip.hpp"

#include <algorithm>
#include <stdexcept>

namespace striate {

VarStrip::VarStrip(std::span<const std::int64_t> servers, std::span<const std::int64_t> sizes) {
    if (servers.empty() || servers.size() != sizes.size() || servers.size() >= UINT32_MAX) {
        throw std::invalid_argument("a round needs as many servers as sizes, and one at least");
    }
    const auto count = static_cast<std::int64_t>(servers.size());
    std::vector<std::int64_t> share_bytes;
    std::int64_t start = 0;
    for (std::size_t strip = 0; strip < sizes.size(); ++strip) {
        const std::int64_t server = servers[strip];
        if (server < 0 || server >= count) throw std::invalid_argument("a server between has no strip");
        if (sizes[strip] < 1) throw std::invalid_argument("a strip must have bytes");
        if (static_cast<std::size_t>(server) >= share_bytes.size())
            share_bytes.resize(static_cast<std::size_t>(server) + 1);
        std::int64_t& taken = share_bytes[static_cast<std::size_t>(server)];
        strips_.push_back({start, taken, 0, server});
        starts_.push_back(start);
        if (__builtin_add_overflow(start, sizes[strip], &start)) {
            throw std::invalid_argument("a round of strips exceeds 2^63 - 1 bytes");
        }
        taken += sizes[strip];
    }
    starts_.push_back(start);
    by_round_ = Divider(start);
    for (const std::int64_t bytes : share_bytes) {
        if (bytes == 0) throw std::invalid_argument("a server between has no strip");
        shares_.push_back({Divider(bytes), {}});
    }
    for (std::size_t strip = 0; strip < strips_.size(); ++strip) {
        const auto server = static_cast<std::size_t>(strips_[strip].server);
        strips_[strip].share = share_bytes[server];
        shares_[server].strips.push_back(strip);
    }
    fill_buckets();
}

void VarStrip::fill_buckets() {
    const std::int64_t last_byte = starts_.back() - 1;
    const auto wanted = static_cast<std::int64_t>(4 * strips_.size());
    while ((last_byte >> bucket_shift_) >= wanted) ++bucket_shift_;
    const auto count = static_cast<std::size_t>(last_byte >> bucket_shift_) + 1;
    std::size_t strip = 0;
    for (std::size_t bucket = 0; bucket < count; ++bucket) {
        const auto first = static_cast<std::int64_t>(bucket) << bucket_shift_;
        while (starts_[strip + 1] <= first) ++strip;
        buckets_.push_back(static_cast<std::uint32_t>(strip));
    }
    buckets_.push_back(static_cast<std::uint32_t>(strips_.size() - 1));
}

std::int64_t VarStrip::logical(std::int64_t server, std::int64_t physical) const {
    const Share& share = shares_[static_cast<std::size_t>(server)];
    const std::int64_t round = share.by_bytes.quotient(physical);
    const std::int64_t within = share.by_bytes.remainder(physical, round);
    const auto after = std::upper_bound(
        share.strips.begin(), share.strips.end(), within,
        [this](std::int64_t byte, std::size_t strip) { return byte < strips_[strip].before; });
    const Strip& strip = strips_[*(after - 1)];
    return sum_or_nowhere(strip.start + (within - strip.before), round, by_round_.divisor());
}

std::int64_t VarStrip::physical_size(std::int64_t server, std::int64_t size) const {
    const Share& share = shares_[static_cast<std::size_t>(server)];
    const std::int64_t round = by_round_.quotient(size);
    const std::int64_t within = by_round_.remainder(size, round);
    const std::int64_t whole_rounds = round * share.by_bytes.divisor();
    const auto after =
        std::upper_bound(share.strips.begin(), share.strips.end(), within,
                         [this](std::int64_t byte, std::size_t strip) { return byte < starts_[strip]; });
    if (after == share.strips.begin()) return whole_rounds;
    const std::size_t strip = *(after - 1);
    const std::int64_t filled = std::min(within, starts_[strip + 1]) - starts_[strip];
    return whole_rounds + strips_[strip].before + filled;
}

}  // namespace striate
