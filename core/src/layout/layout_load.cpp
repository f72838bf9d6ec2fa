#include "striate/layout/layout_load.hpp"

#include <algorithm>
#include <numeric>

#include "striate/refusal.hpp"

namespace striate {

namespace {

// Calls `visit(offset, times)` for every different place modulo `period` that the loops lead to.
template <class Visit>
void for_places(std::int64_t offset, std::int64_t times, std::int64_t period, std::span<const Sweep> loops,
                const Visit& visit) {
    if (loops.empty()) return visit(offset, times);
    const auto [step, count] = loops.front();
    const std::int64_t distinct = period / std::gcd(step, period);
    for (std::int64_t pass = 0; pass < std::min(count, distinct); ++pass) {
        const auto at = static_cast<std::int64_t>((offset + static_cast<__int128>(step) * pass) % period);
        const std::int64_t alike = count / distinct + (pass < count % distinct ? 1 : 0);
        for_places(at < 0 ? at + period : at, times * alike, period, loops.subspan(1), visit);
    }
}

}  // namespace

void LayoutLoad::add_swept(const FileLayouts& layouts, std::int64_t file, std::int64_t offset,
                           std::int64_t size, std::span<const Sweep> loops) {
    if (size < 1) return;
    const std::int64_t period = period_of(*layouts.own(file));
    for_places(offset % period, 1, period, loops, [&](std::int64_t at, std::int64_t times) {
        const std::int64_t from[] = {at}, length[] = {size};
        add(layouts.plan(file, {from, length}), times);
    });
}

void LayoutLoad::add(const AccessPlan& plan, std::int64_t times) {
    for (std::size_t request = 0; request < plan.server.size(); ++request) {
        const auto server = static_cast<std::size_t>(plan.server[request]);
        std::int64_t moved = 0;
        if (__builtin_mul_overflow(plan.request_bytes[request], times, &moved) ||
            __builtin_add_overflow(total_, moved, &total_)) {
            throw Refusal(Reason::too_many_bytes);
        }
        bytes_[server] += moved;
        requests_[server] += (plan.first_run[request + 1] - plan.first_run[request]) * times;
    }
}

double LayoutLoad::walked(const AnyLayout& layout, std::int64_t size, std::span<const Sweep> loops) {
    const std::int64_t period = period_of(layout);
    double runs = 1;
    for (const auto& [step, count] : loops) {
        runs *= static_cast<double>(std::min(count, period / std::gcd(step, period)));
    }
    const auto strips = [&](const auto& kind) {
        return static_cast<double>(kind.strip_number(std::max<std::int64_t>(size, 1) - 1)) + 1;
    };
    const double parts = std::visit(strips, layout);
    const bool padded = std::holds_alternative<GroupedBlocks>(layout);
    return runs * (padded ? parts : std::min(parts, static_cast<double>(servers_of(layout))));
}

}  // namespace striate
