#include "striate/records/rows.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

using striate::move_rows;
using striate::RowPart;
using striate::split_rows;

namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t count, std::mt19937& random) {
    Bytes bytes(count);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
}

}  // namespace

TEST_CASE("rows are the records of all parts side by side, and come apart again") {
    // Two rows of parts of 1 and 2 bytes: a bc, d ef; taken apart: a d, bc ef.
    const Bytes narrow{std::byte{'a'}, std::byte{'d'}},
        wide{std::byte{'b'}, std::byte{'c'}, std::byte{'e'}, std::byte{'f'}};
    const std::vector<RowPart> parts{{narrow, 1}, {wide, 2}};
    const std::vector<std::int32_t> to{1, 0};
    Bytes rows(6), columns(6);
    move_rows<std::int32_t>(rows, to, parts, {}, 2);
    CHECK(rows == Bytes{std::byte{'d'}, std::byte{'e'}, std::byte{'f'}, std::byte{'a'}, std::byte{'b'},
                        std::byte{'c'}});
    split_rows(columns, rows, std::vector<std::size_t>{1, 2});
    CHECK(columns == Bytes{std::byte{'d'}, std::byte{'a'}, std::byte{'e'}, std::byte{'f'}, std::byte{'b'},
                           std::byte{'c'}});
}

TEST_CASE("any rows are moved as one record after another would be") {
    std::mt19937 random(5);
    for (int turn = 0; turn < 200; ++turn) {
        const std::size_t records = 1 + random() % 2000, places = 1 + random() % 2000,
                          count = std::min(records, places) - random() % std::min(records, places);
        std::vector<std::size_t> sizes;
        for (std::size_t k = random() % 12 + 1; k > 0; --k)
            sizes.push_back(turn % 4 < 2 ? random() % 41 : random() % 3 * 4);  // tiles of 4 and of 8
        std::size_t row = 0;
        std::vector<Bytes> sources;
        std::vector<RowPart> parts;
        for (const std::size_t size : sizes) {
            sources.push_back(random_bytes(records * size, random));
            row += size;
        }
        for (std::size_t k = 0; k < sizes.size(); ++k) parts.push_back({sources[k], sizes[k]});
        std::vector<std::int64_t> to(turn % 3 == 0 ? 0 : count), from(turn % 2 == 0 ? 0 : count);
        for (auto& place : to) place = static_cast<std::int64_t>(random() % places);
        for (auto& entry : from) entry = static_cast<std::int64_t>(random() % records);
        Bytes found = random_bytes(places * row, random), wanted = found;
        move_rows<std::int64_t>(found, to, parts, from, count);
        for (std::size_t k = 0; k < count; ++k) {
            std::size_t at = (to.empty() ? k : static_cast<std::size_t>(to[k])) * row;
            const std::size_t entry = from.empty() ? k : static_cast<std::size_t>(from[k]);
            for (const RowPart& part : parts)
                for (std::size_t byte = 0; byte < part.size; ++byte)
                    wanted[at++] = part.records[entry * part.size + byte];
        }
        CHECK(found == wanted);

        Bytes columns(found.size()), apart;
        split_rows(columns, found, sizes);
        for (std::size_t k = 0, first = 0; k < sizes.size(); first += sizes[k++])
            for (std::size_t at = 0; at < places; ++at)
                for (std::size_t byte = 0; byte < sizes[k]; ++byte)
                    apart.push_back(found[at * row + first + byte]);
        CHECK(columns == apart);
    }
}

TEST_CASE("nothing outside the rows is touched") {
    const Bytes source(12);
    const std::vector<RowPart> parts{{source, 4}, {source, 2}};
    Bytes rows(18);
    const std::vector<std::int32_t> outside{0, 3}, negative{0, -1}, inside{0, 2}, short_list{0};
    const std::vector<std::int32_t> none;
    CHECK_THROWS_AS(move_rows<std::int32_t>(rows, outside, parts, none, 2), std::out_of_range);
    CHECK_THROWS_AS(move_rows<std::int32_t>(rows, negative, parts, none, 2), std::out_of_range);
    CHECK_THROWS_AS(move_rows<std::int32_t>(rows, inside, parts, outside, 2), std::out_of_range);
    CHECK_THROWS_AS(move_rows<std::int32_t>(rows, short_list, parts, none, 2), std::out_of_range);
    CHECK_THROWS_AS(move_rows<std::int32_t>(rows, none, parts, none, 4), std::out_of_range);
    CHECK_NOTHROW(move_rows<std::int32_t>(rows, inside, parts, none, 2));
    const std::vector<std::size_t> sizes{4, 2}, odd{4, 3};
    CHECK_THROWS_AS(split_rows(rows, std::span(source), sizes), std::out_of_range);
    CHECK_THROWS_AS(split_rows(rows, Bytes(18), odd), std::out_of_range);
}
