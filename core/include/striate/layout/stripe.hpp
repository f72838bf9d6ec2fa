// What byte runs put on each server of a simple stripe, in constant time per run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/sweep.hpp"

namespace striate {

// Accumulates bytes and requests per server. A run counts as one request on every server it touches: the
// strips of one run on one server are neighbours in that server's own file.
class StripeLoad {
  public:
    // Throws std::invalid_argument unless both are positive and their product fits.
    StripeLoad(std::int64_t unit_bytes, std::int64_t servers);

    // Adds the run [offset, offset + size), `times` over. Throws std::overflow_error past 2^63 - 1 bytes in
    // all.
    void add(std::int64_t offset, std::int64_t size, std::int64_t times);

    // The same for every pass through the nested loops, stretch by stretch.
    void add_swept(std::int64_t offset, std::int64_t size, const SweptPeriod& loops, Pulse& pulse);

    // The loops around a run, outermost first.
    [[nodiscard]] SweptPeriod swept(std::span<const Sweep> loops) const;

    [[nodiscard]] std::vector<std::int64_t> bytes() const;
    [[nodiscard]] std::vector<std::int64_t> requests() const;

  private:
    void add(const Stretch& stretch, std::int64_t size);
    void spread(std::vector<std::int64_t>& steps, std::int64_t first, std::int64_t servers,
                std::int64_t amount) const;
    [[nodiscard]] std::vector<std::int64_t> summed(const std::vector<std::int64_t>& steps) const;

    std::int64_t unit_;
    std::int64_t servers_;
    SimpleStripe strips_;
    std::int64_t total_ = 0;
    std::int64_t every_server_bytes_ = 0;
    std::vector<std::int64_t> single_bytes_;   // added to one server
    std::vector<std::int64_t> byte_steps_;     // difference array: added to a range of servers
    std::vector<std::int64_t> request_steps_;  // the same for requests
};

}  // namespace striate
