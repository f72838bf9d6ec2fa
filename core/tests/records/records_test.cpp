#include "striate/records/records.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "striate/records/buckets.hpp"

using striate::bucket_records;
using striate::DomainSplit;
using striate::mark_records;
using striate::move_records;
using striate::resolve_into_buckets;
using striate::resolve_records;
using striate::sort_into_buckets;
using striate::unmarked_records;

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
    std::vector<std::byte> bytes;
    for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
}

}  // namespace

TEST_CASE("a mark is one bit, and indices outside the range leave none") {
    std::vector<std::uint64_t> bits(2);
    const std::vector<std::int32_t> indices{10, 13, 10, 9, 138, 137};  // range [10, 138)
    mark_records<std::int32_t>(indices, 10, bits);
    CHECK(bits[0] == (1U | 1U << 3));          // 10 -> bit 0, 13 -> bit 3
    CHECK(bits[1] == std::uint64_t{1} << 63);  // 137 -> bit 127; 9 and 138 are outside
}

TEST_CASE("positions without a mark are listed, those of the range only") {
    const std::vector<std::uint64_t> bits{~std::uint64_t{0b1001}, ~(std::uint64_t{1} << 63)};
    std::vector<std::int64_t> found;
    unmarked_records(bits, 1, 128, found);
    CHECK((found == std::vector<std::int64_t>{3, 127}));
    CHECK_THROWS(unmarked_records(bits, 0, 129, found));
}

TEST_CASE("bits are counted from each edge to the next") {
    const std::vector<std::uint64_t> bits{0b1011, ~std::uint64_t{0}};
    const std::vector<std::int64_t> edges{1, 3, 3, 70, 128}, outside{0, 129};
    std::vector<std::int64_t> counts;
    striate::count_marked(bits, edges, counts);
    CHECK(
        (counts == std::vector<std::int64_t>{1, 0, 1 + 6, 58}));  // bit 1; none; bit 3 and 64 to 69; the rest
    CHECK_THROWS(striate::count_marked(bits, outside, counts));
}

TEST_CASE("resolving into buckets is resolving, then bucketing") {
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        const auto records = static_cast<std::int64_t>(random() % (round % 4 == 0 ? 9000 : 300) + 1);
        const auto owners = static_cast<std::int64_t>(random() % 4 + 1);
        const std::int64_t domain = (records + owners - 1) / owners + static_cast<std::int64_t>(random() % 3);
        const std::int64_t window = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(domain));
        std::vector<std::int32_t> segments;
        for (std::int64_t owner = 0; owner < owners; ++owner)
            segments.push_back(static_cast<std::int32_t>(owners - 1 - owner));
        std::vector<std::int32_t> indices(static_cast<std::size_t>(records));
        std::iota(indices.begin(), indices.end(), 0);
        std::shuffle(indices.begin(), indices.end(), random);
        const bool each_once = round % 3 == 0;
        if (each_once)
            indices.resize(random() % indices.size() + 1);
        else
            for (auto& index : indices)
                index = static_cast<std::int32_t>(random() % static_cast<unsigned>(records));
        std::vector<std::uint64_t> live(static_cast<std::size_t>(records / 64 + 1));
        mark_records<std::int32_t>(indices, 0, live);
        if (round % 2 == 0)  // other ranks have some of them
            for (auto& word : live) word &= static_cast<std::uint64_t>(random()) * 0x9e3779b97f4a7c15U;
        std::vector<std::uint64_t> again = live;
        striate::LargeVector<std::int32_t> kept;
        resolve_records<std::int32_t>(indices, 0, live, kept);
        CHECK((!(each_once && round % 2 == 1) || kept.size() == indices.size()));
        const DomainSplit split{records, domain, window, segments};
        const auto wanted = bucket_records<std::int32_t>(indices, kept, false, split);
        const auto found = resolve_into_buckets<std::int32_t>(indices, again, each_once, split);
        CHECK(found.order == wanted.order);
        CHECK(found.place == wanted.place);
        CHECK(found.starts == wanted.starts);
    }
}

