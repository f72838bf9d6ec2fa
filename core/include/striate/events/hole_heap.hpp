// A 4-ary heap of events whose pop leaves a hole that the next push fills: quickest for a few dozen events.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "striate/events/event.hpp"

namespace striate {

class HoleHeap {
  public:
    [[nodiscard]] std::size_t size() const { return events_.size() - root - (hole_ ? 1 : 0); }
    [[nodiscard]] bool empty() const { return size() == 0; }

    // The earliest event; the heap must not be empty.
    [[nodiscard]] const Event& top() {
        if (hole_) fill_hole();
        return events_[root];
    }

    Event pop() {
        const Event earliest = top();
        hole_ = true;
        return earliest;
    }

    void push(const Event& event) {
        if (hole_) {
            hole_ = false;
            sink(event);
        } else {
            events_.push_back(event);
            rise(events_.size() - 1, event);
        }
    }

    // Every pending event, in no order.
    [[nodiscard]] std::vector<Event> pending() const {
        return {events_.begin() + static_cast<std::ptrdiff_t>(root + (hole_ ? 1 : 0)), events_.end()};
    }

  private:
    // The root sits at index 3, so that four brothers always start at a multiple of four.
    static constexpr std::size_t root = 3;
    static std::size_t first_child(std::size_t at) { return 4 * (at - 2); }
    static std::size_t parent(std::size_t at) { return at / 4 + 2; }

    void fill_hole() {
        hole_ = false;
        const Event last = events_.back();
        events_.pop_back();
        if (events_.size() > root) sink(last);
    }

    void rise(std::size_t at, const Event& event) {
        while (at > root && event < events_[parent(at)]) {
            events_[at] = events_[parent(at)];
            at = parent(at);
        }
        events_[at] = event;
    }

    void sink(const Event& event) {
        Event* events = events_.data();
        const std::size_t end = events_.size();
        std::size_t at = root;
        for (std::size_t child = first_child(at); child < end; child = first_child(at)) {
            std::size_t least = child;
            if (child + 4 <= end) {
                const std::size_t left = child + (events[child + 1] < events[child] ? 1U : 0U);
                const std::size_t right = child + 2 + (events[child + 3] < events[child + 2] ? 1U : 0U);
                least = events[right] < events[left] ? right : left;
            } else {
                for (std::size_t other = child + 1; other < end; ++other) {
                    if (events[other] < events[least]) least = other;
                }
            }
            if (!(events[least] < event)) break;
            events[at] = events[least];
            at = least;
        }
        events[at] = event;
    }

    std::vector<Event> events_{root};
    bool hole_ = false;
};

}  // namespace striate
