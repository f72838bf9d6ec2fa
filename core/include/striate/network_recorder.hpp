// Sees every message pass every shared station and interface, from its first packet's start to its last one's
// end.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "striate/timeline.hpp"
#include "striate/traffic.hpp"

namespace striate {

class NetworkRecorder {
  public:
    // Links between an interface and its component are left out: they say what the interface says.
    NetworkRecorder(Timeline& timeline, const Stations& stations)
        : timeline_(&timeline), recorded_(stations.interface_station(stations.nics())) {}

    // Only the last packet of a run is looked at: a message's first and last packet are runs of their own.
    void served(const Traffic& traffic, std::uint32_t index, Ticks start, Ticks end) {
        const Slot& slot = traffic.slots[index];
        if (slot.left > 0 || slot.station >= recorded_) return;
        const Run& run = traffic.runs[slot.run];
        if (run.ends) {
            add(traffic, slot, run, run.header ? start : began(key_of(index, run), start), end);
        } else if (run.header) {
            open_.emplace(key_of(index, run), start);
        }
    }

  private:
    static std::uint64_t key_of(std::uint32_t index, const Run& run) {
        return static_cast<std::uint64_t>(index) << 32 | run.message;
    }

    // A packet that continues a message is one of its own: it begins where it ends.
    Ticks began(std::uint64_t key, Ticks start) {
        const auto found = open_.find(key);
        if (found == open_.end()) return start;
        const Ticks first = found->second;
        open_.erase(found);
        return first;
    }

    void add(const Traffic& traffic, const Slot& slot, const Run& run, Ticks start, Ticks end) {
        const Stream& stream = traffic.streams[slot.stream];
        timeline_->add({.start = start,
                        .end = end,
                        .bytes = traffic.messages[run.message].bytes,
                        .place = static_cast<std::int32_t>(slot.station),
                        .rank = static_cast<std::int32_t>(stream.source),
                        .peer = static_cast<std::int32_t>(stream.target),
                        .level = BarLevel::network,
                        .kind = BarKind::transfer});
    }

    Timeline* timeline_;
    std::uint32_t recorded_;
    std::unordered_map<std::uint64_t, Ticks> open_;  // start of a message under way at a slot
};

}  // namespace striate
