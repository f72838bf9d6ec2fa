#include "striate/events/occupancy_curve.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>

using striate::OccupancyCurve;

TEST_CASE("a slice holds the time integral and the maximum of what was there in it") {
    OccupancyCurve curve;
    const auto width = OccupancyCurve::first_width;
    curve.set(width / 2, {10, 1, 0});         // 0 before
    curve.set(width + width / 4, {4, 1, 2});  // 10 for three quarters of a width
    curve.finish(2 * width + width / 2);      // 4 for one width and a quarter

    REQUIRE(curve.slices().size() == 3);
    CHECK(curve.slices()[0].sum[0] == 10.0 * (width / 2));
    CHECK(curve.slices()[1].sum[0] == 10.0 * (width / 4) + 4.0 * (3 * width / 4));
    CHECK(curve.slices()[1].most[0] == 10);
    CHECK(curve.slices()[1].most[2] == 2);
    CHECK(curve.slices()[2].sum[0] == 4.0 * (width / 2));
    CHECK(curve.slices()[2].covered == width / 2);
}

TEST_CASE("a long run has few slices, and no bytes are lost when they are joined") {
    OccupancyCurve curve;
    double sum = 0;
    striate::Ticks now = 0;
    std::int64_t amount = 0;
    for (int step = 1; step <= 5000; ++step) {
        const striate::Ticks next = now + step * OccupancyCurve::first_width / 3;
        sum += static_cast<double>(amount) * static_cast<double>(next - now);
        amount = (step * 37) % 101;
        curve.set(next, {amount, 0, 0});
        now = next;
    }
    curve.finish(now);

    double found = 0;
    striate::Ticks covered = 0;
    std::int64_t most = 0;
    for (const OccupancyCurve::Slice& slice : curve.slices()) {
        found += slice.sum[0];
        covered += slice.covered;
        most = std::max(most, slice.most[0]);
    }
    CHECK(curve.slices().size() <= OccupancyCurve::most_slices);
    CHECK(curve.slices().size() > OccupancyCurve::most_slices / 2);
    CHECK(covered == now);
    CHECK(most == 100);
    CHECK(found == doctest::Approx(sum).epsilon(1e-12));
}
