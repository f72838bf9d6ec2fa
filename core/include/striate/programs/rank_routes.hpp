// How fast and how far two ranks are from each other while nobody else is in flight.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "striate/network/routes.hpp"
#include "striate/programs/ledger.hpp"

namespace striate {

using Wide = __int128;  // sums of picoseconds: a million ranks for a century still fit

// The route of a message that meets nobody.
struct RankRoute {
    double bandwidth;
    std::int64_t latency;

    [[nodiscard]] Wide transfer(std::int64_t bytes) const;
};

// Repeated pairs of components are looked up.
class RankRoutes {
  public:
    explicit RankRoutes(const LedgerInput& input);

    [[nodiscard]] const RankRoute& between(std::int64_t from, std::int64_t to);

  private:
    [[nodiscard]] RankRoute measure(std::int32_t start, std::int32_t goal, std::int64_t from,
                                    std::int64_t to);

    const LedgerInput& in_;
    Routes routes_;
    std::vector<std::int32_t> edges_;
    std::unordered_map<std::uint64_t, RankRoute> measured_;
    std::uint64_t last_key_ = ~std::uint64_t{0};
    RankRoute last_route_{};
};

}  // namespace striate
