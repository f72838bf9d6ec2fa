// What an access asks of each server: its bytes there, as runs in that server's own file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "striate/layout/extents.hpp"
#include "striate/layout/layout_columns.hpp"
#include "striate/refusal.hpp"

namespace striate {

// Request i goes to server[i], in order of the servers, with runs first_run[i] up to first_run[i + 1]:
// `physical` in the server's file, `bytes`, and `offset` in the file accessed where the run's first byte
// comes from. Runs keep the order of the access; neighbours both in the access and on the server are one run.
struct AccessPlan {
    std::vector<std::int64_t> server;
    std::vector<std::int64_t> first_run{0};
    std::vector<std::int64_t> physical, bytes, offset;
    std::vector<std::int64_t> request_bytes;  // per request, all its runs together
};

class GroupedBlocks;

namespace plan {

// Whether a server's file has holes that no byte of the file fills: then its bytes of a run need not be
// neighbours.
template <class Layout>
inline constexpr bool has_padding = false;
template <>
inline constexpr bool has_padding<GroupedBlocks> = true;

// The parts of one run, by server: for a run of few strips those strips, else one part per server; it costs
// the same however many strips it has.
template <class Layout, class Visit>
void parts_of(const Layout& layout, std::int64_t begin, std::int64_t end, const Visit& visit) {
    const std::int64_t strips = layout.strip_number(end - 1) - layout.strip_number(begin) + 1;
    if (has_padding<Layout> || strips <= layout.servers()) {
        for (std::int64_t at = begin; at < end;) {
            const Place place = layout.locate(at);
            const std::int64_t size = std::min(end - at, layout.run_length(at));
            visit(place.server, place.physical, size, at);
            at += size;
        }
        return;
    }
    for (std::int64_t server = 0; server < layout.servers(); ++server) {
        const std::int64_t first = layout.physical_size(server, begin);
        const std::int64_t past = layout.physical_size(server, end);
        if (past > first) visit(server, first, past - first, layout.logical(server, first));
    }
}

}  // namespace plan

namespace plan {

// One run of few parts, sorted by server: parts of one server keep their order and are joined where they
// meet.
template <class Layout>
[[nodiscard]] AccessPlan of_one_run(const Layout& layout, std::int64_t begin, std::int64_t end) {
    struct Part {
        std::int64_t server, physical, bytes, offset;
    };
    std::vector<Part> parts;
    parts_of(layout, begin, end,
             [&](std::int64_t server, std::int64_t physical, std::int64_t size, std::int64_t offset) {
                 if (physical < 0) throw Refusal(Reason::place_beyond);
                 auto at = parts.end();
                 while (at != parts.begin() && std::prev(at)->server > server) --at;
                 const bool continues = at != parts.begin() && std::prev(at)->server == server &&
                                        std::prev(at)->physical + std::prev(at)->bytes == physical;
                 if (continues) {
                     std::prev(at)->bytes += size;
                 } else {
                     parts.insert(at, {server, physical, size, offset});
                 }
             });
    AccessPlan made;
    for (const Part& part : parts) {
        made.physical.push_back(part.physical);
        made.bytes.push_back(part.bytes);
        made.offset.push_back(part.offset);
        if (made.server.empty() || made.server.back() != part.server) {
            made.server.push_back(part.server);
            made.first_run.push_back(0);
            made.request_bytes.push_back(0);
        }
        made.first_run.back() = static_cast<std::int64_t>(made.physical.size());
        made.request_bytes.back() += part.bytes;
    }
    return made;
}

}  // namespace plan

// Plans the runs of one access (columns, sizes above zero or skipped, within 63 bits). Throws
// Refusal when a byte has no place within 63 bits.
template <class Layout>
[[nodiscard]] AccessPlan plan_access(const Layout& layout, const RunsView& runs) {
    constexpr std::int64_t few_strips = 16;
    if (runs.offsets.size() == 1 && runs.sizes[0] > 0) {
        const std::int64_t begin = runs.offsets[0], end = begin + runs.sizes[0];
        if (layout.strip_number(end - 1) - layout.strip_number(begin) < few_strips)
            return plan::of_one_run(layout, begin, end);
    }
    struct Part {
        std::int64_t physical, bytes, offset;
    };
    std::vector<std::vector<Part>> parts(static_cast<std::size_t>(layout.servers()));
    for (std::size_t run = 0; run < runs.offsets.size(); ++run) {
        if (runs.sizes[run] < 1) continue;
        const std::int64_t begin = runs.offsets[run];
        plan::parts_of(
            layout, begin, begin + runs.sizes[run],
            [&](std::int64_t server, std::int64_t physical, std::int64_t size, std::int64_t offset) {
                if (physical < 0) throw Refusal(Reason::place_beyond);
                auto& there = parts[static_cast<std::size_t>(server)];
                const bool continues =
                    !there.empty() && there.back().physical + there.back().bytes == physical;
                if (continues) {
                    there.back().bytes += size;
                } else {
                    there.push_back({physical, size, offset});
                }
            });
    }
    AccessPlan made;
    for (std::size_t server = 0; server < parts.size(); ++server) {
        if (parts[server].empty()) continue;
        std::int64_t total = 0;
        for (const Part& part : parts[server]) {
            made.physical.push_back(part.physical);
            made.bytes.push_back(part.bytes);
            made.offset.push_back(part.offset);
            total += part.bytes;
        }
        made.server.push_back(static_cast<std::int64_t>(server));
        made.first_run.push_back(static_cast<std::int64_t>(made.physical.size()));
        made.request_bytes.push_back(total);
    }
    return made;
}

}  // namespace striate
