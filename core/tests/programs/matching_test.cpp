#include "striate/programs/matching.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using striate::any;
using striate::Envelope;
using striate::Matching;
using striate::none;

TEST_CASE("a receive takes the first message that fits, whoever came first") {
    Matching matching(2);
    std::vector<Matching::Match> matches;
    const Envelope five{0, 5, 0, 1};
    const Envelope six{0, 6, 0, 1};
    const auto first = matching.announce(five);
    const auto second = matching.announce(six);
    matching.arrive(five, first, 10, matches);
    matching.arrive(six, second, 11, matches);
    CHECK(matches.empty());
    CHECK(matching.unexpected() == 2);
    CHECK(matching.post(1, {0, 6, 0}, 20) == 11);
    CHECK(matching.post(1, {0, any, any}, 21) == 10);
    CHECK(matching.post(1, {0, any, any}, 22) == none);
    matching.arrive({0, 9, 0, 1}, matching.announce({0, 9, 0, 1}), 12, matches);
    CHECK((matches.size() == 1 && matches[0].send == 12 && matches[0].receive == 22));
}

TEST_CASE("a short message that overtakes a long one waits for its turn") {
    Matching matching(2);
    std::vector<Matching::Match> matches;
    const Envelope envelope{0, 1, 0, 1};
    const auto long_one = matching.announce(envelope);
    const auto short_one = matching.announce(envelope);
    CHECK(matching.post(1, {0, any, any}, 20) == none);
    CHECK(matching.post(1, {0, any, any}, 21) == none);
    matching.arrive(envelope, short_one, 11, matches);
    CHECK(matches.empty());
    matching.arrive(envelope, long_one, 10, matches);
    CHECK(matches.size() == 2);
    CHECK((matches[0].send == 10 && matches[0].receive == 20));
    CHECK((matches[1].send == 11 && matches[1].receive == 21));
}

TEST_CASE("contexts and exact tags keep messages apart") {
    Matching matching(3);
    std::vector<Matching::Match> matches;
    CHECK(matching.post(2, {0, 7, 0}, 20) == none);
    CHECK(matching.post(2, {1, 7, any}, 21) == none);
    matching.arrive({1, 7, 1, 2}, matching.announce({1, 7, 1, 2}), 10, matches);
    CHECK((matches.size() == 1 && matches[0].receive == 21));
    matching.arrive({0, 8, 0, 2}, matching.announce({0, 8, 0, 2}), 11, matches);
    CHECK(matches.size() == 1);
    CHECK(matching.unexpected_at(2).size() == 1);
}

TEST_CASE("who takes any tag does not take messages that calls are made of") {
    Matching matching(2);
    std::vector<Matching::Match> matches;
    const Envelope hidden{0, -2, 0, 1};
    CHECK(matching.post(1, {0, any, any}, 20) == none);
    matching.arrive(hidden, matching.announce(hidden), 10, matches);
    CHECK(matches.empty());
    CHECK(matching.post(1, {0, -2, 0}, 21) == 10);
}

TEST_CASE("a message has to fit into its receive, and a receive of 0 bytes takes whatever comes") {
    const Envelope envelope{0, 1, 0, 1};
    expect_room(envelope, 8, 8);
    expect_room(envelope, 8, 0);
    CHECK_THROWS(expect_room(envelope, 8, 7));
}
