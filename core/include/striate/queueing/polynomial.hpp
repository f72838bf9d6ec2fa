// Evaluates a polynomial at many places: arithmetic from cache, to measure how fast a processor computes.
#pragma once

#include <cstdint>
#include <span>

namespace striate {

// Sum over `places` of the polynomial with these coefficients, highest power first, `passes` times over; two
// operations a coefficient, place and pass. The result is there to be used, so that nothing is left out.
[[nodiscard]] double polynomial_sum(std::span<const double> places, std::span<const double> coefficients,
                                    std::int64_t passes);

}  // namespace striate
