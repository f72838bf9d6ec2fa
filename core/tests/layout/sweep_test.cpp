// Loops over layouts: the sums by stretches against every pass planned by itself.
#include "striate/layout/sweep.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "striate/layout/layout_load.hpp"
#include "striate/layout/stripe.hpp"

using namespace striate;

namespace {

struct Sums {
    std::vector<std::int64_t> bytes, requests;
    bool operator==(const Sums&) const = default;
};

// The twin: every pass by itself.
void add_passes(const FileLayouts& layouts, std::int64_t offset, std::int64_t size,
                std::span<const Sweep> loops, Sums& sums) {
    if (!loops.empty()) {
        for (std::int64_t pass = 0; pass < loops.front().count; ++pass) {
            add_passes(layouts, offset + pass * loops.front().step, size, loops.subspan(1), sums);
        }
        return;
    }
    const std::int64_t from[] = {offset}, length[] = {size};
    const AccessPlan plan = layouts.plan(0, {from, length});
    for (std::size_t request = 0; request < plan.server.size(); ++request) {
        const auto server = static_cast<std::size_t>(plan.server[request]);
        sums.bytes[server] += plan.request_bytes[request];
        sums.requests[server] += plan.first_run[request + 1] - plan.first_run[request];
    }
}

Sums one_by_one(const FileLayouts& layouts, std::int64_t offset, std::int64_t size,
                std::span<const Sweep> loops) {
    const auto servers = static_cast<std::size_t>(layouts.servers());
    Sums sums{std::vector<std::int64_t>(servers), std::vector<std::int64_t>(servers)};
    add_passes(layouts, offset, size, loops, sums);
    return sums;
}

const std::function<void()> never;

Sums by_stretches(const FileLayouts& layouts, std::int64_t offset, std::int64_t size,
                  std::span<const Sweep> loops) {
    Pulse pulse(never);
    LayoutLoad load(layouts.servers());
    load.add_swept(layouts, 0, offset, size, LayoutLoad::swept(*layouts.own(0), loops), pulse);
    return {load.bytes(), load.requests()};
}

class Draws {
  public:
    explicit Draws(std::uint64_t seed) : random_(seed) {}
    std::int64_t from(std::int64_t least, std::int64_t most) {
        return least + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
    }

    AnyLayout layout(std::int64_t servers) {
        const std::int64_t unit = from(1, 12);
        switch (from(0, 5)) {
            case 0:
                return SimpleStripe(servers, unit);
            case 1:
                return TwoDStripe(servers, unit, from(1, servers), from(1, 3));
            case 2: {
                const std::int64_t factor = from(1, servers);
                return GroupedBlocks(servers, from(factor, 4 * factor * unit), factor, from(1, 5));
            }
            case 3: {
                std::vector<std::int64_t> where, sizes;
                for (std::int64_t strip = 0; strip < 2 * servers; ++strip) {
                    where.push_back(strip < servers ? strip : from(0, servers - 1));
                    sizes.push_back(from(1, 9));
                }
                return VarStrip(where, sizes);
            }
            default:
                return components(servers);
        }
    }

    std::vector<Sweep> loops() {
        std::vector<Sweep> made;
        for (std::int64_t depth = from(0, 3); depth > 0; --depth) {
            const std::int64_t step = from(0, 4) == 0 ? from(0, 3) : from(-60, 200);
            made.push_back({step, from(from(0, 9) == 0 ? 0 : 1, depth == 1 ? 60 : 7)});
        }
        if (made.size() > 1 && from(0, 3) == 0) made[0].step = made[1].step * made[1].count;
        return made;
    }

  private:
    AnyLayout components(std::int64_t servers) {
        std::vector<std::int64_t> ends, counts, units, targets;
        for (std::int64_t left = from(1, 3), end = 0; left > 0; --left) {
            end = left == 1 ? std::numeric_limits<std::int64_t>::max() : end + from(1, 90);
            ends.push_back(end);
            counts.push_back(from(1, servers));
            units.push_back(from(1, 12));
            for (std::int64_t target = 0; target < counts.back(); ++target) {
                targets.push_back(from(0, servers - 1));
            }
        }
        return Progressive(servers, ends, counts, units, targets);
    }

