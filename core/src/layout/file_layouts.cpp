#include "striate/layout/file_layouts.hpp"

#include <iterator>

#include "striate/refusal.hpp"

namespace striate {

std::int64_t servers_of(const AnyLayout& layout) {
    return std::visit([](const auto& kind) { return kind.servers(); }, layout);
}

std::int64_t period_of(const AnyLayout& layout) {
    // Padding may part what one server holds, so grouped blocks on one server still differ.
    if (servers_of(layout) == 1 && !std::holds_alternative<GroupedBlocks>(layout)) return 1;
    return std::visit([](const auto& kind) { return kind.period_bytes(); }, layout);
}

void FileLayouts::add(std::int64_t first, std::int64_t count, AnyLayout layout) {
    if (const std::int64_t wanted = servers_of(layout); wanted > servers_) {
        throw Refusal(Reason::too_few_servers, {.room = servers_, .count = wanted});
    }
    own_.insert_or_assign(first, Own{first + count, std::move(layout)});
}

const AnyLayout* FileLayouts::own(std::int64_t file) const {
    const auto after = own_.upper_bound(file);
    if (after == own_.begin()) return nullptr;
    const Own& found = std::prev(after)->second;
    return file < found.end ? &found.layout : nullptr;
}

std::int64_t FileLayouts::physical_end(std::int64_t file, std::int64_t server, std::int64_t size) const {
    const AnyLayout* mine = own(file);
    const AnyLayout& layout = mine == nullptr ? stripe_ : *mine;
    const std::int64_t number = ((server - file) % servers_ + servers_) % servers_;
    if (number >= servers_of(layout)) return 0;
    return std::visit([&](const auto& kind) { return kind.physical_size(number, size); }, layout);
}

AccessPlan FileLayouts::plan(std::int64_t file, const RunsView& runs) const {
    const AnyLayout* mine = own(file);
    AccessPlan plan = std::visit([&](const auto& layout) { return plan_access(layout, runs); },
                                 mine == nullptr ? stripe_ : *mine);
    for (std::int64_t& server : plan.server) server = (server + file % servers_) % servers_;
    return plan;
}

}  // namespace striate
