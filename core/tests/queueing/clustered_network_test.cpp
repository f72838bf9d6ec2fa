#include "striate/queueing/clustered_network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "striate/queueing/linearizer.hpp"

namespace {

bool close(double found, double wanted, double tolerance = 1e-13) {
    return std::abs(found - wanted) <= tolerance * std::abs(wanted);
}

struct Split {
    double computation, io;
};

Split clustered(std::int64_t jobs, std::int64_t clusters, double delay, double bus, double disk) {
    const std::vector<std::int64_t> population{jobs}, classes{clusters};
    const std::vector<double> z{delay}, x{bus}, y{disk};
    const auto found = striate::clustered_residences({population, classes, z, x, y});
    return {found.computation[0], found.io[0]};
}

Split linearized(double jobs, double clusters, double delay, double bus, double disk) {
    const std::vector<double> population{jobs}, classes{clusters}, z{delay}, x{bus}, y{disk};
    const auto found = striate::linearizer_residences({population, classes, z, x, y});
    return {found.computation[0], found.io[0]};
}

}  // namespace

TEST_CASE("two clusters of one job, by hand") {
    // Each job alone: cycle 1, at the bus 0.2 of the time. Together each finds the other there: 0.2 * 1.2 =
    // 0.24.
    const Split split = clustered(1, 2, 0.5, 0.2, 0.3);
    CHECK(close(split.computation, 0.74));
    CHECK(close(split.io, 0.3));
}

TEST_CASE("one cluster is the bus network") {
    for (const std::int64_t jobs : {1, 2, 5, 64, 1000}) {
        const std::vector<std::int64_t> population{jobs}, starts{0, 1};
        const std::vector<double> z{1.0}, x{0.01}, y{0.009};
        const auto bus = striate::bus_residences({population, z, x, starts, y});
        const Split split = clustered(jobs, 1, 1.0, 0.01, 0.009);
        CHECK(close(split.computation, bus.computation[0], 1e-12));
        CHECK(close(split.io, bus.io[0], 1e-12));
    }
}

TEST_CASE("without a bus the clusters do not feel each other") {
    const Split many = clustered(6, 50, 1.0, 0, 0.3), one = clustered(6, 1, 1.0, 0, 0.3);
    CHECK((many.computation == one.computation && many.io == one.io));
}

TEST_CASE("a hill with a kink, bus and disks in balance, is summed as well") {
    // d x = y: for long the density neither rises nor falls. Halving the demands and doubling them back must
    // agree.
    const Split plain = clustered(2000, 16, 10.0, 0.5, 8.0), scaled = clustered(2000, 16, 5.0, 0.25, 4.0);
    CHECK(close(plain.computation + plain.io, 2 * (scaled.computation + scaled.io)));
    CHECK(plain.computation + plain.io > 16000);  // N y, the asymptotic bound
}

TEST_CASE("Linearizer is exact for one job of one class, and close elsewhere") {
    CHECK(close(linearized(1, 1, 0.5, 0.2, 0.3).computation, 0.7));
    const Split exact = clustered(8, 8, 2.0, 0.05, 0.3), fast = linearized(8, 8, 2.0, 0.05, 0.3);
    CHECK(close(fast.computation + fast.io, exact.computation + exact.io, 0.01));
}

TEST_CASE("nonsense is refused") {
    CHECK_THROWS(clustered(0, 1, 1, 1, 1));
    CHECK_THROWS(clustered(1, 0, 1, 1, 1));
}
