// A binary heap that looks at times alone, so that events of equal time leave it as its tree happens to lie:
// the order of simulators that use their library's priority queue as it is.
#pragma once

#include <cstddef>
#include <vector>

#include "striate/events/event.hpp"

namespace striate {

class TimedHeap {
  public:
    [[nodiscard]] std::size_t size() const { return events_.size(); }
    [[nodiscard]] bool empty() const { return events_.empty(); }
    [[nodiscard]] const Event& top() const { return events_.front(); }
    [[nodiscard]] std::vector<Event> pending() const { return events_; }

    void push(const Event& event) {
        std::size_t at = events_.size();
        events_.push_back(event);
        for (; at > 0 && event.time < events_[(at - 1) / 2].time; at = (at - 1) / 2) {
            events_[at] = events_[(at - 1) / 2];
        }
        events_[at] = event;
    }

    Event pop() {
        const Event first = events_.front();
        const Event last = events_.back();
        events_.pop_back();
        if (!events_.empty()) sink(last);
        return first;
    }

  private:
    void sink(const Event& event) {
        std::size_t at = 0;
        for (std::size_t child = 1; child < events_.size(); child = 2 * at + 1) {
            if (child + 1 < events_.size() && events_[child + 1].time < events_[child].time) ++child;
            if (event.time <= events_[child].time) break;
            events_[at] = events_[child];
            at = child;
        }
        events_[at] = event;
    }

    std::vector<Event> events_;
};

// The same, for engines in which a packet comes to its first interface by an event of its own.
class EntryHeap : public TimedHeap {};

}  // namespace striate
