#include "striate/storage/burst_buffer.hpp"

#include <algorithm>
#include <iterator>

#include "striate/refusal.hpp"

namespace striate {

BurstBuffer::BurstBuffer(const BurstRules& rules) : rules_(rules) {
    if (rules.capacity_bytes < 0 || rules.drain_above_bytes < 0 || rules.largest_drain_bytes < 1) {
        throw Refusal(Reason::burst_limits);
    }
    if (rules.capacity_bytes > 0 && rules.drain_above_bytes >= rules.capacity_bytes) {
        throw Refusal(Reason::burst_limits);
    }
}

void BurstBuffer::split(Ranges& ranges, std::int64_t at) {
    const auto after = ranges.upper_bound(at);
    if (after == ranges.begin()) return;
    const auto before = std::prev(after);
    if (before->first == at || before->second.end <= at) return;
    ranges.emplace_hint(after, at, before->second);
    before->second.end = at;
}

void BurstBuffer::add(const Access& write) {
    if (write.bytes <= 0) return;
    Ranges& ranges = files_[write.file];
    split(ranges, write.offset);
    split(ranges, write.end());
    auto old = ranges.lower_bound(write.offset);
    while (old != ranges.end() && old->first < write.end()) {
        const std::int64_t bytes = old->second.end - old->first;
        dirty_bytes_ -= bytes;
        if (old->second.draining) draining_bytes_ -= bytes;
        old = ranges.erase(old);
    }
    ranges.emplace(write.offset, Range{write.end(), age_, false});
    writes_.emplace_back(age_++, write);
    dirty_bytes_ += write.bytes;
}

bool BurstBuffer::holds(std::int64_t file, std::int64_t offset, std::int64_t bytes) const {
    const auto found = files_.find(file);
    if (found == files_.end()) return bytes <= 0;
    const Ranges& ranges = found->second;
    auto next = ranges.upper_bound(offset);
    if (next != ranges.begin()) --next;
    std::int64_t known = offset;
    while (known < offset + bytes && next != ranges.end() && next->first <= known) {
        known = std::max(known, next->second.end);
        ++next;
    }
    return known >= offset + bytes;
}

std::vector<BurstBuffer::Found> BurstBuffer::find(std::int64_t file, std::int64_t offset,
                                                  std::int64_t bytes) const {
    std::vector<Found> found;
    const auto put = [&](std::int64_t from, std::int64_t past, bool buffered) {
        if (past <= from) return;
        if (!found.empty() && found.back().buffered == buffered) {
            found.back().range.bytes += past - from;
        } else {
            found.push_back({{from, past - from}, buffered});
        }
    };
    const std::int64_t end = offset + bytes;
    std::int64_t known = offset;
    if (const auto here = files_.find(file); here != files_.end()) {
        auto next = here->second.upper_bound(offset);
        if (next != here->second.begin()) --next;
        for (; next != here->second.end() && next->first < end; ++next) {
            if (next->second.end <= known) continue;
            put(known, std::max(known, next->first), false);
            put(std::max(known, next->first), std::min(end, next->second.end), true);
            known = std::min(end, next->second.end);
        }
    }
    put(known, end, false);
    return found;
}

std::vector<Drain> BurstBuffer::drain(bool all) {
    std::vector<Drain> drains;
    const std::int64_t keep = all ? 0 : rules_.drain_above_bytes;
    while (!writes_.empty() && dirty_bytes_ - draining_bytes_ > keep) mark_oldest(drains);
    return drains;
}

void BurstBuffer::mark_oldest(std::vector<Drain>& drains) {
    const auto [age, write] = writes_.front();
    writes_.pop_front();
    Ranges& ranges = files_[write.file];
    for (auto range = ranges.lower_bound(write.offset); range != ranges.end() && range->first < write.end();
         ++range) {
        if (range->second.age != age) continue;
        range->second.draining = true;
        draining_bytes_ += range->second.end - range->first;
        for (std::int64_t at = range->first; at < range->second.end; at += rules_.largest_drain_bytes) {
            const std::int64_t bytes = std::min(rules_.largest_drain_bytes, range->second.end - at);
            drains.push_back({{write.file, at, bytes, true}, age});
        }
    }
}

void BurstBuffer::drained(const Drain& drain) {
    Ranges& ranges = files_[drain.write.file];
    split(ranges, drain.write.offset);
    split(ranges, drain.write.end());
    auto range = ranges.lower_bound(drain.write.offset);
    while (range != ranges.end() && range->first < drain.write.end()) {
        if (range->second.age != drain.age) {
            ++range;
            continue;
        }
        dirty_bytes_ -= range->second.end - range->first;
        draining_bytes_ -= range->second.end - range->first;
        range = ranges.erase(range);
    }
}

}  // namespace striate
