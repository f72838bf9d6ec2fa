#include "striate/programs/processors.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using striate::Processors;
using striate::Ticks;
using Cookies = std::vector<std::uint64_t>;

namespace {

// Times in nanoseconds, so that the nanosecond in which an end is noticed shows as 1.
constexpr Ticks ns = 1000;
Processors one_node(std::int32_t cpus) {
    return {std::vector<std::int32_t>{cpus}, striate::Rounding::nearest_picosecond};
}

}  // namespace

TEST_CASE("two jobs on one CPU take turns: both run at half speed") {
    Processors processors = one_node(1);
    CHECK(processors.start(0, 0, 100 * ns, 1).time == 101 * ns);
    const auto alarm = processors.start(0, 40 * ns, 100 * ns, 2);  // 60 left at half speed
    CHECK(alarm.time == (40 + 120 + 1) * ns);
    Cookies over;
    const auto next = processors.finish(0, 161 * ns, alarm.generation, over);
    CHECK((over == Cookies{1}));
    CHECK(next.time ==
          161 * ns + 39 * ns + 500 + ns);  // the second has done 60.5 of 100 and has the CPU alone
    CHECK(processors.finish(0, next.time, next.generation, over).time == -1);
    CHECK((over == Cookies{1, 2}));
}

TEST_CASE("a free CPU leaves the others' pace alone") {
    Processors processors = one_node(2);
    const auto first = processors.start(0, 0, 100 * ns, 1);
    CHECK(processors.start(0, 10 * ns, 500 * ns, 2).time == -1);  // the first alarm stands
    Cookies over;
    CHECK(processors.finish(0, 101 * ns, first.generation, over).time == 511 * ns);
    CHECK((over == Cookies{1}));
    CHECK(processors.busy(0) == (10 + 2 * 91) * ns);
}

TEST_CASE("of two jobs that end within a moment each is noticed in its own") {
    Processors processors = one_node(2);
    const auto first = processors.start(0, 0, 100 * ns, 1);
    CHECK(processors.start(0, 0, 100 * ns + 1, 2).time == -1);
    Cookies over;
    const auto second = processors.finish(0, 101 * ns, first.generation, over);
    CHECK((over == Cookies{1}));
    CHECK(second.time == 101 * ns + 1);
    CHECK(processors.finish(0, second.time, second.generation, over).time == -1);
    CHECK((over == Cookies{1, 2}));
}

TEST_CASE("an alarm that plans have overtaken does nothing") {
    Processors processors = one_node(1);
    const auto stale = processors.start(0, 0, 100 * ns, 1);
    const auto valid = processors.start(0, 0, 100 * ns, 2);
    Cookies over;
    CHECK(processors.finish(0, 101 * ns, stale.generation, over).time == -1);
    CHECK(over.empty());
    CHECK(processors.finish(0, 201 * ns, valid.generation, over).time == -1);
    CHECK((over == Cookies{1, 2}));
}

TEST_CASE("three jobs on two CPUs: the sum of work is done in time") {
    Processors processors = one_node(2);
    static_cast<void>(processors.start(0, 0, 90 * ns, 1));
    static_cast<void>(processors.start(0, 0, 90 * ns, 2));
    CHECK(processors.start(0, 0, 90 * ns, 3).time == 136 * ns);  // 270 of work on two CPUs
    CHECK_THROWS(processors.start(0, 0, -1, 4));
    CHECK_THROWS(one_node(0));
}

TEST_CASE("a job may tell how late its end is noticed") {
    Processors processors = one_node(1);
    const auto alarm = processors.start(0, 0, 0, 1, 7);
    CHECK(alarm.time == 7);
    Cookies over;
    CHECK(processors.finish(0, 7, alarm.generation, over).time == -1);
    CHECK((over == Cookies{1}));
}

TEST_CASE("the old clock cuts a job to whole nanoseconds, the nanosecond of its end included") {
    Processors processors(std::vector<std::int32_t>{1}, striate::Rounding::truncated_nanoseconds);
    CHECK(processors.start(0, 0, 1128, 1).time == 2 * ns);  // 1.128 + 1
    CHECK(processors.start(0, 0, 1128, 2).time == 3 * ns);  // 2.256 + 1, shared by two
}
