// A ladder queue over pooled nodes: constant work per event however many are pending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/events/hole_heap.hpp"

namespace striate {

// Far events lie unsorted on top; when the near ones run out, the top is spread over the buckets of a rung,
// an over-full bucket over a finer rung below it, and a small bucket is sorted into the bottom, where events
// leave.
class LadderQueue {
  public:
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }

    // The earliest event; the queue must not be empty.
    [[nodiscard]] const Event& top() {
        if (from_crowd()) return crowd_.top();
        if (bottom_.empty()) refill();
        return bottom_.back();
    }

    Event pop() {
        const Event earliest = top();
        --size_;
        if (from_crowd()) return crowd_.pop();
        bottom_.pop_back();
        return earliest;
    }

    void push(const Event& event) {
        ++size_;
        if (event.time >= top_start_) {
            put_on_top(event);
        } else if (rungs_ == 0 || event.time < nearest_start_) {
            put_in_bottom(event);
        } else {
            put_in_rung(event);
        }
    }

    // An event not far ahead, the next or one of those behind it, if one is known: to fetch what it will
    // need.
    [[nodiscard]] const Event* ahead(std::size_t places) const {
        return bottom_.size() > places ? &bottom_[bottom_.size() - 1 - places] : nullptr;
    }

    // Every pending event, in no order.
    [[nodiscard]] std::vector<Event> pending() const;

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    static constexpr std::size_t small = 48;  // events worth sorting at once
    static constexpr std::size_t most_rungs = 8;
    static constexpr std::size_t most_buckets = 4096;

    struct Node {
        Event event;
        std::uint32_t next;
    };
    struct Bucket {
        std::uint32_t head = none;
        std::uint32_t count = 0;
    };
    struct Rung {
        Ticks start = 0;  // of bucket 0
        Ticks width = 1;
        std::size_t current = 0;  // buckets before it are empty for ever
        std::size_t used = 0;     // buckets in use
        std::size_t count = 0;
        std::vector<Bucket> buckets;
        [[nodiscard]] Ticks current_start() const { return start + width * static_cast<Ticks>(current); }
    };

    [[nodiscard]] bool from_crowd() {
        return !crowd_.empty() && (bottom_.empty() || crowd_.top() < bottom_.back());
    }
    void put_on_top(const Event& event);
    void put_in_rung(const Event& event);
    void put_in_bottom(const Event& event);
    void lift_bottom();
    void link(Bucket& bucket, const Event& event);
    void refill();
    void spread(Bucket bucket, Ticks start, Ticks end);
    void sort_into_bottom(Bucket bucket);
    void note_nearest();

    std::vector<Event> bottom_;  // latest first, so that the earliest leaves from the back
    HoleHeap crowd_;  // as near as the bottom, and too many for it: thousands of events within one tick
    std::vector<Node> nodes_;
    std::uint32_t free_ = none;
    Bucket top_;
    Ticks top_start_ = 0, top_least_ = 0, top_most_ = 0;
    Ticks nearest_start_ = 0;  // earlier events belong to the bottom
    std::size_t rungs_ = 0;
    Rung ladder_[most_rungs];
    std::size_t size_ = 0;
};

}  // namespace striate
