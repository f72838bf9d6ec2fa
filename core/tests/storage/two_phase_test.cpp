#include "striate/storage/two_phase.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

using namespace striate;

namespace {

using Column = std::vector<std::int64_t>;

struct Case {
    Column first_run{0}, offset{}, size{}, aggregators;
    std::int64_t buffer, align;
    bool cyclic = false;

    void rank(const std::vector<std::pair<std::int64_t, std::int64_t>>& runs) {
        for (const auto& [at, bytes] : runs) {
            offset.push_back(at);
            size.push_back(bytes);
        }
        first_run.push_back(static_cast<std::int64_t>(offset.size()));
    }
    [[nodiscard]] TwoPhasePlan plan() const {
        return plan_two_phase({first_run, offset, size}, {aggregators, buffer, align, cyclic});
    }
    // In which round which aggregator has the byte; a cyclic domain counts its own bytes from the first unit
    // of the turn in which the file range begins.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> home(const TwoPhasePlan& plan, std::int64_t first,
                                                             std::int64_t byte) const {
        const auto count = static_cast<std::int64_t>(aggregators.size());
        if (cyclic) {
            const std::int64_t unit = byte / align, turn = unit / count - first / align / count;
            return {(turn * align + byte % align) / buffer, unit % count};
        }
        std::size_t at = 0;
        while (byte >= plan.domain_end[at]) ++at;
        return {(byte - plan.domain_begin[at]) / buffer, static_cast<std::int64_t>(at)};
    }
};

}  // namespace

TEST_CASE("two ranks that interleave give each aggregator one contiguous half") {
    Case made{.aggregators = {0, 1}, .buffer = 100, .align = 1};
    made.rank({{0, 10}, {20, 10}});
    made.rank({{10, 10}, {30, 10}});
    const TwoPhasePlan plan = made.plan();
    // Domains [0, 20) and [20, 40): each rank sends 10 bytes to each, each aggregator writes 20 at once.
    CHECK((plan.rounds == 1 && plan.domain_begin == Column{0, 20} && plan.domain_end == Column{20, 40}));
    CHECK((plan.move_rank == Column{0, 1, 0, 1} && plan.move_aggregator == Column{0, 0, 1, 1}));
    CHECK((plan.piece_offset == Column{0, 10, 20, 30}));
    CHECK((plan.access_offset == Column{0, 20} && plan.access_size == Column{20, 20}));
}

TEST_CASE("a buffer smaller than the domain takes rounds, and holes are left alone") {
    Case made{.aggregators = {1}, .buffer = 16, .align = 1};
    made.rank({{100, 20}});
    made.rank({{140, 4}});
    const TwoPhasePlan plan = made.plan();
    // Rounds of 16 from 100: [100, 116), [116, 132), [132, 148).
    CHECK(plan.rounds == 3);
    CHECK((plan.access_offset == Column{100, 116, 140} && plan.access_size == Column{16, 4, 4}));
    CHECK((plan.move_round == Column{0, 1, 2} && plan.move_bytes == Column{16, 4, 4}));
}

TEST_CASE("domains begin at multiples of the alignment") {
    Case made{.aggregators = {0, 2}, .buffer = 1000, .align = 64};
    made.rank({{100, 150}});
    made.rank({});
    made.rank({{250, 50}});
    const TwoPhasePlan plan = made.plan();
    // [64, 300) is 4 units of 64, two each: the border is 64 + 128.
    CHECK((plan.domain_begin == Column{100, 192} && plan.domain_end == Column{192, 300}));
}

TEST_CASE("64 MiB of two ranks stay in their 64 MiB") {
    // The original simulator executes this one as [16, 48) and [64, 96) MiB.
    constexpr std::int64_t mib = 1 << 20;
    Case made{.aggregators = {0, 1}, .buffer = 16 * mib, .align = 1};
    made.rank({{0, 32 * mib}});
    made.rank({{32 * mib, 32 * mib}});
    const TwoPhasePlan plan = made.plan();
    CHECK((plan.rounds == 2 && plan.access_offset == Column{0, 32 * mib, 16 * mib, 48 * mib}));
    CHECK(plan.access_size == Column(4, 16 * mib));
}

