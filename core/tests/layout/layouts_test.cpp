#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "striate/layout/divider.hpp"

#include <doctest/doctest.h>
#include "striate/layout/grouped_blocks.hpp"
#include "striate/layout/layout_columns.hpp"
#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/two_d_stripe.hpp"
#include "striate/layout/varstrip.hpp"

using striate::Divider;
using striate::GroupedBlocks;
using striate::nowhere;
using striate::Place;
using striate::SimpleStripe;
using striate::TwoDStripe;
using striate::VarStrip;

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

VarStrip strips(const std::vector<std::int64_t>& servers, const std::vector<std::int64_t>& sizes) {
    return VarStrip(servers, sizes);
}

bool is(const Place& place, std::int64_t server, std::int64_t physical) {
    return place.server == server && place.physical == physical;
}

// Walks the first bytes of a file and checks every map of the layout against what the walk counted.
template <class Layout>
void walk(const Layout& layout, std::int64_t bytes) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> seen;
    std::vector<std::int64_t> ends(static_cast<std::size_t>(layout.servers()));
    for (std::int64_t offset = 0; offset < bytes; ++offset) {
        for (std::int64_t server = 0; server < layout.servers(); ++server) {
            CHECK(layout.physical_size(server, offset) == ends[static_cast<std::size_t>(server)]);
        }
        const Place place = layout.locate(offset);
        CHECK((seen.emplace(std::pair{place.server, place.physical}, offset).second));
        CHECK(layout.logical(place.server, place.physical) == offset);
        const std::int64_t run = layout.run_length(offset);
        const Place last = layout.locate(offset + run - 1);
        CHECK(is(last, place.server, place.physical + run - 1));
        CHECK(run > 0);
        ends[static_cast<std::size_t>(place.server)] = place.physical + 1;
    }
}

}  // namespace

TEST_CASE("a divider agrees with the machine's own division") {
    std::mt19937_64 random(1);
    for (int round = 0; round < 200000; ++round) {
        const auto divisor = static_cast<std::int64_t>(random() >> (1 + random() % 63));
        const auto number = static_cast<std::int64_t>(random() >> (1 + random() % 63));
        if (divisor == 0) continue;
        const Divider divider(divisor);
        for (const std::int64_t n :
             {number, largest, largest - 1, divisor - 1, divisor, number / divisor * divisor}) {
            CHECK(divider.quotient(n) == n / divisor);
            CHECK(divider.remainder(n) == n % divisor);
        }
    }
    CHECK_THROWS(Divider(0));
}

TEST_CASE("equal strips go round the servers") {
    const SimpleStripe stripe(3, 100);
    // byte 750: strip 7, row 7 / 3 = 2, server 7 % 3 = 1, physical 2 * 100 + 50
    CHECK(is(stripe.locate(750), 1, 250));
    CHECK(stripe.logical(1, 250) == 750);
    CHECK(stripe.run_length(750) == 50);
    // of 750 bytes: strips 0 3 6 whole on server 0, 1 4 whole and 50 bytes of 7 on server 1, 2 5 on server 2
    CHECK(stripe.physical_size(0, 750) == 300);
    CHECK(stripe.physical_size(1, 750) == 250);
    CHECK(stripe.physical_size(2, 750) == 200);
}

TEST_CASE("variable strips repeat after the last, and a server may have several") {
    const VarStrip layout =
        strips({0, 1, 0}, {10, 30, 5});            // round of 45: server 0 takes 15, server 1 takes 30
    CHECK(is(layout.locate(42), 0, 12));           // third strip, 2 in, after 10 of its own
    CHECK(is(layout.locate(45 + 12), 1, 30 + 2));  // second round
    CHECK(layout.logical(0, 15 + 12) == 45 + 42);
    CHECK(layout.run_length(42) == 3);
    CHECK(layout.physical_size(0, 45 + 11) == 15 + 10);
}

TEST_CASE("a two-dimensional stripe fills a group before the next, the last group the larger") {
    const TwoDStripe layout(5, 2, 2,
                            3);  // groups {0, 1} and {2, 3, 4}; a server takes 6 bytes per round of 30
    CHECK(is(layout.locate(11), 1, 5));  // rows 0 1 2 of group 0 are bytes 0..11
    CHECK(is(layout.locate(12), 2, 0));
    CHECK(is(layout.locate(12 + 6 + 5), 4, 3));  // row 1, third column, second byte
    CHECK(is(layout.locate(30), 0, 6));
}

