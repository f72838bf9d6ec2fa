#include "striate/processors.hpp"

#include <cstdint>
#include <vector>

#include "check.hpp"

using striate::Processors;
using striate::Ticks;
using Cookies = std::vector<std::uint64_t>;

TEST("two jobs on one CPU take turns: both run at half speed") {
    Processors processors(std::vector<std::int32_t>{1});
    CHECK(processors.start(0, 0, 100, 1).time == 100);
    const auto alarm = processors.start(0, 40, 100, 2);  // 60 left at half speed
    CHECK(alarm.time == 40 + 120);
    Cookies over;
    const auto next = processors.finish(0, 160, alarm.generation, over);
    CHECK((over == Cookies{1}));
    CHECK(next.time == 160 + 40);  // the second has done 60 of 100 and now has the CPU alone
    CHECK(processors.finish(0, 200, next.generation, over).time == -1);
    CHECK((over == Cookies{1, 2}));
    CHECK(processors.busy(0) == 200);
}

TEST("a free CPU leaves the others' pace alone") {
    Processors processors(std::vector<std::int32_t>{2});
    const auto first = processors.start(0, 0, 100, 1);
    CHECK(processors.start(0, 10, 500, 2).time == -1);  // the alarm at 100 stands
    Cookies over;
    CHECK(processors.finish(0, 100, first.generation, over).time == 510);
    CHECK((over == Cookies{1}));
}

TEST("an alarm that plans have overtaken does nothing") {
    Processors processors(std::vector<std::int32_t>{1});
    const auto stale = processors.start(0, 0, 100, 1);
    const auto valid = processors.start(0, 0, 100, 2);
    Cookies over;
    CHECK(processors.finish(0, 100, stale.generation, over).time == -1);
    CHECK(over.empty());
    CHECK(processors.finish(0, 200, valid.generation, over).time == -1);
    CHECK((over == Cookies{1, 2}));
}

TEST("three jobs on two CPUs: the sum of work is done in time") {
    Processors processors(std::vector<std::int32_t>{2});
    static_cast<void>(processors.start(0, 0, 90, 1));
    static_cast<void>(processors.start(0, 0, 90, 2));
    const auto alarm = processors.start(0, 0, 90, 3);
    CHECK(alarm.time == 135);  // 270 of work on two CPUs
    CHECK_THROWS(processors.start(0, 0, -1, 4));
    CHECK_THROWS(Processors(std::vector<std::int32_t>{0}));
}

RUN_ALL_TESTS