TEST_CASE("buckets in the order of records hold what buckets in the order of claims hold") {
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        const auto records = static_cast<std::int64_t>(random() % (round % 4 == 0 ? 9000 : 300) + 1);
        const auto owners = static_cast<std::int64_t>(random() % 4 + 1);
        const std::int64_t domain = (records + owners - 1) / owners + static_cast<std::int64_t>(random() % 3);
        const std::int64_t window = 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(domain));
        std::vector<std::int32_t> segments;  // some share our memory, others do not
        for (std::int64_t owner = 0, shared = 0; owner < owners; ++owner)
            segments.push_back(random() % 2 == 0 ? static_cast<std::int32_t>(shared++) : -1);
        std::vector<std::int32_t> indices(static_cast<std::size_t>(records));
        for (auto& index : indices)
            index = static_cast<std::int32_t>(random() % static_cast<unsigned>(records));
        std::vector<std::uint64_t> live(static_cast<std::size_t>(records / 64 + 1));
        mark_records<std::int32_t>(indices, 0, live);
        if (round % 2 == 0)  // other ranks have some of them
            for (auto& word : live) word &= static_cast<std::uint64_t>(random()) * 0x9e3779b97f4a7c15U;
        const DomainSplit split{records, domain, window, segments};
        const auto found = sort_into_buckets<std::int32_t>(indices, live, split);
        striate::LargeVector<std::int32_t> kept;
        resolve_records<std::int32_t>(indices, 0, live, kept);
        const auto wanted = bucket_records<std::int32_t>(indices, kept, false, split);
        CHECK(found.starts == wanted.starts);
        for (std::size_t b = 1; b < wanted.starts.size(); ++b) {
            std::vector<std::pair<std::int32_t, std::int32_t>> ours, theirs;
            for (auto k = static_cast<std::size_t>(wanted.starts[b - 1]);
                 k < static_cast<std::size_t>(wanted.starts[b]); ++k) {
                ours.emplace_back(indices[static_cast<std::size_t>(found.order[k])], found.order[k]);
                theirs.emplace_back(indices[static_cast<std::size_t>(wanted.order[k])], wanted.order[k]);
            }
            std::sort(theirs.begin(), theirs.end());
            CHECK(ours == theirs);
        }
        std::vector<std::pair<std::int32_t, std::int32_t>> places, same;
        for (std::size_t k = 0; k < wanted.order.size(); ++k) {
            places.emplace_back(found.order[k], found.place[k]);
            same.emplace_back(wanted.order[k], wanted.place[k]);
        }
        std::sort(places.begin(), places.end());
        std::sort(same.begin(), same.end());
        CHECK(places == same);
    }
    const std::vector<std::int32_t> segments{-1}, one{5};
    const std::vector<std::uint64_t> two{1 << 5 | 1};
    CHECK_THROWS(sort_into_buckets<std::int32_t>(one, two, DomainSplit{64, 64, 64, segments}));
}

TEST_CASE("live bits that nobody claims are refused") {
    const std::vector<std::int32_t> segments{0}, one{5}, twice{5, 5}, outside{64};
    const DomainSplit split{64, 64, 8, segments};
    std::vector<std::uint64_t> other{1 << 6}, two{1 << 6 | 1},
        none{0};  // rounds of 8 records: bit 6 is in that of 5
    CHECK_THROWS(resolve_into_buckets<std::int32_t>(one, two, false, split));
    CHECK_THROWS(resolve_into_buckets<std::int32_t>(twice, other, false, split));
    CHECK_THROWS(resolve_into_buckets<std::int32_t>(outside, none, false, split));
    std::vector<std::uint64_t> far{std::uint64_t{1} << 60 | std::uint64_t{1} << 61};
    CHECK_THROWS(resolve_into_buckets<std::int32_t>(twice, far, false,
                                                    split));  // as many bits as claims, in another round
    std::vector<std::uint64_t> own{1 << 5};
    CHECK_THROWS(resolve_into_buckets<std::int32_t>(twice, own, true, split));  // not once
}

TEST_CASE("entries are spliced out of moves and into them") {
    const std::vector<std::int32_t> order{1, 4, 5, 9}, place{10, 40, 50, 90}, dropped{0, 4, 5, 12};
    const std::vector<std::int32_t> added{0, 5, 10}, added_place{7, 57, 97};
    striate::LargeVector<std::int32_t> entries, places;
    striate::splice_moves<std::int32_t>({order, place}, dropped, {added, added_place}, entries, places);
    CHECK((entries == striate::LargeVector<std::int32_t>{0, 1, 5, 9, 10}));  // 4 is gone, 5 has moved
    CHECK((places == striate::LargeVector<std::int32_t>{7, 10, 57, 90, 97}));
}

TEST_CASE("entries whose bit is set are found") {
    const std::vector<std::int64_t> indices{3, 64, 3, 5};
    const std::vector<std::uint64_t> bits{0b1000, 1};
    CHECK((striate::marked_entries<std::int64_t>(indices, bits) == std::vector<std::int64_t>{0, 1, 2}));
    const std::vector<std::int64_t> beyond{128};
    CHECK_THROWS(striate::marked_entries<std::int64_t>(beyond, bits));
}

TEST_CASE("the last claim at a live bit is kept, the places ascend") {
    std::vector<std::uint64_t> live{0b1011};
    const std::vector<std::int64_t> indices{1, 0, 2, 1, 3, 0};  // bit 2 is dead: another rank has it
    striate::LargeVector<std::int64_t> kept;
    resolve_records<std::int64_t>(indices, 0, live, kept);
    CHECK((kept == striate::LargeVector<std::int64_t>{3, 4, 5}));  // 1 last at 3, 3 at 4, 0 last at 5
    CHECK(live[0] == 0);
}

