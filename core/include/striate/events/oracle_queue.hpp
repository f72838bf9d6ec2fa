// The standard library's priority queue behind our interface: slow, trusted, the yardstick of the others.
#pragma once

#include <cstddef>
#include <queue>
#include <vector>

#include "striate/events/event.hpp"

namespace striate {

class OracleQueue {
  public:
    [[nodiscard]] std::size_t size() const { return events_.size(); }
    [[nodiscard]] bool empty() const { return events_.empty(); }
    [[nodiscard]] const Event& top() const { return events_.top(); }

    Event pop() {
        const Event earliest = events_.top();
        events_.pop();
        return earliest;
    }

    void push(const Event& event) { events_.push(event); }

    [[nodiscard]] std::vector<Event> pending() const {
        std::vector<Event> events;
        for (auto copy = events_; !copy.empty(); copy.pop()) events.push_back(copy.top());
        return events;
    }

  private:
    struct Later {
        bool operator()(const Event& left, const Event& right) const { return right < left; }
    };
    std::priority_queue<Event, std::vector<Event>, Later> events_;
};

}  // namespace striate
