#include "striate/storage/device.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "striate/refusal.hpp"

using namespace striate;

namespace {

// One byte per nanosecond, so that bytes are nanoseconds; `latency` in nanoseconds.
Disk plain(Ticks latency = 0) {
    Disk disk;
    disk.read_rate = disk.write_rate = 1e9;
    disk.read_latency = disk.write_latency = latency * 1000;
    return disk;
}

Disk flash(std::int32_t channels, Ticks latency) {
    Disk disk = plain(latency);
    disk.kind = DiskKind::flash;
    disk.channels = channels;
    disk.queue_depth = 2 * channels;
    return disk;
}

Device array(std::size_t disks, Raid raid, std::int64_t chunk, Ticks latency = 0) {
    Device device;
    device.disks.assign(disks, plain(latency));
    device.raid = raid;
    device.chunk_bytes = chunk;
    return device;
}

std::int64_t nanoseconds(Ticks ticks) { return ticks / 1000; }

}  // namespace

TEST_CASE("a single disk serves one access after the other") {
    Device device;
    device.disks = {plain(10)};
    DeviceState state(device);
    CHECK(nanoseconds(finish_time(device, state, 0, {0, 0, 100, true})) == 110);
    CHECK(nanoseconds(finish_time(device, state, 50'000, {0, 0, 100, true})) == 220);  // waits until 110
    CHECK(nanoseconds(finish_time(device, state, 500'000, {0, 0, 100, true})) == 610);
}

TEST_CASE("flash works on small accesses in parallel and spreads large ones") {
    Device device;
    device.disks = {flash(4, 1000)};
    DeviceState state(device);
    // Each channel moves a quarter of a byte per nanosecond: 1000 + 4 * 4096 = 17384 ns, four at once.
    for (int request = 0; request < 4; ++request) {
        CHECK(nanoseconds(finish_time(device, state, 0, {0, 4096 * request, 4096, false})) == 17384);
    }
    CHECK(nanoseconds(finish_time(device, state, 0, {0, 0, 4096, false})) == 2 * 17384);
    // 1 MiB on four idle channels: 1000 + 1048576 ns.
    DeviceState idle(device);
    CHECK(nanoseconds(finish_time(device, idle, 0, {0, 0, 1 << 20, true})) == 1000 + (1 << 20));
    CHECK(idle.disks[0].operations == 1);
    CHECK(device.depth() == 8);
}

TEST_CASE("stripes move at the speed of all disks") {
    const Device device = array(4, Raid::striped, 100);
    DeviceState state(device);
    CHECK(nanoseconds(finish_time(device, state, 0, {0, 0, 800, true})) == 200);
    // [150, 250): 50 on disk 1, 50 on disk 2
    DeviceState other(device);
    CHECK(nanoseconds(finish_time(device, other, 0, {0, 150, 100, false})) == 50);
    CHECK((other.disks[1].bytes_read == 50 && other.disks[2].bytes_read == 50));
}

TEST_CASE("a whole parity stripe is written at once, part of one reads first") {
    const Device device = array(3, Raid::parity, 100, 10);
    DeviceState whole(device);
    // Two data chunks and their parity, one on each disk: 10 + 100 ns.
    CHECK(nanoseconds(finish_time(device, whole, 0, {0, 0, 200, true})) == 110);
    CHECK(whole.disks[0].bytes_read + whole.disks[1].bytes_read + whole.disks[2].bytes_read == 0);
    DeviceState part(device);
    // 40 bytes of data and of parity: read 10 + 40, then write 10 + 40.
    CHECK(nanoseconds(finish_time(device, part, 0, {0, 20, 40, true})) == 100);
    std::int64_t read = 0, written = 0;
    for (const DiskState& disk : part.disks) {
        read += disk.bytes_read;
        written += disk.bytes_written;
    }
    CHECK((read == 80 && written == 80));
}

TEST_CASE("a long read of a parity array passes over the parity") {
    const Device device = array(3, Raid::parity, 100, 10);
    DeviceState state(device);
    // Rows 0..2 hold 600 bytes of data; each disk has 2 chunks of data and 1 of parity.
    const Ticks over = finish_time(device, state, 0, {0, 0, 600, false});
    for (const DiskState& disk : state.disks) CHECK(disk.operations == 1);
    CHECK((nanoseconds(over) >= 210 && nanoseconds(over) <= 310));
}

TEST_CASE("every byte reaches exactly one disk, and parity as often as it must") {
    std::mt19937_64 random(2);
    for (int round = 0; round < 500; ++round) {
        const std::size_t disks = 3 + random() % 4;
        const auto chunk = static_cast<std::int64_t>(1 + random() % 20);
        const Access access{0, static_cast<std::int64_t>(random() % 200),
                            static_cast<std::int64_t>(1 + random() % 300), true};
        const Device striped = array(disks, Raid::striped, chunk);
        DeviceState plain_state(striped);
        (void)finish_time(striped, plain_state, 0, access);
        std::int64_t sum = 0;
        for (const DiskState& disk : plain_state.disks) sum += disk.bytes_written;
        CHECK(sum == access.bytes);

        // Parity: for every stripe touched, the chunk-relative range that its pieces cover.
        const Device parity = array(disks, Raid::parity, chunk);
        DeviceState parity_state(parity);
        (void)finish_time(parity, parity_state, 0, access);
        std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> covered;
        const auto columns = static_cast<std::int64_t>(disks) - 1;
        for (std::int64_t byte = access.offset; byte < access.end(); ++byte) {
            auto [entry, fresh] = covered.try_emplace(byte / chunk / columns, chunk, 0);
            entry->second.first = std::min(entry->second.first, byte % chunk);
            entry->second.second = std::max(entry->second.second, byte % chunk + 1);
        }
        std::int64_t expected = access.bytes;
        for (const auto& [row, range] : covered) expected += range.second - range.first;
        std::int64_t written = 0;
        for (const DiskState& disk : parity_state.disks) written += disk.bytes_written;
        CHECK(written == expected);
    }
}

TEST_CASE("a full disk says how much it holds, and which file grew") {
    Device device;
    device.disks = {plain()};
    device.capacity_bytes = 1000;
    DeviceState state(device);
    (void)finish_time(device, state, 0, {0, 0, 600, true});
    (void)finish_time(device, state, 0, {0, 0, 600, true});  // the same bytes again take no more room
    (void)finish_time(device, state, 0, {1, 0, 400, true});
    try {
        (void)finish_time(device, state, 0, {1, 400, 1, true});
        FAIL("expected a refusal");
    } catch (const striate::Refusal& full) {
        CHECK(full.reason == striate::Reason::server_full);
        CHECK(full.numbers.room == 1000);
        CHECK(full.numbers.file == 1);
        CHECK(full.numbers.end == 401);
    }
    state.erase(0);
    (void)finish_time(device, state, 0, {1, 400, 600, true});
    CHECK(state.used_bytes == 1000);
}

TEST_CASE("nonsense is refused") {
    CHECK_THROWS(expect_sound(Device{}));
    CHECK_THROWS(expect_sound(array(2, Raid::parity, 100)));
    CHECK_THROWS(expect_sound(array(2, Raid::striped, 0)));
}
