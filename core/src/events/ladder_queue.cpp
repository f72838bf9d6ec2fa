#include "striate/events/ladder_queue.hpp"

#include <algorithm>

namespace striate {

void LadderQueue::link(Bucket& bucket, const Event& event) {
    std::uint32_t node = free_;
    if (node == none) {
        node = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({event, bucket.head});
    } else {
        free_ = nodes_[node].next;
        nodes_[node] = {event, bucket.head};
    }
    bucket.head = node;
    ++bucket.count;
}

void LadderQueue::put_on_top(const Event& event) {
    top_least_ = top_.count == 0 ? event.time : std::min(top_least_, event.time);
    top_most_ = top_.count == 0 ? event.time : std::max(top_most_, event.time);
    link(top_, event);
}

void LadderQueue::put_in_rung(const Event& event) {
    std::size_t level = 0;
    while (event.time < ladder_[level].current_start())
        ++level;  // ends: the nearest rung starts before the event
    Rung& rung = ladder_[level];
    link(rung.buckets[static_cast<std::size_t>((event.time - rung.start) / rung.width)], event);
    ++rung.count;
}

void LadderQueue::put_in_bottom(const Event& event) {
    if (bottom_.size() > 4 * small) return crowd_.push(event);
    const auto later = [](const Event& left, const Event& right) { return right < left; };
    bottom_.insert(std::upper_bound(bottom_.begin(), bottom_.end(), event, later), event);
    const bool crowded = bottom_.size() > 4 * small && crowd_.empty();
    if (crowded && rungs_ < most_rungs && bottom_.back().time + 1 < nearest_start_) lift_bottom();
}

// A far event may have drawn every near one into the bottom; a rung makes insertion cheap again.
void LadderQueue::lift_bottom() {
    Bucket all;
    for (const Event& event : bottom_) link(all, event);
    const Ticks start = bottom_.back().time;
    bottom_.clear();
    spread(all, start, nearest_start_);
    note_nearest();
}

void LadderQueue::sort_into_bottom(Bucket bucket) {
    for (std::uint32_t node = bucket.head; node != none;) {
        bottom_.push_back(nodes_[node].event);
        const std::uint32_t next = nodes_[node].next;
        nodes_[node].next = free_;
        free_ = node;
        node = next;
    }
    std::sort(bottom_.begin(), bottom_.end(),
              [](const Event& left, const Event& right) { return right < left; });
}

// Makes a new, finer rung of the bucket's events, all of which lie in [start, end).
void LadderQueue::spread(Bucket bucket, Ticks start, Ticks end) {
    Rung& rung = ladder_[rungs_++];
    const auto wanted = static_cast<Ticks>(std::min<std::size_t>(bucket.count, most_buckets));
    rung.start = start;
    rung.width = (end - start + wanted - 1) / wanted;
    rung.current = 0;
    rung.used = static_cast<std::size_t>((end - start + rung.width - 1) / rung.width);
    rung.count = bucket.count;
    rung.buckets.assign(std::max(rung.used, rung.buckets.size()), Bucket{});
    for (std::uint32_t node = bucket.head; node != none;) {
        const std::uint32_t next = nodes_[node].next;
        Bucket& home = rung.buckets[static_cast<std::size_t>((nodes_[node].event.time - start) / rung.width)];
        nodes_[node].next = home.head;
        home.head = node;
        ++home.count;
        node = next;
    }
}

void LadderQueue::note_nearest() {
    nearest_start_ = rungs_ == 0 ? top_start_ : ladder_[rungs_ - 1].current_start();
}

void LadderQueue::refill() {
    while (bottom_.empty()) {
        while (rungs_ > 0 && ladder_[rungs_ - 1].count == 0) --rungs_;
        if (rungs_ == 0) {
            const Bucket all = top_;
            top_ = {};
            top_start_ = top_most_ + 1;
            if (all.count <= small) {
                sort_into_bottom(all);
            } else {
                spread(all, top_least_, top_start_);
            }
        } else {
            Rung& rung = ladder_[rungs_ - 1];
            while (rung.buckets[rung.current].count == 0) ++rung.current;
            const Bucket bucket = rung.buckets[rung.current];
            const Ticks start = rung.current_start();
            rung.buckets[rung.current] = {};
            rung.count -= bucket.count;
            ++rung.current;
            if (bucket.count > small && rung.width > 1 && rungs_ < most_rungs) {
                spread(bucket, start, start + rung.width);
            } else {
                sort_into_bottom(bucket);
            }
        }
    }
    note_nearest();
}

std::vector<Event> LadderQueue::pending() const {
    std::vector<Event> events = crowd_.pending();
    events.insert(events.end(), bottom_.begin(), bottom_.end());
    const auto gather = [&](const Bucket& bucket) {
        for (std::uint32_t node = bucket.head; node != none; node = nodes_[node].next) {
            events.push_back(nodes_[node].event);
        }
    };
    gather(top_);
    for (std::size_t level = 0; level < rungs_; ++level) {
        for (std::size_t at = 0; at < ladder_[level].used; ++at) gather(ladder_[level].buckets[at]);
    }
    return events;
}

}  // namespace striate