TEST_CASE("grouped blocks deal the parts of every domain in turn, and pad them to one size") {
    const GroupedBlocks layout(3, 10, 2, 4);  // a domain of 10 makes blocks of 5, aligned to 8: 8 and 2 bytes
    CHECK(layout.block_bytes() == 8);
    CHECK(is(layout.locate(9), 1, 1));   // domain 0, part 1, block 1
    CHECK(is(layout.locate(10), 2, 0));  // domain 1, part 0, block 2
    CHECK(is(layout.locate(18), 0, 8));  // domain 1, part 1, block 3: second slot of server 0
    CHECK(layout.logical(1, 2) == nowhere);
    CHECK(layout.run_length(8) == 2);
    CHECK(layout.physical_size(0, 19) == 9);
    CHECK(layout.physical_size(1, 19) == 2);
}

TEST_CASE("every byte has one place, and sizes count what a walk counts") {
    walk(SimpleStripe(1, 7), 60);
    walk(SimpleStripe(5, 3), 200);
    walk(strips({0}, {4}), 40);
    walk(strips({2, 1, 1, 0, 2}, {3, 1, 40, 2, 7}), 400);
    walk(TwoDStripe(5, 2, 2, 3), 200);
    walk(TwoDStripe(4, 3, 4, 1), 100);
    walk(TwoDStripe(3, 2, 1, 2), 100);
    for (std::int64_t servers = 1; servers < 6; ++servers) {
        for (std::int64_t factor = 1; factor <= servers; ++factor) {
            for (const std::int64_t alignment : {1, 2, 4, 64})
                walk(GroupedBlocks(servers, 13, factor, alignment), 90);
        }
    }
}

TEST_CASE("the last byte of a 63-bit file has a place") {
    // 2^63 - 1 = 7 * 1317624576693539401: strips of 7 bytes end just before it
    CHECK(is(SimpleStripe(2, 7).locate(largest), 1317624576693539401 % 2, 1317624576693539401 / 2 * 7));
    CHECK(SimpleStripe(2, 7).logical(1, largest) == nowhere);
    CHECK(strips({0, 1}, {1, 1}).logical(1, largest / 2) == largest);
    CHECK(TwoDStripe(4, 1, 2, 1).logical(3, largest / 4) == largest);
    CHECK(GroupedBlocks(2, 4, 2, 4096).locate(largest).physical == nowhere);
    CHECK(is(SimpleStripe(4, largest).locate(largest), 1, 0));
}

TEST_CASE("a split gives every byte of a run to one piece") {
    const std::vector<std::int64_t> offsets = {50, 7};
    const std::vector<std::int64_t> sizes = {200, 0};  // strips of 100: 50 in strip 0, 100 in 1, 50 in 2
    const auto pieces = striate::split(SimpleStripe(3, 100), offsets, sizes, 10);
    CHECK((pieces.server == std::vector<std::int64_t>{0, 1, 2}));
    CHECK((pieces.physical == std::vector<std::int64_t>{50, 0, 0}));
    CHECK((pieces.size == std::vector<std::int64_t>{50, 100, 50}));
    CHECK((pieces.run == std::vector<std::int64_t>{0, 0, 0}));
    CHECK_THROWS(striate::split(SimpleStripe(3, 1), offsets, sizes, 10));
}

TEST_CASE("an offset below zero is reported and reads no table outside") {
    const std::vector<std::int64_t> offsets = {3, -1, -(std::int64_t{1} << 62),
                                               std::numeric_limits<std::int64_t>::min()};
    std::vector<std::int64_t> servers(4);
    std::vector<std::int64_t> physical(4);
    CHECK(!striate::locate(strips({0, 1}, {3, 5}), offsets, servers, physical));
    CHECK(!striate::run_length(strips({0, 1}, {3, 5}), offsets, servers));
    CHECK(!striate::logical(strips({0, 1}, {3, 5}), offsets, offsets, servers));
    CHECK(!striate::physical_size(strips({0, 1}, {3, 5}), offsets, offsets, servers));
}

TEST_CASE("impossible layouts are refused") {
    CHECK_THROWS(SimpleStripe(0, 1));
    CHECK_THROWS(SimpleStripe(1, 0));
    CHECK_THROWS(strips({}, {}));
    CHECK_THROWS(strips({0, 2}, {1, 1}));
    CHECK_THROWS(strips({0, -1}, {1, 1}));
    CHECK_THROWS(strips({0}, {0}));
    CHECK_THROWS(strips({0, 0}, {largest, 1}));
    CHECK_THROWS(TwoDStripe(2, 1, 3, 1));
    CHECK_THROWS(TwoDStripe(2, largest, 1, 1));
    CHECK_THROWS(GroupedBlocks(2, 10, 3, 1));
    CHECK_THROWS(GroupedBlocks(4, 3, 4, 1));
}
