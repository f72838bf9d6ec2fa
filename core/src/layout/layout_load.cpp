#include "striate/layout/layout_load.hpp"

#include <algorithm>
#include <limits>

#include "striate/refusal.hpp"

namespace striate {

SweptPeriod LayoutLoad::swept(const AnyLayout& layout, std::span<const Sweep> loops) {
    constexpr std::int64_t far = std::int64_t{1} << 50;  // strips of a layout without a period go on alike
    const std::int64_t period = period_of(layout), seen = std::min(period, far);
    const auto strips = [&](const auto& kind) {
        return static_cast<double>(kind.strip_number(seen - 1) + 1) / static_cast<double>(seen);
    };
    return {period, std::visit(strips, layout) * static_cast<double>(period), loops};
}

void LayoutLoad::add_swept(const FileLayouts& layouts, std::int64_t file, std::int64_t offset,
                           std::int64_t size, const SweptPeriod& loops, Pulse& pulse) {
    const auto planned = [&](std::int64_t at) {
        const std::int64_t from[] = {at}, length[] = {size};
        return layouts.plan(file, {from, length});
    };
    const auto stretched = [&](const Stretch& stretch) {
        const AccessPlan first = planned(stretch.first);
        if (stretch.first == stretch.last) return add(first, first, stretch);
        add(first, planned(stretch.last), stretch);
    };
    const auto walk = [&](const auto& layout) { loops.walk(layout, offset, size, pulse, stretched); };
    std::visit(walk, *layouts.own(file));
}

// Between the first pass and the last the same servers are asked, each for evenly more or fewer bytes.
void LayoutLoad::add(const AccessPlan& first, const AccessPlan& last, const Stretch& stretch) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    std::int64_t times = 0;
    if (__builtin_mul_overflow(stretch.passes, stretch.times, &times)) {
        throw Refusal(Reason::too_many_bytes);
    }
    for (std::size_t request = 0; request < first.server.size(); ++request) {
        const auto server = static_cast<std::size_t>(first.server[request]);
        const __int128 moved = stretch.sum(first.request_bytes[request], last.request_bytes[request]);
        if (moved > most - total_) throw Refusal(Reason::too_many_bytes);
        total_ += static_cast<std::int64_t>(moved);
        bytes_[server] += static_cast<std::int64_t>(moved);
        requests_[server] += (first.first_run[request + 1] - first.first_run[request]) * times;
    }
}

double LayoutLoad::planned(const AnyLayout& layout, std::int64_t size, const SweptPeriod& loops) {
    const auto strips = [&](const auto& kind) {
        return static_cast<double>(kind.strip_number(std::max<std::int64_t>(size, 1) - 1)) + 1;
    };
    const double parts = std::visit(strips, layout);
    const bool padded = std::holds_alternative<GroupedBlocks>(layout);
    return loops.stretches() * (padded ? parts : std::min(parts, static_cast<double>(servers_of(layout))));
}

}  // namespace striate
