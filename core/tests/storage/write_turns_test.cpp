#include "striate/storage/write_turns.hpp"

#include <doctest/doctest.h>

using namespace striate;

TEST_CASE("writes of one node to one file take turns, in the order in which they came") {
    WriteTurns turns;
    CHECK(turns.begin(0, 7, 100));
    CHECK(!turns.begin(0, 7, 101));
    CHECK(!turns.begin(0, 7, 102));
    CHECK(turns.begin(1, 7, 200));  // another node
    CHECK(turns.begin(0, 8, 300));  // another file
    CHECK(turns.over(0, 7) == 101u);
    CHECK(turns.over(0, 7) == 102u);
    CHECK(!turns.over(0, 7));
    CHECK(turns.begin(0, 7, 103));
}
