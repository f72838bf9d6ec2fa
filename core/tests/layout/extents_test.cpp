#include "striate/layout/extents.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

using striate::Runs;
using striate::RunsView;

namespace {

using Column = std::vector<std::int64_t>;

RunsView view(const Runs& runs) { return {runs.offsets, runs.sizes}; }

std::set<std::int64_t> bytes_of(const Runs& runs) {
    std::set<std::int64_t> bytes;
    for (std::size_t run = 0; run < runs.offsets.size(); ++run) {
        for (std::int64_t byte = 0; byte < runs.sizes[run]; ++byte) bytes.insert(runs.offsets[run] + byte);
    }
    return bytes;
}

bool is_merged(const Runs& runs) {
    for (std::size_t run = 0; run < runs.offsets.size(); ++run) {
        if (runs.sizes[run] < 1) return false;
        if (run > 0 && runs.offsets[run - 1] + runs.sizes[run - 1] >= runs.offsets[run]) return false;
    }
    return true;
}

Runs any_runs(std::mt19937_64& random) {
    Runs runs;
    const auto count = random() % 12;
    for (std::uint64_t run = 0; run < count; ++run) {
        runs.offsets.push_back(static_cast<std::int64_t>(random() % 60));
        runs.sizes.push_back(static_cast<std::int64_t>(random() % 9));
    }
    return runs;
}

}  // namespace

TEST_CASE("touching and overlapping runs become one, empty ones vanish") {
    // [30, 35) [10, 20) [20, 25) [0, 0) [12, 15) -> [10, 25) [30, 35)
    const Runs runs = striate::merged(view({{30, 10, 20, 0, 12}, {5, 10, 5, 0, 3}}));
    CHECK((runs.offsets == Column{10, 30}));
    CHECK((runs.sizes == Column{15, 5}));
}

TEST_CASE("a sort is stable where runs begin together") {
    const Runs runs = striate::sorted(view({{7, 3, 7, 3}, {1, 2, 3, 4}}));
    CHECK((runs.offsets == Column{3, 3, 7, 7}));
    CHECK((runs.sizes == Column{2, 4, 1, 3}));
}

TEST_CASE("a sort uses all 63 bits of an offset") {
    std::mt19937_64 random(3);
    Runs runs;
    for (int run = 0; run < 5000; ++run) {
        runs.offsets.push_back(static_cast<std::int64_t>(random() >> (1 + random() % 60)));
        runs.sizes.push_back(run);
    }
    const Runs result = striate::sorted(view(runs));
    std::multiset<std::int64_t> wanted(runs.offsets.begin(), runs.offsets.end());
    CHECK((Column(wanted.begin(), wanted.end()) == result.offsets));
}

TEST_CASE("the algebra of runs is the algebra of sets of bytes") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 3000; ++round) {
        const Runs first = any_runs(random);
        const Runs second = any_runs(random);
        const Runs one = striate::merged(view(first));
        const Runs other = striate::merged(view(second));
        const Runs rest = striate::difference(view(one), view(other));
        CHECK((is_merged(one) && is_merged(rest)));
        CHECK(bytes_of(one) == bytes_of(first));
        auto alone = bytes_of(first);
        for (const std::int64_t byte : bytes_of(second)) alone.erase(byte);
        CHECK(bytes_of(rest) == alone);
    }
}

TEST_CASE("runs up to the last byte of a 63-bit file are merged without overflow") {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    const Runs runs = striate::merged(view({{largest - 5, 0, 3}, {5, 3, largest - 8}}));
    CHECK((runs.offsets == Column{0}));
    CHECK((runs.sizes == Column{largest}));
}
