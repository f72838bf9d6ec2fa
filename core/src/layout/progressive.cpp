#include "striate/layout/progressive.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace striate {

Progressive::Component Progressive::component(std::span<const std::int64_t> targets,
                                              std::int64_t unit) const {
    std::vector<std::int64_t> server_of;
    std::vector<std::int64_t> number_of(static_cast<std::size_t>(servers_), nowhere);
    std::vector<std::int64_t> dealt;
    for (const std::int64_t server : targets) {
        if (server < 0 || server >= servers_) throw std::invalid_argument("a target does not exist");
        std::int64_t& number = number_of[static_cast<std::size_t>(server)];
        if (number == nowhere) {
            number = static_cast<std::int64_t>(server_of.size());
            server_of.push_back(server);
        }
        dealt.push_back(number);
    }
    VarStrip strips(dealt, std::vector<std::int64_t>(dealt.size(), unit));
    return {0, 0, 0, std::move(strips), std::move(server_of), std::move(number_of), {}, {}};
}

Progressive::Progressive(std::int64_t servers, std::span<const std::int64_t> ends,
                         std::span<const std::int64_t> counts, std::span<const std::int64_t> units,
                         std::span<const std::int64_t> targets)
    : servers_(servers) {
    if (servers < 1 || ends.empty() || counts.size() != ends.size() || units.size() != ends.size() ||
        ends.back() != std::numeric_limits<std::int64_t>::max()) {
        throw std::invalid_argument("components need an end, a count and a unit each");
    }
    std::vector<std::int64_t> before(static_cast<std::size_t>(servers));
    std::int64_t begin = 0;
    std::int64_t strips_before = 0;
    for (std::size_t part = 0; part < ends.size(); ++part) {
        const bool enough = counts[part] >= 1 && static_cast<std::size_t>(counts[part]) <= targets.size();
        if (ends[part] <= begin || !enough)
            throw std::invalid_argument("components must grow and have objects");
        const auto objects = static_cast<std::size_t>(counts[part]);
        Component added = component(targets.first(objects), units[part]);
        targets = targets.subspan(objects);
        added.begin = begin;
        added.end = ends[part];
        added.strips_before = strips_before;
        added.before = before;
        added.shift.resize(before.size());
        for (std::size_t server = 0; server < before.size(); ++server) {
            const std::int64_t number = added.number_of[server];
            if (number == nowhere) continue;
            added.shift[server] = before[server] - added.strips.physical_size(number, begin);
            before[server] += bytes_on(added, static_cast<std::int64_t>(server), ends[part]);
        }
        strips_before += added.strips.strip_number(ends[part] - 1) - added.strips.strip_number(begin) + 1;
        begin = ends[part];
        parts_.push_back(std::move(added));
    }
}

std::int64_t Progressive::bytes_on(const Component& part, std::int64_t server, std::int64_t size) const {
    const std::int64_t number = part.number_of[static_cast<std::size_t>(server)];
    if (number == nowhere) return 0;
    return part.strips.physical_size(number, size) - part.strips.physical_size(number, part.begin);
}

std::int64_t Progressive::run_length(std::int64_t offset) const {
    const Component& part = parts_[part_of(offset)];
    const std::int64_t strip = part.strips.run_length(offset);
    // The last component has no end: its largest number is not a byte to stop at.
    return &part == &parts_.back() ? strip : std::min(strip, part.end - offset);
}

std::int64_t Progressive::physical_size(std::int64_t server, std::int64_t size) const {
    if (size == 0) return 0;
    const Component& part = parts_[part_of(size - 1)];
    return part.before[static_cast<std::size_t>(server)] + bytes_on(part, server, size);
}

std::int64_t Progressive::logical(std::int64_t server, std::int64_t physical) const {
    const auto column = static_cast<std::size_t>(server);
    for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
        const std::int64_t number = part->number_of[column];
        if (number == nowhere || physical < part->before[column]) continue;
        const std::int64_t offset = part->strips.logical(number, physical - part->shift[column]);
        return offset >= part->begin && offset < part->end ? offset : nowhere;
    }
    return nowhere;
}

}  // namespace striate
