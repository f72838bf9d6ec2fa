#include "striate/programs/fold.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using striate::Folder;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("a loop in a loop moves its values by one stride per loop") {
    Folder folder(true);
    for (std::int64_t outer = 0; outer < 5; ++outer) {
        for (std::int64_t inner = 0; inner < 4; ++inner) folder.add(7, Numbers{1000 * outer + 8 * inner});
        folder.add(9, Numbers{});
    }

    const auto rows = folder.rows();

    CHECK(rows.shape == Numbers{0, 0, 7, 1, 9, 1});  // loop, loop, 7, end, 9, end
    CHECK(rows.count == Numbers{5, 4, 0, 0, 0, 0});
    CHECK(rows.free == Numbers{5, 4, 0});
    CHECK(rows.stride == Numbers{1000, 8});
    CHECK(rows.first_stride == Numbers{0, 0, 0, 2});
}

TEST_CASE("two passes of one operation are written out") {
    Folder folder(true);
    folder.add(7, Numbers{3});
    folder.add(7, Numbers{5});

    const auto rows = folder.rows();

    CHECK(rows.shape == Numbers{7, 7});
    CHECK(rows.pair == std::vector<std::uint8_t>{1, 2});
    CHECK(rows.free == Numbers{3, 5});
    CHECK(rows.stride.empty());
}

TEST_CASE("passes that are told at once join those that come") {
    Folder folder(true);
    folder.add_loop(Numbers{7}, Numbers{1}, Numbers{0}, Numbers{8}, 1000);
    folder.add(7, Numbers{8000});

    CHECK(folder.rows().count == Numbers{1001, 0, 0});
}

TEST_CASE("without folding nothing is looked for") {
    Folder folder(false);
    for (int i = 0; i < 3; ++i) folder.add(7, Numbers{0});

    CHECK(folder.rows().shape == Numbers{7, 7, 7});
}