TEST_CASE("nobody asks for anything") {
    Case made{.aggregators = {0}, .buffer = 10, .align = 1};
    made.rank({{5, 0}});
    CHECK((made.plan().rounds == 0 && made.plan().move_rank.empty()));
}

TEST_CASE("every byte asked for moves once from each asker and is accessed once, at its home") {
    std::mt19937_64 random(6);
    const auto below = [&](std::int64_t limit) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    for (int round = 0; round < 3000; ++round) {
        constexpr std::int64_t file = 200;
        const std::int64_t ranks = 1 + below(5);
        Case made{
            .aggregators = {}, .buffer = 1 + below(80), .align = 1 + below(40), .cyclic = below(2) == 0};
        std::vector<Column> asked(static_cast<std::size_t>(ranks), Column(file));
        std::int64_t first = file;
        for (auto& bytes : asked) {
            std::vector<std::pair<std::int64_t, std::int64_t>> runs;
            for (std::int64_t run = below(6); run > 0; --run) {
                const auto [at, size] = runs.emplace_back(below(150), below(40));
                std::fill_n(bytes.begin() + at, size, 1);
                if (size > 0) first = std::min(first, at);
            }
            made.rank(runs);
        }
        for (std::int64_t rank = 0; rank < ranks; ++rank) {
            if (rank == 0 || below(2) == 0) made.aggregators.push_back(rank);
        }
        std::shuffle(made.aggregators.begin(), made.aggregators.end(), random);
        const TwoPhasePlan plan = made.plan();
        // Counts the bytes of one run, which must be at home in this round with this aggregator.
        const auto count = [&](Column& counts, std::int64_t at, std::int64_t size, std::int64_t in_round,
                               std::int64_t aggregator) {
            for (std::int64_t byte = at; byte < at + size; ++byte) {
                CHECK((made.home(plan, first, byte) == std::pair(in_round, aggregator)));
                CHECK(plan.domain_begin[static_cast<std::size_t>(aggregator)] <= byte);
                CHECK(byte < plan.domain_end[static_cast<std::size_t>(aggregator)]);
                ++counts[static_cast<std::size_t>(byte)];
            }
        };

        std::vector<Column> moved(static_cast<std::size_t>(ranks), Column(file));
        for (std::size_t move = 0; move < plan.move_rank.size(); ++move) {
            Column& counts = moved[static_cast<std::size_t>(plan.move_rank[move])];
            for (auto piece = plan.first_piece[move]; piece < plan.first_piece[move + 1]; ++piece) {
                const auto at = static_cast<std::size_t>(piece);
                count(counts, plan.piece_offset[at], plan.piece_size[at], plan.move_round[move],
                      plan.move_aggregator[move]);
            }
        }
        CHECK(moved == asked);

        Column accessed(file), anyone(file);
        for (std::size_t access = 0; access < plan.access_round.size(); ++access) {
            CHECK(plan.access_bytes[access] <= made.buffer);
            for (auto run = plan.first_access_run[access]; run < plan.first_access_run[access + 1]; ++run) {
                const auto at = static_cast<std::size_t>(run);
                count(accessed, plan.access_offset[at], plan.access_size[at], plan.access_round[access],
                      plan.access_aggregator[access]);
            }
        }
        for (const auto& bytes : asked) {
            for (std::size_t byte = 0; byte < file; ++byte) anyone[byte] |= bytes[byte];
        }
        CHECK(accessed == anyone);
    }
}

TEST_CASE("nonsense is refused") {
    Case made{.aggregators = {0}, .buffer = 10, .align = 1};
    made.rank({{0, 10}});
    for (const Column& wrong : {Column{}, Column{1}, Column{-1}, Column{0, 0}}) {
        Case other = made;
        other.aggregators = wrong;
        CHECK_THROWS(other.plan());
    }
    Case unaligned = made;
    unaligned.align = 0;
    CHECK_THROWS(unaligned.plan());
    made.buffer = 0;
    CHECK_THROWS(made.plan());
    Case beyond{.aggregators = {0}, .buffer = 10, .align = 1};
    beyond.rank({{std::int64_t{1} << 62, std::int64_t{1} << 62}});
    CHECK_THROWS(beyond.plan());
}
