#include "striate/queueing/bus_network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

using striate::BusRows;

namespace {

bool close(double found, double wanted) { return std::abs(found - wanted) <= 1e-13 * std::abs(wanted); }

struct Columns {
    std::vector<std::int64_t> population;
    std::vector<double> delay, bus;
    std::vector<std::int64_t> starts;
    std::vector<double> disk;
    BusRows rows() const { return {population, delay, bus, starts, disk}; }
};

}  // namespace

TEST_CASE("one job never queues") {
    const Columns one{{1}, {0.5}, {0.2}, {0, 1}, {0.3}};
    CHECK(close(striate::bus_cycle_times(one.rows())[0], 1.0));
}

TEST_CASE("two jobs, by hand") {
    // One job: cycle 1, it is at the bus 0.2 and at the disks 0.3 of the time.
    // Two: bus 0.2 * 1.2 = 0.24, disks 0.3 * 1.3 = 0.39, cycle 0.5 + 0.24 + 0.39 = 1.13.
    const Columns two{{2}, {0.5}, {0.2}, {0, 1}, {0.3}};
    const auto split = striate::bus_residences(two.rows());
    CHECK(close(striate::bus_cycle_times(two.rows())[0], 1.13));
    CHECK(close(split.computation[0], 0.74));
    CHECK(close(split.io[0], 0.39));
}

TEST_CASE("Horner's rule and mean value analysis agree at ragged, random rows") {
    std::mt19937_64 random(2);
    std::uniform_real_distribution<double> exponent(-4, 1);
    Columns columns;
    columns.starts.push_back(0);
    for (int row = 0; row < 37; ++row) {
        columns.population.push_back(static_cast<std::int64_t>(1 + random() % 1500));
        columns.delay.push_back(std::pow(10, exponent(random)));
        columns.bus.push_back(std::pow(10, exponent(random)));
        for (std::uint64_t point = random() % 70; point > 0; --point) {
            columns.disk.push_back(std::pow(10, exponent(random)));
        }
        columns.starts.push_back(static_cast<std::int64_t>(columns.disk.size()));
    }
    const auto times = striate::bus_cycle_times(columns.rows());
    const auto split = striate::bus_residences(columns.rows());
    for (std::size_t point = 0; point < times.size(); ++point) {
        CHECK(close(times[point], split.computation[point] + split.io[point]));
    }
}

TEST_CASE("a station that does all the work sets the pace, even where the sums overflow") {
    const Columns saturated{{100000}, {1e-9}, {0}, {0, 1}, {2.0}};
    CHECK(close(striate::bus_cycle_times(saturated.rows())[0], 200000.0));  // K y
    const Columns disks_alone{{7}, {0}, {0}, {0, 1}, {2.0}};
    CHECK(close(striate::bus_cycle_times(disks_alone.rows())[0], 14.0));
}

TEST_CASE("columns that do not fit together are refused") {
    CHECK_THROWS(striate::bus_cycle_times(Columns{{1}, {1}, {}, {0, 1}, {1}}.rows()));
    CHECK_THROWS(striate::bus_cycle_times(Columns{{1}, {1}, {1}, {0, 2}, {1}}.rows()));
    CHECK_THROWS(striate::bus_residences(Columns{{0}, {1}, {1}, {0, 1}, {1}}.rows()));
}
