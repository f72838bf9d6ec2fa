#include "striate/storage/read_cache.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <random>
#include <vector>

using namespace striate;

namespace {

constexpr std::int64_t far = 1'000'000;  // the end of the file

}  // namespace

TEST_CASE("what was read is there the second time") {
    ReadCache cache({100, 1000, 0});
    const Lookup first = cache.read(0, 150, 100, far);  // pages 1 and 2
    CHECK((first.hit_bytes == 0 && first.missing == std::vector<FileRange>{{100, 200}}));
    cache.fill(0, 100, 200, far);
    const Lookup second = cache.read(0, 150, 100, far);
    CHECK((second.hit_bytes == 100 && second.missing.empty()));
    CHECK((cache.hits() == 100 && cache.misses() == 100));
}

TEST_CASE("the page used longest ago leaves first") {
    ReadCache cache({100, 200, 0});
    cache.fill(0, 0, 100, far);
    cache.fill(0, 100, 100, far);
    (void)cache.read(0, 0, 1, far);  // page 0 is the more recent now
    cache.fill(0, 200, 100, far);    // page 1 leaves
    CHECK(cache.read(0, 100, 100, far).hit_bytes == 0);
    CHECK(cache.read(0, 0, 100, far).hit_bytes == 100);
    CHECK(cache.pages() == 2);
}

TEST_CASE("a reader in sequence is read ahead for, up to the end of the file") {
    ReadCache cache({100, 10000, 300});
    CHECK((cache.read(0, 0, 100, far).missing == std::vector<FileRange>{{0, 100}}));  // not yet in sequence
    CHECK((cache.read(0, 100, 100, far).missing == std::vector<FileRange>{{100, 400}}));
    cache.fill(0, 100, 400, far);
    CHECK(cache.read(0, 200, 100, 650).hit_bytes == 100);
    CHECK(cache.read(0, 300, 200, 650).missing.empty());  // nobody waits: nothing is read ahead
    CHECK((cache.read(0, 500, 50, 650).missing == std::vector<FileRange>{{500, 150}}));
}

TEST_CASE("part of a page written does not make the page known") {
    ReadCache cache({100, 1000, 0});
    cache.fill(0, 50, 100, far);  // parts of pages 0 and 1
    CHECK(cache.pages() == 0);
    cache.fill(0, 900, 60, 960);  // all there is of the last page
    CHECK(cache.read(0, 900, 60, 960).hit_bytes == 60);
}

TEST_CASE("a page that packets bring piece by piece is known with the last of them") {
    ReadCache cache({100, 1000, 0});
    cache.fill(0, 0, 40, far);
    cache.fill(1, 40, 60, far);  // of another file
    cache.fill(0, 40, 30, far);
    CHECK(cache.read(0, 0, 70, far).hit_bytes == 0);
    cache.fill(0, 70, 50, far);  // the rest of page 0, and the beginning of page 1
    CHECK(cache.read(0, 0, 100, far).hit_bytes == 100);
    CHECK(cache.read(0, 100, 20, far).hit_bytes == 0);
    cache.fill(0, 150, 50, far);  // 120 to 150 were never written
    CHECK(cache.read(0, 100, 100, far).hit_bytes == 0);
    cache.fill(0, 100, 50, far);
    CHECK(cache.read(0, 100, 100, far).hit_bytes == 100);
}

TEST_CASE("there is nothing beyond the end of the file") {
    ReadCache cache({100, 1000, 300});
    CHECK((cache.read(0, 250, 100, 300).missing == std::vector<FileRange>{{200, 100}}));
    CHECK(cache.read(0, 400, 100, 300).missing.empty());
    CHECK(cache.misses() == 50);
}

TEST_CASE("any history equals a list of pages that is searched") {
    std::mt19937_64 random(4);
    for (int round = 0; round < 300; ++round) {
        const auto pages = static_cast<std::int64_t>(random() % (round % 2 == 0 ? 6 : 60));
        ReadCache cache({10, pages * 10, 0});
        std::list<std::pair<std::int64_t, std::int64_t>> recent;  // newest first
        for (int step = 0; step < 80; ++step) {
            const auto file = static_cast<std::int64_t>(random() % 2);
            const auto page = static_cast<std::int64_t>(random() % (round % 2 == 0 ? 8 : 60));
            const auto found = std::find(recent.begin(), recent.end(), std::pair(file, page));
            const bool present = found != recent.end();
            const Lookup lookup = cache.read(file, page * 10 + 3, 4, far);
            CHECK((lookup.hit_bytes == (present ? 4 : 0) && lookup.missing.empty() == present));
            if (present) recent.splice(recent.begin(), recent, found);
            const auto count = static_cast<std::int64_t>(1 + random() % (round % 2 == 0 ? 1 : 40));
            cache.fill(file, page * 10, count * 10, far);
            for (std::int64_t next = page; next < page + count; ++next) {
                recent.remove(std::pair(file, next));
                recent.emplace_front(file, next);
                if (std::ssize(recent) > pages) recent.pop_back();
            }
            CHECK(cache.pages() == std::ssize(recent));
        }
    }
}

TEST_CASE("nonsense is refused") {
    CHECK_THROWS(ReadCache({0, 100, 0}));
    CHECK_THROWS(ReadCache({10, -1, 0}));
}
