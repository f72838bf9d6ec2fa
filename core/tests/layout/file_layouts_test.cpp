#include "striate/layout/file_layouts.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace striate;

TEST_CASE("a file begins on the server of its number, whatever its layout") {
    FileLayouts layouts(3, 10);
    layouts.add(1, 2, SimpleStripe(2, 5));
    const std::int64_t offset[] = {0}, size[] = {10};
    CHECK((layouts.plan(0, {offset, size}).server == std::vector<std::int64_t>{0}));
    CHECK((layouts.plan(1, {offset, size}).server == std::vector<std::int64_t>{1, 2}));
    CHECK((layouts.plan(2, {offset, size}).server == std::vector<std::int64_t>{2, 0}));
    CHECK((layouts.own(0) == nullptr && layouts.own(2) != nullptr && layouts.own(3) == nullptr));
}

TEST_CASE("a layout of more servers than the machine has is refused") {
    FileLayouts layouts(2, 10);
    CHECK_THROWS(layouts.add(0, 1, SimpleStripe(3, 5)));
}

TEST_CASE("a file on one server is loaded alike everywhere") {
    CHECK(period_of(SimpleStripe(1, std::int64_t{1} << 62)) == 1);
    CHECK(period_of(SimpleStripe(3, 7)) == 21);
    CHECK(period_of(GroupedBlocks(4, 100, 2, 1)) == 200);
}
