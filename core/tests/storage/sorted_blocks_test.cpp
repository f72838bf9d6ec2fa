#include "striate/storage/sorted_blocks.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

using namespace striate;

// Drawn values come and go, in rising order at times; the set says what must be found.
TEST_CASE("values in blocks are found, added and erased as in a set") {
    std::mt19937 draw(7);
    SortedBlocks<int> blocks;
    std::set<int> plain;
    int rising = 0;
    for (int turn = 0; turn < 40'000; ++turn) {
        const bool grows = (turn / 2000) % 2 == 0;
        const int value = turn % 3 == 0 ? ++rising : static_cast<int>(draw() % 5000);
        if (draw() % 4 < (grows ? 3U : 1U)) {
            if (plain.insert(value).second) blocks.insert(value);
        } else if (!plain.empty()) {
            auto wanted = turn % 2 == 0 ? plain.begin() : plain.lower_bound(value);
            const auto place = turn % 2 == 0 ? blocks.begin() : blocks.lower_bound(value);
            REQUIRE((wanted == plain.end()) == (place == blocks.end()));
            if (wanted == plain.end()) continue;
            REQUIRE(blocks[place] == *wanted);
            wanted = plain.erase(wanted);
            const auto next = blocks.erase(place);
            REQUIRE((wanted == plain.end()) == (next == blocks.end()));
            if (wanted != plain.end()) REQUIRE(blocks[next] == *wanted);
        }
        REQUIRE(blocks.empty() == plain.empty());
    }
    for (auto place = blocks.begin(); place != blocks.end(); place = blocks.erase(place)) {
        REQUIRE(blocks[place] == *plain.begin());
        plain.erase(plain.begin());
    }
    CHECK(plain.empty());
}
