#include "striate/network/rate.hpp"

#include <doctest/doctest.h>

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
