#include "striate/layout/stripe.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

using striate::StripeLoad;

TEST_CASE("a run inside one strip loads one server") {
    StripeLoad load(100, 3);
    load.add(110, 50, 1);  // strip 1 = [100, 200) lives on server 1
    CHECK((load.bytes() == std::vector<std::int64_t>{0, 50, 0}));
    CHECK((load.requests() == std::vector<std::int64_t>{0, 1, 0}));
}

TEST_CASE("a long run gives head, whole strips and tail, one request per server") {
    StripeLoad load(100, 3);
    load.add(50, 700, 2);  // strips 0..7: head 50 on 0, strips 1..6 whole, tail 50 on 7 % 3 = 1
    CHECK((load.bytes() == std::vector<std::int64_t>{2 * (50 + 200), 2 * (200 + 50), 2 * 200}));
    CHECK((load.requests() == std::vector<std::int64_t>{2, 2, 2}));
}

TEST_CASE("the last byte of a 63-bit file has a place") {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    StripeLoad load(1 << 16, 7);
    load.add(largest - 10, 10, 1);
    const auto bytes = load.bytes();
    CHECK(std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0}) == 10);
}

TEST_CASE("nonsense and overflow are refused") {
    CHECK_THROWS(StripeLoad(0, 1));
    CHECK_THROWS(StripeLoad(1, 0));
    CHECK_THROWS(StripeLoad(std::int64_t{1} << 62, 4));
    StripeLoad load(1 << 16, 7);
    CHECK_THROWS(load.add(0, std::int64_t{1} << 62, 4));
}
