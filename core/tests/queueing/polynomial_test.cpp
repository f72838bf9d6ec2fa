#include "striate/queueing/polynomial.hpp"

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("a polynomial by hand, in whole blocks and in the rest") {
    // 2 x^2 + 3 x + 4 at x = 2 is 18
    const std::vector<double> coefficients{2, 3, 4};
    for (const std::size_t count : {std::size_t{1}, std::size_t{64}, std::size_t{67}}) {
        const std::vector<double> places(count, 2.0);
        CHECK(striate::polynomial_sum(places, coefficients, 3) == 3 * 18.0 * static_cast<double>(count));
    }
}

TEST_CASE("nothing sums to nothing") { CHECK(striate::polynomial_sum({}, {}, 5) == 0); }