TEST_CASE("buckets follow rounds, shared memory first, then the other owners") {
    // 10 records, domains of 4, windows of 3: owner = i / 4, round = i % 4 / 3. Owner 0 is remote,
    // owner 1 is segment 1 of our shared memory, owner 2 segment 0.
    const std::vector<std::int32_t> segments{-1, 1, 0};
    const std::vector<std::int32_t> indices{9, 3, 5, 7, 0};
    const DomainSplit split{10, 4, 3, segments};
    const auto found = bucket_records<std::int32_t>(indices, {}, true, split);
    // round 0, shared: 9 (owner 2, within 1 -> 0 * 3 + 1), 5 (owner 1, within 1 -> 1 * 3 + 1)
    // round 0, owner 0: 0 (within 0); round 1, shared: 7 (owner 1, within 3 -> 3 + 0); owner 0: 3 (-> 0)
    CHECK((found.order == striate::LargeVector<std::int32_t>{0, 2, 4, 3, 1}));
    CHECK((found.place == striate::LargeVector<std::int32_t>{1, 4, 0, 3, 0}));
    CHECK((found.starts == std::vector<std::int64_t>{0, 2, 3, 3, 3, 4, 5, 5, 5}));
}

TEST_CASE("records are found in domains of any size") {
    std::mt19937_64 random(2);
    for (int round = 0; round < 3000; ++round) {
        const auto domain =
            static_cast<std::int64_t>(1 + random() % (std::uint64_t{1} << (1 + random() % 61)));
        const auto index = static_cast<std::int64_t>(random() >> 1) % (3 * (domain / 2) + 1);
        const std::vector<std::int32_t> segments{0, 1};
        const auto window = 1 + (domain - 1) / 3;
        const DomainSplit split{std::max(index + 1, std::int64_t{1}), domain, window, segments};
        const std::vector<std::int64_t> indices{index};
        const auto found = bucket_records<std::int64_t>(indices, {}, true, split);
        CHECK(found.place[0] == index / domain * window + index % domain % window);
        CHECK(found.starts[static_cast<std::size_t>(index % domain / window * 3)] == 0);
        CHECK(found.starts[static_cast<std::size_t>(index % domain / window * 3 + 1)] == 1);
    }
}

TEST_CASE("records of three bytes move to and from positions") {
    std::vector<std::byte> target(9);
    const auto source = bytes_of({1, 2, 3, 4, 5, 6});
    const std::vector<std::int32_t> to{2, 0}, from{1, 1};
    move_records<std::int32_t>(target, to, source, {}, 2, 3);
    CHECK(target == bytes_of({4, 5, 6, 0, 0, 0, 1, 2, 3}));
    move_records<std::int32_t>(target, to, source, from, 2, 3);
    CHECK(target == bytes_of({4, 5, 6, 0, 0, 0, 4, 5, 6}));
    move_records<std::int32_t>(target, {}, source, from, 2, 3);
    CHECK(target == bytes_of({4, 5, 6, 4, 5, 6, 4, 5, 6}));
}

TEST_CASE("every size moves alike, fixed or not") {
    for (std::size_t size = 1; size <= 70; ++size) {
        std::vector<std::byte> source(size * 50), target(size * 50), expected(size * 50);
        for (std::size_t k = 0; k < source.size(); ++k) source[k] = static_cast<std::byte>(k * 7);
        std::vector<std::int64_t> to(50);
        for (std::size_t k = 0; k < 50; ++k) to[k] = static_cast<std::int64_t>(k * 13 % 50);
        move_records<std::int64_t>(target, to, source, {}, 50, size);
        for (std::size_t k = 0; k < source.size(); ++k)
            expected[k / size * 13 % 50 * size + k % size] = source[k];
        CHECK(target == expected);
    }
}

TEST_CASE("positions outside are refused before a byte moves") {
    std::vector<std::byte> target(8);
    const std::vector<std::byte> source(8, std::byte{1});
    const std::vector<std::int32_t> low{0, -1}, high{0, 4}, three{0, 1, 2};
    CHECK_THROWS((move_records<std::int32_t>(target, low, source, {}, 2, 2), 0));
    CHECK_THROWS((move_records<std::int32_t>(target, high, source, {}, 2, 2), 0));
    CHECK_THROWS((move_records<std::int32_t>(target, {}, source, high, 2, 2), 0));
    CHECK_THROWS((move_records<std::int32_t>(target, three, source, {}, 2, 2), 0));
    CHECK_THROWS((move_records<std::int32_t>(target, {}, source, {}, 5, 2), 0));
    CHECK(target == std::vector<std::byte>(8));
    const std::vector<std::int32_t> segments{0};
    CHECK_THROWS(bucket_records<std::int32_t>(high, {}, true, DomainSplit{4, 4, 4, segments}));
    CHECK_THROWS(bucket_records<std::int32_t>(low, {}, true, DomainSplit{4, 4, 4, segments}));
    CHECK_THROWS(bucket_records<std::int32_t>(three, {}, true, DomainSplit{4, 2, 2, segments}));
}
