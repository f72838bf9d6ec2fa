#include "striate/layout/access_plan.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "striate/layout/grouped_blocks.hpp"
#include "striate/layout/simple_stripe.hpp"
#include "striate/layout/two_d_stripe.hpp"

using namespace striate;

namespace {

using Column = std::vector<std::int64_t>;

template <class Layout>
void expect_every_byte_once(const Layout& layout, const Column& offsets, const Column& sizes) {
    std::multiset<std::pair<std::int64_t, std::int64_t>> expected, planned;
    for (std::size_t run = 0; run < offsets.size(); ++run) {
        for (std::int64_t byte = offsets[run]; byte < offsets[run] + sizes[run]; ++byte) {
            const Place place = layout.locate(byte);
            expected.emplace(place.server, place.physical);
        }
    }
    const AccessPlan plan = plan_access(layout, {offsets, sizes});
    for (std::size_t request = 0; request < plan.server.size(); ++request) {
        std::int64_t total = 0;
        for (auto run = plan.first_run[request]; run < plan.first_run[request + 1]; ++run) {
            const auto at = static_cast<std::size_t>(run);
            CHECK(layout.logical(plan.server[request], plan.physical[at]) == plan.offset[at]);
            for (std::int64_t byte = 0; byte < plan.bytes[at]; ++byte) {
                planned.emplace(plan.server[request], plan.physical[at] + byte);
            }
            total += plan.bytes[at];
        }
        CHECK(total == plan.request_bytes[request]);
    }
    CHECK(planned == expected);
}

}  // namespace

TEST_CASE("a contiguous access is one run on every server it touches") {
    const SimpleStripe layout(3, 100);
    const Column offsets{50}, sizes{700};
    const AccessPlan plan = plan_access(layout, {offsets, sizes});
    // Strips 0..7: server 0 has [50, 100) + 2 strips, server 1 has 2 strips + [700, 750), server 2 has 2.
    CHECK((plan.server == Column{0, 1, 2} && plan.first_run == Column{0, 1, 2, 3}));
    CHECK((plan.physical == Column{50, 0, 0} && plan.bytes == Column{250, 250, 200}));
    CHECK((plan.offset == Column{50, 100, 200}));
}

TEST_CASE("runs keep the order of the access, and neighbours on a server are one") {
    const SimpleStripe layout(2, 10);
    const Column offsets{20, 5, 0, 40}, sizes{10, 5, 5, 10};
    const AccessPlan plan = plan_access(layout, {offsets, sizes});
    // All on server 0, at 10, 5, 0, 20: nothing continues, but [5, 10) before [0, 5) stays so.
    CHECK((plan.physical == Column{10, 5, 0, 20} && plan.request_bytes == Column{30}));
    const Column ascending{0, 20}, strips{10, 10};
    CHECK((plan_access(layout, {ascending, strips}).bytes == Column{20}));
}

TEST_CASE("every byte is asked for once, whatever the layout") {
    std::mt19937_64 random(7);
    for (int round = 0; round < 400; ++round) {
        Column offsets, sizes;
        for (std::uint64_t run = random() % 6; run > 0; --run) {
            offsets.push_back(static_cast<std::int64_t>(random() % 300));
            sizes.push_back(static_cast<std::int64_t>(random() % 120));
        }
        const auto unit = static_cast<std::int64_t>(1 + random() % 20);
        const auto servers = static_cast<std::int64_t>(1 + random() % 5);
        expect_every_byte_once(SimpleStripe(servers, unit), offsets, sizes);
        expect_every_byte_once(
            TwoDStripe(servers, unit, 1 + static_cast<std::int64_t>(random() % 2) % servers, 2), offsets,
            sizes);
        expect_every_byte_once(GroupedBlocks(servers, unit, 1, 4), offsets, sizes);
    }
}

TEST_CASE("a run of a million strips costs as much as one") {
    const SimpleStripe layout(8, 1);
    const Column offsets{0}, sizes{std::int64_t{1} << 60};
    const AccessPlan plan = plan_access(layout, {offsets, sizes});
    CHECK(std::accumulate(plan.bytes.begin(), plan.bytes.end(), std::int64_t{0}) == std::int64_t{1} << 60);
}
