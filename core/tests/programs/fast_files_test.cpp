// Programs with files, played plainly and with every short cut: nothing but the CPU time may differ.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <tuple>

#include "random_files.hpp"
#include "striate/refusal.hpp"

using namespace striate;

namespace {

auto told(const ServerTotals& server) {
    const StorageTotals& storage = server.storage;
    return std::tuple(server.operations, server.sequential, server.near_seeks, server.bytes_read,
                      server.bytes_written, server.cache_hits, server.cache_misses, storage.busy,
                      storage.longest_queue, storage.queue_seconds, storage.most_dirty_bytes,
                      storage.burst_written, storage.burst_read, storage.burst_busy);
}

auto told(const MetadataTotals& server) {
    return std::tuple(server.operations, server.busy, server.waited, server.longest_queue);
}

auto told(const ForwarderTotals& forwarder) {
    return std::tuple(forwarder.messages, forwarder.bytes, forwarder.most_bytes);
}

auto told(const DiskEntry& entry) {
    const Access& access = entry.access;
    return std::tuple(entry.server, access.file, access.offset, access.bytes, access.write, entry.start,
                      entry.end);
}

template <class Row>
auto all(const std::vector<Row>& rows) {
    std::vector<decltype(told(rows.front()))> found;
    for (const Row& row : rows) found.push_back(told(row));
    return found;
}

void expect_equal(const ProgramResult& plain, const ProgramResult& fast) {
    CHECK(plain.end == fast.end);
    CHECK(plain.rank_end == fast.rank_end);
    CHECK(plain.node_busy == fast.node_busy);
    CHECK(plain.stations == fast.stations);
    CHECK(plain.messages == fast.messages);
    CHECK(plain.events == fast.events);
    CHECK((all(plain.servers) == all(fast.servers)));
    CHECK((all(plain.metadata) == all(fast.metadata)));
    CHECK((all(plain.forwarders) == all(fast.forwarders)));
    CHECK((all(plain.disk_log) == all(fast.disk_log)));
}

// A number for all that was found, to hold one build of the core against another.
class Digest {
  public:
    void add(const ProgramResult& found) {
        for (const std::int64_t end : found.rank_end) mix(end);
        for (const StationTotals& station : found.stations) mix(station.busy ^ station.bytes);
        for (const ServerTotals& server : found.servers)
            mix(server.operations ^ server.near_seeks << 20 ^ server.cache_hits << 40 ^ server.storage.busy);
        for (const DiskEntry& entry : found.disk_log) mix(entry.end);
        mix(found.events);
    }
    void mix(std::int64_t value) {
        hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U;
        hash_ ^= hash_ >> 29;
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

  private:
    std::uint64_t hash_ = 1;
};

std::uint64_t number(const char* name, std::uint64_t usual) {
    const char* asked = std::getenv(name);
    return asked == nullptr ? usual : std::strtoull(asked, nullptr, 10);
}

}  // namespace

TEST_CASE("a part whose data overtook its request ends before its place is taken by another") {
    // Through a forwarder and over several routes the request came after the answer, to a later part.
    const RandomFiles program(6260);
    RunOptions plainly;
    plainly.warp = false;

    expect_equal(program.run(plainly), program.run(RunOptions{}));
}

TEST_CASE("short cuts, queues and a timeline change nothing about programs with files") {
    const std::uint64_t seeds = number("STRIATE_FUZZ_FILES", 120);  // more: `make fuzz-core`
    std::uint64_t played = 0;
    std::int64_t skipped = 0, events = 0;
    Digest digest;
    for (std::uint64_t seed = number("STRIATE_FUZZ_FROM", 0); seed < seeds; ++seed) {
        CAPTURE(seed);
        const RandomFiles program(seed);
        RunOptions plainly, quickly;
        Timeline timeline(1 << 16);
        plainly.warp = false;
        plainly.queue = QueueKind::oracle;
        if (seed % 3 == 0) plainly.timeline = &timeline;  // then caches are filled, read or not
        quickly.queue = seed % 2 == 0 ? QueueKind::hole_heap : QueueKind::ladder;
        try {
            const ProgramResult plain = program.run(plainly);
            const ProgramResult fast = program.run(quickly);
            expect_equal(plain, fast);
            skipped += fast.skipped;
            events += fast.events;
            digest.add(fast);
            ++played;
        } catch (const Refusal& refused) {
            digest.mix(static_cast<std::int64_t>(refused.reason));
        }
    }
    CHECK(10 * played > 9 * (seeds - number("STRIATE_FUZZ_FROM", 0)));
    CHECK(20 * skipped > events);
    MESSAGE("digest " << digest.value() << ", played " << played << ", " << skipped << " of " << events
                      << " events skipped");
}
