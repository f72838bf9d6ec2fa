#include "striate/layout/two_d_stripe.hpp"

#include <stdexcept>

namespace striate {

TwoDStripe::TwoDStripe(std::int64_t servers, std::int64_t unit_bytes, std::int64_t groups,
                       std::int64_t factor)
    : servers_(servers), small_(0), last_(groups - 1), share_(0), by_unit_(unit_bytes) {
    if (servers < 1 || groups < 1 || factor < 1)
        throw std::invalid_argument("servers, groups and factor must be positive");
    if (groups > servers) throw std::invalid_argument("more groups than servers");
    std::int64_t round_bytes = 0;
    if (__builtin_mul_overflow(unit_bytes, factor, &share_) ||
        __builtin_mul_overflow(share_, servers, &round_bytes)) {
        throw std::invalid_argument("a round of the stripe exceeds 2^63 - 1 bytes");
    }
    small_ = servers / groups;
    by_share_ = Divider(share_);
    by_round_ = Divider(round_bytes);
    by_group_ = Divider(small_ * share_);
    by_small_ = Divider(small_);
    by_last_ = Divider(servers - last_ * small_);
}

std::int64_t TwoDStripe::logical(std::int64_t server, std::int64_t physical) const {
    const std::int64_t group = group_of(server);
    const std::int64_t round = by_share_.quotient(physical);
    const std::int64_t within = by_share_.remainder(physical, round);
    const std::int64_t row = by_unit_.quotient(within);
    const std::int64_t strip = row * members(group).divisor() + (server - group * small_);
    const std::int64_t rest = group * by_group_.divisor() + strip * unit() + by_unit_.remainder(within, row);
    return sum_or_nowhere(rest, round, by_round_.divisor());
}

std::int64_t TwoDStripe::physical_size(std::int64_t server, std::int64_t size) const {
    const Spot spot = spot_of(size);
    const std::int64_t whole_rounds = spot.round * share_;
    const std::int64_t group = group_of(server);
    if (group != spot.group) return whole_rounds + (group < spot.group ? share_ : 0);
    const Divider& by_members = members(group);
    const std::int64_t strip = by_unit_.quotient(spot.within);
    const std::int64_t row = by_members.quotient(strip);
    const std::int64_t column = by_members.remainder(strip, row);
    const std::int64_t own = server - group * small_;
    const std::int64_t partial = own == column ? by_unit_.remainder(spot.within, strip) : 0;
    return whole_rounds + row * unit() + (own < column ? unit() : partial);
}

}  // namespace striate
