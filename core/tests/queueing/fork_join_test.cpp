#include "striate/queueing/fork_join.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace {

bool close(double found, double wanted) { return std::abs(found - wanted) <= 1e-13 * std::abs(wanted); }

double approximate(std::int64_t jobs, double delay, double bus, double loops) {
    const std::vector<std::int64_t> population{jobs};
    const std::vector<double> z{delay}, x{bus}, n{loops};
    return striate::fork_join_approximate({population, z, x, n})[0];
}

double exact(std::int64_t jobs, double delay, double bus, double loops) {
    const std::vector<std::int64_t> population{jobs};
    const std::vector<double> z{delay}, x{bus}, n{loops};
    return striate::fork_join_exact({population, z, x, n})[0];
}

}  // namespace

TEST_CASE("without a bus the last of K exponential jobs leaves after n z H_K") {
    const double harmonic = 1 + 1.0 / 2 + 1.0 / 3;
    CHECK(close(approximate(3, 0.5, 0, 4), 4 * 0.5 * harmonic));
    CHECK(close(exact(3, 0.5, 0, 4), 4 * 0.5 * harmonic));
}

TEST_CASE("one job takes n (z + x)") {
    CHECK(close(approximate(1, 0.5, 0.2, 4), 2.8));
    CHECK(close(exact(1, 0.5, 0.2, 4), 2.8));
}

TEST_CASE("two jobs in the paper's form, by hand") {
    // R1(1) = 0.2; its job is at the bus 0.2 / 0.7 of the time, so R1(2) = 0.2 (1 + 2/7) = 1.8 / 7.
    CHECK(close(approximate(2, 0.5, 0.2, 1), 0.7 + (0.5 + 1.8 / 7) / 2));
}

TEST_CASE("two jobs of one loop, exactly, by hand") {
    // z = x = 1, n = 1. From (2 alive, 0 at the bus): the first arrives after 1/2. Then, at (2, 1), either
    // the bus ends first (1/2): (1, 0), mean 2 more; or the other arrives (1/2): (2, 2), mean 2 more. h(2,1)
    // = 1/2 + 2.
    CHECK(close(exact(2, 1, 1, 1), 0.5 + 0.5 + 2));
}

TEST_CASE("a bus that never rests serves K n visits") { CHECK(close(exact(5, 0, 0.2, 3), 3.0)); }

TEST_CASE("rows of different population do not disturb each other") {
    std::vector<std::int64_t> population;
    std::vector<double> delay, bus, loops;
    for (std::int64_t jobs = 19; jobs > 0; --jobs) {
        population.push_back(jobs * jobs % 17 + 1);
        delay.push_back(1 / static_cast<double>(jobs)), bus.push_back(0.01 * static_cast<double>(jobs));
        loops.push_back(1 + 0.5 * static_cast<double>(jobs % 4));
    }
    const auto together = striate::fork_join_exact({population, delay, bus, loops});
    const auto paper = striate::fork_join_approximate({population, delay, bus, loops});
    for (std::size_t row = 0; row < population.size(); ++row) {
        CHECK(together[row] == exact(population[row], delay[row], bus[row], loops[row]));
        CHECK(paper[row] == approximate(population[row], delay[row], bus[row], loops[row]));
    }
}

TEST_CASE("nonsense is refused") {
    CHECK_THROWS(exact(0, 1, 1, 1));
    CHECK_THROWS(approximate(1, 1, 1, 0.5));
}
