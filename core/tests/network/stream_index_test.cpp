#include "striate/network/stream_index.hpp"

#include <doctest/doctest.h>

#include <map>
#include <random>

using namespace striate;

TEST_CASE("streams are found by their keys while others come and go") {
    std::mt19937_64 random(1);
    StreamIndex index;
    std::map<std::uint64_t, std::uint32_t> known;
    for (std::uint32_t turn = 0; turn < 20'000; ++turn) {
        const std::uint64_t key = (random() % 700) << 32 | random() % 2;
        if (random() % 3 == 0) {
            index.erase(key);
            known.erase(key);
        } else {
            index.set(key, turn);
            known[key] = turn;
        }
        const std::uint64_t other = (random() % 700) << 32 | random() % 2;
        const auto found = known.find(other);

        CHECK(index.find(other) == (found == known.end() ? StreamIndex::nothing : found->second));
    }
    CHECK(index.size() == known.size());
}
