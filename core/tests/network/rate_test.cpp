#include "striate/network/rate.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

using striate::Rounding;
using striate::service_ticks;

TEST_CASE("a packet's time is the exact quotient, rounded once") {
    // 48 B at 75,392,614 B/s = 636,667.1...e-12 s; 1 B at 3 B/s = 333,333,333,333.3 ps; 1 B at 8e11 B/s
    // = 1.25 ps.
    CHECK(service_ticks(48, 75392614, Rounding::nearest_picosecond) == 636667);
    CHECK(service_ticks(1, 3, Rounding::nearest_picosecond) == 333333333333);
    CHECK(service_ticks(1, 8e11, Rounding::nearest_picosecond) == 1);
    CHECK(service_ticks(3, 2e12, Rounding::nearest_picosecond) == 2);  // 1.5 ps: a half goes up
    CHECK(service_ticks(0, 1, Rounding::nearest_picosecond) == 0);
}

TEST_CASE("a division of few bits gives what the long one gives") {
    std::mt19937_64 draw(7);
    for (int turn = 0; turn < 20000; ++turn) {
        const auto bytes = static_cast<std::int64_t>(draw() >> (17 + draw() % 47));
        const double whole = static_cast<double>(1 + (draw() >> (17 + draw() % 46)));
        const double rate = turn % 2 == 0 ? whole : whole + 0.5 / static_cast<double>(1 << draw() % 15);
        const auto scaled = static_cast<std::uint64_t>(rate * 65536.0 + 0.5);
        const auto twice = static_cast<unsigned __int128>(static_cast<std::uint64_t>(bytes) << 17) *
                           std::uint64_t{1'000'000'000'000};
        const auto exact = (twice / scaled + 1) / 2;
        if (exact > static_cast<unsigned __int128>(std::int64_t{4'000'000} * 1'000'000'000'000)) continue;
        CHECK(service_ticks(bytes, rate, Rounding::nearest_picosecond) == static_cast<striate::Ticks>(exact));
    }
}

TEST_CASE("the old clock cuts to whole nanoseconds") {
    CHECK(service_ticks(48, 75392614, Rounding::truncated_nanoseconds) == 636000);
    CHECK(service_ticks(48, 42949672960, Rounding::truncated_nanoseconds) == 1000);  // 1.117 ns
    CHECK(service_ticks(5, 2, Rounding::truncated_nanoseconds) == 2500000000000);
}

TEST_CASE("a fraction of a byte per second counts") {
    CHECK(service_ticks(3, 1.5, Rounding::nearest_picosecond) == 2000000000000);
}

TEST_CASE("a rate that moves nothing is refused") {
    CHECK_THROWS(service_ticks(1, 0, Rounding::nearest_picosecond));
    CHECK_THROWS(service_ticks(1, -5, Rounding::truncated_nanoseconds));
    CHECK_THROWS(service_ticks(-1, 5, Rounding::nearest_picosecond));
}

TEST_CASE("a job takes its instructions over their rate") {
    CHECK(striate::job_ticks(3, 2.66e9) == 1128);
    CHECK(striate::job_ticks(2660000000, 2.66e9) == 1000000000000);
    CHECK_THROWS(striate::job_ticks(1, 0));
}
