// Sees every message pass every link and interface.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "striate/events/timeline.hpp"
#include "striate/network/traffic.hpp"

namespace striate {

class NetworkRecorder {
  public:
    NetworkRecorder(Timeline& timeline, const Stations& stations)
        : timeline_(&timeline),
          first_(stations.edge_station(0)),
          last_(stations.interface_station(stations.nics()) - 1) {}

    // Only the last packet of a run is looked at: a message's first and last packet are runs of their own.
    void served(const Traffic& traffic, std::uint32_t index, Ticks start, Ticks end) {
        const Slot& slot = traffic.slots[index];
        if (slot.left > 0 || slot.station - first_ > last_ - first_) return;
        const Run& run = traffic.runs[slot.run];
        if (run.header) {
            begin(traffic, index, {start, end});
        } else if (run.ends) {
            finish(traffic, index, end);
        }
    }

  private:
    struct Span {
        Ticks start, end;
    };
    // The latest row of a slot, and its message if that has packets still to come.
    struct Latest {
        std::uint32_t row = Timeline::dropped_row;
        std::uint32_t message = none;
    };

    static std::uint64_t key_of(std::uint32_t index, std::uint32_t message) {
        return static_cast<std::uint64_t>(index) << 32 | message;
    }

    void begin(const Traffic& traffic, std::uint32_t index, const Span& packet) {
        if (index >= latest_.size()) latest_.resize(traffic.slots.size());
        Latest& latest = latest_[index];
        if (latest.message != none) displaced_[key_of(index, latest.message)] = latest.row;
        const Slot& slot = traffic.slots[index];
        const Run& run = traffic.runs[slot.run];
        const Stream& stream = traffic.streams[slot.stream];
        // A message of one packet need not be looked up.
        const std::int64_t bytes = run.ends ? run.bytes - header_bytes : traffic.messages[run.message].bytes;
        const std::uint32_t row = timeline_->add(
            Transfer{packet.start, packet.end, bytes, static_cast<std::int32_t>(slot.station),
                     static_cast<std::int32_t>(stream.source), static_cast<std::int32_t>(stream.target)});
        latest = {row, run.ends ? none : run.message};
    }

    // A packet that only continues a message is a message of its own to the network: it lengthens the latest
    // row.
    void finish(const Traffic& traffic, std::uint32_t index, Ticks end) {
        if (index >= latest_.size()) return;
        Latest& latest = latest_[index];
        const std::uint32_t message = traffic.runs[traffic.slots[index].run].message;
        if (latest.message == message) {
            latest.message = none;
            return timeline_->extend(latest.row, end, 0);
        }
        const auto found = displaced_.find(key_of(index, message));
        if (found == displaced_.end())
            return timeline_->extend(latest.row, end, traffic.messages[message].bytes);
        timeline_->extend(found->second, end, 0);
        displaced_.erase(found);
    }

    Timeline* timeline_;
    std::uint32_t first_, last_;  // stations that are looked at: edges and interfaces
    std::vector<Latest> latest_;  // per slot
    std::unordered_map<std::uint64_t, std::uint32_t> displaced_;  // rows of messages that share a stream
};

}  // namespace striate
