// Streams come and go: slots are taken when a pair first communicates and given back when it has long been
// silent.
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "striate/network/traffic.hpp"

namespace striate {

namespace {

std::uint64_t pair_key(std::uint32_t source, std::uint32_t target) {
    return static_cast<std::uint64_t>(source) << 32 | target;
}

std::uint64_t route_key(std::uint64_t key, const Route& route) {
    for (const std::uint32_t station : route.stations)
        key = (key ^ station) * 0x9e3779b97f4a7c15U ^ key >> 29;
    return key;
}

}  // namespace

bool Traffic::follows(const Stream& stream, const Route& route) const {
    if (stream.hops != route.stations.size()) return false;
    for (std::uint32_t hop = 0; hop < stream.hops; ++hop) {
        if (slots[stream.first_slot + hop].station != route.stations[hop]) return false;
    }
    return true;
}

std::uint32_t Traffic::stream_between(std::uint32_t source, std::uint32_t target) {
    if (source >= stations_.nics() || target >= stations_.nics()) {
        throw std::invalid_argument("a message from interface " + std::to_string(source) + " to " +
                                    std::to_string(target) + " of " + std::to_string(stations_.nics()));
    }
    const bool one_route = stations_.settings().routing == Routing::shortest;
    std::uint64_t key = pair_key(source, target);
    if (one_route) {
        if (const std::uint32_t known = stream_of_.find(key); known != StreamIndex::nothing) return known;
    }
    stations_.find_route(source, target, route_);
    if (!one_route) key = route_key(key, route_);
    std::uint32_t stream = stream_of_.find(key);
    const auto is_it = [&](const Stream& known) {
        return known.source == source && known.target == target && follows(known, route_);
    };
    while (stream != none && !is_it(streams[stream])) stream = streams[stream].sibling;
    return stream != none ? stream : open_stream(key, source, target);
}

std::uint32_t Traffic::open_stream(std::uint64_t key, std::uint32_t source, std::uint32_t target) {
    close_idle_streams();
    const auto hops = static_cast<std::uint32_t>(route_.stations.size());
    if (free_slots_.size() <= hops) free_slots_.resize(hops + 1);
    std::uint32_t first_slot = static_cast<std::uint32_t>(slots.size());
    if (free_slots_[hops].empty()) {
        slots.resize(slots.size() + hops);
    } else {
        first_slot = free_slots_[hops].back();
        free_slots_[hops].pop_back();
    }
    if (free_runs_.empty()) {
        free_runs_.push_back(static_cast<std::uint32_t>(runs.size()));
        runs.emplace_back();
    }
    const std::uint32_t start_run = free_runs_.back();  // an empty run before the first
    free_runs_.pop_back();
    runs[start_run] = {.bytes = 0, .count = 0, .message = none, .next = none, .header = false, .ends = false};
    const Stream stream{.key = key,
                        .source = source,
                        .target = target,
                        .first_slot = first_slot,
                        .hops = hops,
                        .first_message = none,
                        .last_message = none,
                        .active = 0,
                        .last_run = start_run,
                        .sibling = stream_of_.find(key),
                        .listed = false,
                        .bottleneck = route_.analytical ? route_.bottleneck : 0};
    std::uint32_t index = static_cast<std::uint32_t>(streams.size());
    if (free_streams_.empty()) {
        streams.push_back(stream);
    } else {
        index = free_streams_.back();
        free_streams_.pop_back();
        streams[index] = stream;
    }
    stream_of_.set(key, index);
    init_slots(index);
    return index;
}

void Traffic::init_slots(std::uint32_t index) {
    const Stream& stream = streams[index];
    for (std::uint32_t hop = 0; hop < stream.hops; ++hop) {
        Slot& slot = slots[stream.first_slot + hop];
        const Station& station = stations_[route_.stations[hop]];
        slot = {};
        slot.run = stream.last_run;
        slot.station = route_.stations[hop];
        slot.stream = index;
        slot.delay = route_.analytical && hop == 0 ? route_.latency : station.latency;
        if (hop == 0) slot.flags |= Slot::first_hop;
        if (hop + 1 == stream.hops) slot.flags |= Slot::last_hop | Slot::open;
        if (route_.analytical) slot.flags |= Slot::open;
        if (!route_.analytical && stations_.is_local(route_.stations, hop)) slot.flags |= Slot::local;
        if (station.kind == ComponentKind::cut_through) slot.flags |= Slot::early;
    }
}

void Traffic::close_idle_streams() {
    // Some stay open, because who has sent will send again; all others' memory goes to the next stream.
    const std::size_t kept = 4096 + std::size_t{stations_.nics()} / 4;
    while (idle_.size() > kept) {
        const std::uint32_t stream = idle_.front();
        idle_.pop_front();
        streams[stream].listed = false;
        if (streams[stream].active == 0) close(stream);
    }
}

void Traffic::close(std::uint32_t index) {
    const Stream& stream = streams[index];
    free_slots_[stream.hops].push_back(stream.first_slot);
    free_runs_.push_back(stream.last_run);
    const std::uint32_t latest = stream_of_.find(stream.key);
    if (latest != index) {
        std::uint32_t* link = &streams[latest].sibling;
        while (*link != index) link = &streams[*link].sibling;
        *link = stream.sibling;
    } else if (stream.sibling != none) {
        stream_of_.set(stream.key, stream.sibling);
    } else {
        stream_of_.erase(stream.key);
    }
    free_streams_.push_back(index);
}

}  // namespace striate
