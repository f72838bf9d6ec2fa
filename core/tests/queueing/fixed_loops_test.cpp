#include "striate/queueing/fixed_loops.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

struct Found {
    double mean, error;
};

Found simulated(std::int64_t jobs, double delay, double bus, std::int64_t loops, double apart) {
    const std::vector<std::int64_t> population{jobs}, n{loops};
    const std::vector<double> z{delay}, x{bus}, largest{apart};
    const auto times = striate::fixed_loop_times({population, z, x, n, largest}, 0.002, 20'000'000, [] {});
    return {times.mean[0], times.error[0]};
}

}  // namespace

TEST_CASE("two jobs of one burst each take 3 s where delay and bus take 1 s") {
    // 1/2 until the first arrives; then 1/2 until either moves; half the time one is left with 1 + 1, and
    // half the time two services remain: 1/2 + 1/2 + 2 = 3. The longest delay alone is 1 + 1/2.
    const Found found = simulated(2, 1, 1, 1, 1.5);
    CHECK(std::abs(found.mean - 3) < 5 * found.error);
    CHECK(found.error <= 0.002 * found.mean);
}

TEST_CASE("one job takes n (z + x), which the control variates make nearly exact") {
    const Found found = simulated(1, 1, 1, 5, 5);
    CHECK(std::abs(found.mean - 10) < 1e-9);
}

TEST_CASE("the same rows give the same times") {
    CHECK(simulated(8, 1, 0.2, 3, 5).mean == simulated(8, 1, 0.2, 3, 5).mean);
}

TEST_CASE("a call between batches may end the simulation") {
    const std::vector<std::int64_t> population{4}, n{4};
    const std::vector<double> z{1}, x{1}, largest{1};
    bool ended = false;
    try {
        (void)striate::fixed_loop_times({population, z, x, n, largest}, 0, 1 << 30,
                                        [] { throw std::runtime_error("interrupted"); });
    } catch (const std::runtime_error&) {
        ended = true;
    }
    CHECK(ended);
}