    std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("stretches add up to every pass by itself, for every kind of layout") {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Draws draw(seed);
        const std::int64_t servers = draw.from(1, 5);
        FileLayouts layouts(servers, draw.from(1, 12));
        layouts.add(0, 1, draw.layout(servers));
        const std::vector<Sweep> loops = draw.loops();
        const std::int64_t offset = 60'000 + draw.from(0, 99), size = draw.from(0, 80);
        CAPTURE(seed);
        CHECK((by_stretches(layouts, offset, size, loops) == one_by_one(layouts, offset, size, loops)));
    }
}

TEST_CASE("a plain stripe adds up to every pass by itself") {
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        Draws draw(seed);
        const std::int64_t servers = draw.from(1, 5), unit = draw.from(1, 12);
        const FileLayouts layouts(servers, unit);
        const std::vector<Sweep> loops = draw.loops();
        const std::int64_t offset = 60'000 + draw.from(0, 99), size = draw.from(0, 80);
        Pulse pulse(never);
        StripeLoad load(unit, servers);
        load.add_swept(offset, size, load.swept(loops), pulse);
        CAPTURE(seed);
        CHECK((Sums{load.bytes(), load.requests()} == one_by_one(layouts, offset, size, loops)));
    }
}

TEST_CASE("loops that move by whole periods are planned once") {
    FileLayouts layouts(4, 10);
    layouts.add(0, 1, TwoDStripe(4, 10, 2, 3));  // 60 bytes in one group of two servers, then in the other
    const Sweep loops[] = {{120, 1000}, {10, 2}};
    CHECK(LayoutLoad::swept(*layouts.own(0), loops).stretches() == 2);
    const Sums sums = by_stretches(layouts, 60, 10, loops);
    CHECK((sums.bytes == std::vector<std::int64_t>{0, 0, 10'000, 10'000}));
    CHECK((sums.requests == std::vector<std::int64_t>{0, 0, 1000, 1000}));
}

TEST_CASE("half a million small writes make a few stretches, whatever their stride") {
    constexpr std::int64_t mebibyte = 1 << 20, writes = 536'870;
    const SimpleStripe stripe(4, mebibyte);
    for (const std::int64_t step : {std::int64_t{1000}, 4096 * std::int64_t{1000}, std::int64_t{47'008},
                                    4096 * std::int64_t{47'008}, std::int64_t{1'234'577}}) {
        const Sweep loops[] = {{step, writes}};
        const SweptPeriod swept = LayoutLoad::swept(stripe, loops);
        CAPTURE(step);
        CHECK(swept.stretches() < 4200);  // sqrt(8 n strips) = 4145
        std::int64_t passes = 0, made = 0;
        Pulse pulse(never);
        swept.walk(stripe, 0, 1000, pulse, [&](const Stretch& stretch) {
            passes += stretch.passes * stretch.times;
            ++made;
        });
        CHECK(passes == writes);
        CHECK(static_cast<double>(made) < 2 * swept.stretches() + 8);
    }
}

TEST_CASE("a long walk asks whether it may go on") {
    const std::function<void()> stop = [] { throw std::runtime_error("stop"); };
    Pulse pulse(stop);
    FileLayouts layouts(3, 10);
    layouts.add(0, 1, SimpleStripe(3, 7));
    const Sweep loops[] = {{1, 1000}, {11, 1000}};
    LayoutLoad load(3);
    const SweptPeriod swept = LayoutLoad::swept(*layouts.own(0), loops);
    const auto often = [&] {
        for (int turn = 0; turn < 1000; ++turn) load.add_swept(layouts, 0, 0, 5, swept, pulse);
    };
    CHECK_THROWS_AS(often(), std::runtime_error);
}

TEST_CASE("more than 2^63 - 1 bytes are refused") {
    FileLayouts layouts(3, 10);
    layouts.add(0, 1, SimpleStripe(3, 7));
    const Sweep loops[] = {{0, std::int64_t{1} << 40}, {1, std::int64_t{1} << 20}};
    CHECK_THROWS(by_stretches(layouts, 0, 1000, loops));
}
