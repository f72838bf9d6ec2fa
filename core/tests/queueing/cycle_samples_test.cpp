#include "striate/queueing/cycle_samples.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

std::vector<double> sorted(const striate::CycleNetwork& network, bool together,
                           std::int64_t samples = 40'000) {
    auto times = striate::cycle_samples(network, together, samples, 100'000'000, [] {});
    std::sort(times.begin(), times.end());
    return times;
}

double mean(const std::vector<double>& times) {
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

double share_below(const std::vector<double>& times, double seconds) {
    const auto below = std::lower_bound(times.begin(), times.end(), seconds) - times.begin();
    return static_cast<double>(below) / static_cast<double>(times.size());
}

}  // namespace

TEST_CASE("the longest of three delays of 1 s has the law (1 - exp(-t))^3") {
    const auto times = sorted({3, 1, 1, 0, 0, 1, false}, true);
    for (const double t : {0.5, 1.0, 2.0, 4.0})
        CHECK(std::abs(share_below(times, t) - std::pow(1 - std::exp(-t), 3)) < 0.01);
}

TEST_CASE("two jobs of one burst each take 3 s together where delay and bus take 1 s") {
    // As in the test of fixed loops: 1/2 + 1/2 + 2 = 3.
    CHECK(std::abs(mean(sorted({2, 1, 1, 1, 0, 1, false}, true)) - 3) < 0.05);
}

TEST_CASE("one job alone waits for nobody: n (z + x) + y, and a fixed number of loops spreads less") {
    const auto geometric = sorted({1, 1, 1, 1, 2, 5, false}, false);
    const auto fixed = sorted({1, 1, 1, 1, 2, 5, true}, false);
    CHECK(std::abs(mean(geometric) - 12) < 0.15);
    CHECK(std::abs(mean(fixed) - 12) < 0.15);
    CHECK(share_below(fixed, 6) < share_below(geometric, 6));
}

TEST_CASE("two jobs that share a disk have a mean cycle by mean value analysis, and none with a disk each") {
    // Delay 1 s, disk 1 s: R(2) = 1 (1 + Q(1)), Q(1) = 1 / (1 + 1) = 0.5, so a cycle of 1 + 1.5 s.
    CHECK(std::abs(mean(sorted({2, 1, 1, 0, 1, 1, false}, false)) - 2.5) < 0.03);
    CHECK(std::abs(mean(sorted({2, 2, 1, 0, 1, 1, false}, false)) - 2.0) < 0.03);
}

TEST_CASE("the same network gives the same times, and one that takes too long fewer of them") {
    const striate::CycleNetwork network{4, 1, 1, 0.2, 0.5, 3, false};
    CHECK(sorted(network, false) == sorted(network, false));
    CHECK(striate::cycle_samples(network, false, 40'000, 5000, [] {}).size() < 2000);
}

TEST_CASE("no jobs, no disks and no loops are refused") {
    CHECK_THROWS_AS((void)sorted({0, 1, 1, 1, 1, 1, false}, true), std::invalid_argument);
    CHECK_THROWS_AS((void)sorted({1, 0, 1, 1, 1, 1, false}, true), std::invalid_argument);
    CHECK_THROWS_AS((void)sorted({1, 1, 1, 1, 1, 0.5, false}, true), std::invalid_argument);
}
