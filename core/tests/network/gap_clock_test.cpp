#include "striate/network/gap_clock.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using namespace striate;

namespace {

// The same clock by a plain list of gaps.
struct SlowClock {
    struct Gap {
        Ticks from, to;
    };
    std::size_t kept;
    Ticks end = 0;
    std::vector<Gap> gaps;

    Ticks serve(Ticks ready, Ticks work) {
        std::vector<Gap> left;
        bool done = false;
        Ticks over = 0;
        for (const Gap& gap : ready < end ? std::exchange(gaps, {}) : std::vector<Gap>{}) {
            const Ticks from = std::max(gap.from, ready), to = std::min(gap.to, from + work);
            if (done || gap.to <= ready) {
                left.push_back(gap);
                continue;
            }
            if (gap.from < from) left.push_back({gap.from, from});
            if (to < gap.to) left.push_back({to, gap.to});
            done = gap.to - from >= work;
            work -= to - from;
            over = to;
        }
        if (ready < end) gaps = left;
        if (done) return over;
        const Ticks begun = std::max(end, ready);
        if (begun > end) gaps.push_back({end, begun});
        return end = begun + work;
    }

    void forget() {
        while (gaps.size() > kept) gaps.erase(gaps.begin());
    }
};

}  // namespace

TEST_CASE("work that is told late is done in the gap that was left") {
    GapClock<4> clock;
    CHECK(clock.serve(10, 5).begun == 10);  // idle 0..10, busy 10..15
    const auto late = clock.serve(2, 6);
    CHECK(late.begun == 2);
    CHECK(late.over == 8);
    CHECK(clock.end() == 15);
}

TEST_CASE("work longer than a gap goes on after what follows it") {
    GapClock<4> clock;
    (void)clock.serve(10, 5);
    const auto split = clock.serve(4, 9);  // 4..10 in the gap, 3 more after 15
    CHECK(split.begun == 4);
    CHECK(split.over == 18);
    const auto before = clock.serve(0, 4);  // 0..4 is still idle
    CHECK(before.begun == 0);
    CHECK(before.over == 4);
    CHECK(clock.serve(0, 1).begun == 18);  // and nothing is left
}

TEST_CASE("with too many gaps the earliest is forgotten") {
    GapClock<2> clock;
    for (const Ticks ready : {10, 20, 30}) (void)clock.serve(ready, 1);  // gaps 0..10, 11..20, 21..30
    CHECK(clock.serve(0, 5).begun == 11);
    CHECK(clock.serve(0, 9).over == 26);  // 16..20, then 21..26
}

TEST_CASE("no work takes no time and leaves the clock as it is") {
    GapClock<2> clock;
    (void)clock.serve(3, 4);
    CHECK(clock.serve(1, 0).over == 1);
    CHECK(clock.end() == 7);
}

TEST_CASE("a leveled clock has no past") {
    GapClock<2> clock;
    (void)clock.serve(10, 1);
    clock.level(50);
    CHECK(clock.serve(0, 1).begun == 50);
}

TEST_CASE_TEMPLATE("gaps are a list from which the earliest leave", Clock, GapClock<4>, GapClock<200>) {
    constexpr std::size_t kept = std::is_same_v<Clock, GapClock<4>> ? 4 : 200;
    std::mt19937_64 random(7);
    for (int round = 0; round < 200; ++round) {
        Clock clock;
        SlowClock slow{kept, 0, {}};
        Ticks now = 0;
        const auto late = round % 2 == 0 ? 60 : 6000;
        for (int step = 0; step < (kept == 4 ? 60 : 600); ++step) {
            now += static_cast<Ticks>(random() % 30);
            const Ticks ready =
                now - std::min(now, static_cast<Ticks>(
                                        random() % static_cast<std::uint64_t>(step % 7 == 0 ? late : 60)));
            const Ticks work = static_cast<Ticks>(random() % 12);
            CAPTURE(round);
            CAPTURE(step);
            REQUIRE(clock.serve(ready, work).over == slow.serve(ready, work));
            slow.forget();
            REQUIRE(clock.end() == slow.end);
        }
    }
}
