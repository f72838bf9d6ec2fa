#include "striate/storage/size_updates.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

using namespace striate;

namespace {

std::int64_t count(SizeUpdates& sizes, std::int64_t file, std::int64_t offset, std::int64_t bytes) {
    return sizes.count(file, {{&offset, 1}, {&bytes, 1}}, 100);
}

}  // namespace

TEST_CASE("only requests that write new bytes are counted") {
    SizeUpdates sizes;
    CHECK(count(sizes, 1, 0, 250) == 3);  // 100 + 100 + 50
    CHECK(count(sizes, 1, 0, 250) == 0);
    CHECK(count(sizes, 1, 240, 20) == 1);
    CHECK(count(sizes, 2, 0, 10) == 1);  // another file
    CHECK(count(sizes, 1, 400, 0) == 0);
    sizes.erase(1);
    CHECK(count(sizes, 1, 0, 10) == 1);
}

TEST_CASE("new bytes are those that a set of bytes does not have") {
    std::mt19937 dice(7);
    SizeUpdates sizes;
    std::set<std::int64_t> written;
    for (int turn = 0; turn < 2000; ++turn) {
        if (turn % 100 == 0) {
            sizes.erase(0);
            written.clear();
        }
        const std::int64_t offset = dice() % 200, bytes = 1 + dice() % 12;
        const std::size_t before = written.size();
        for (std::int64_t at = offset; at < offset + bytes; ++at) written.insert(at);
        CHECK((count(sizes, 0, offset, bytes) > 0) == (written.size() > before));
    }
}

TEST_CASE("a server counts one request after the other") {
    SizeUpdates sizes;
    CHECK(sizes.done(0, 10, 5) == 15);
    CHECK(sizes.done(0, 12, 5) == 20);  // waits until 15
    CHECK(sizes.done(1, 12, 5) == 17);
    CHECK(sizes.done(0, 30, 5) == 35);
}
