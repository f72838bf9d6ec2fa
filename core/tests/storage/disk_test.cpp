#include "striate/storage/disk.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <random>

using namespace striate;

namespace {

constexpr Ticks millisecond = 1'000'000'000;

Disk barracuda() {
    Disk disk;
    disk.kind = DiskKind::hard;
    disk.read_rate = disk.write_rate = 100663296;  // 96 MiB/s
    disk.average_seek = 9 * millisecond;
    disk.track_seek = 1 * millisecond;
    disk.revolutions_per_minute = 7200;
    disk.near = 1'000'000;
    return disk;
}

}  // namespace

TEST_CASE("a hard disk seeks far, near and not at all") {
    const Disk disk = barracuda();
    DiskState state;
    const auto ticks = [&](std::int64_t offset) {
        return access_ticks(disk, state, {0, offset, 524288, false}, Rounding::nearest_picosecond);
    };
    // 9 ms + half a turn of 8.333 ms + 512 KiB at 96 MiB/s = 9 + 4.166666667 + 5.208333333 ms
    CHECK(ticks(0) == 18'375'000'000);
    CHECK(ticks(524288) == 5'208'333'333);              // where the last one ended
    CHECK(ticks(1048576 + 999'999) == 10'375'000'000);  // 1 + 4.1666667 + 5.2083333 ms
    CHECK(ticks(0) == 18'375'000'000);                  // 2.5 MB back
    CHECK((state.operations == 4 && state.sequential == 1 && state.near_seeks == 1));
    CHECK(state.bytes_read == 4 * 524288);
}

TEST_CASE("another file is always far away") {
    const Disk disk = barracuda();
    DiskState state;
    (void)access_ticks(disk, state, {0, 0, 100, true}, Rounding::nearest_picosecond);
    (void)access_ticks(disk, state, {1, 100, 100, true}, Rounding::nearest_picosecond);
    CHECK(state.sequential + state.near_seeks == 0);
}

TEST_CASE("the clock of the original cuts the sum to nanoseconds once") {
    DiskState state;
    // 0.009 + 30/7200 + 102400/100663296 s = 14.183919270833 ms
    CHECK(access_ticks(barracuda(), state, {0, 0, 102400, true}, Rounding::truncated_nanoseconds) ==
          14'183'919'000);
    // 102400/100663296 s = 1.017252604 ms
    CHECK(access_ticks(barracuda(), state, {0, 102400, 102400, true}, Rounding::truncated_nanoseconds) ==
          1'017'252'000);
}

TEST_CASE("a RAM disk costs its bytes only, a simple one a latency too") {
    Disk disk;
    disk.read_rate = disk.write_rate = 2e9;
    DiskState state;
    CHECK(access_ticks(disk, state, {0, 77, 1000, false}, Rounding::nearest_picosecond) == 500'000);
    disk.write_latency = 3000;
    CHECK(access_ticks(disk, state, {0, 5, 1000, true}, Rounding::nearest_picosecond) == 503'000);
    CHECK(access_ticks(disk, state, {0, 9, 1000, false}, Rounding::nearest_picosecond) == 500'000);
}

TEST_CASE("any walk costs what a slow twin says, and moves every byte") {
    const Disk disk = barracuda();
    std::mt19937_64 random(1);
    DiskState state;
    std::int64_t last = -1, bytes = 0;
    for (int step = 0; step < 5000; ++step) {
        const auto jump = static_cast<std::int64_t>(random() % 4);
        const auto far = static_cast<std::int64_t>(random() % 4'000'000);
        const std::int64_t offset = last >= 0 && jump < 2 ? last : far;
        const auto size = static_cast<std::int64_t>(random() % 300'000);
        double seconds = static_cast<double>(size) / 100663296;
        if (last < 0 || offset != last) {
            const bool near = last >= 0 && (offset > last ? offset - last : last - offset) < 1'000'000;
            seconds += (near ? 0.001 : 0.009) + 30.0 / 7200;
        }
        const Ticks got = access_ticks(disk, state, {0, offset, size, true}, Rounding::nearest_picosecond);
        CHECK(std::abs(static_cast<double>(got) - seconds * 1e12) < 2);
        last = offset + size;
        bytes += size;
    }
    CHECK((state.operations == 5000 && state.bytes_written == bytes));
}
