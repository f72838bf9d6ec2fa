#include "striate/network/message_clocks.hpp"

#include <algorithm>

namespace striate {

using Span = GapClock<64>::Span;

Flight MessageClocks::analytical(std::int64_t bytes, Ticks now) {
    const std::uint32_t own = way_.stations.front();
    const Ticks service = service_ticks(bytes, way_.bottleneck, stations_.settings().rounding);
    const auto [begun, over] = crowded_ ? clock_[own].serve(now, service) : Span{now, now + service};
    work_[own] += service;
    delays_ += way_.latency;
    return {begun, begun + way_.latency, over + way_.latency};
}

Flight MessageClocks::send(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks now) {
    stations_.find_way(source, target, way_);
    const std::int64_t bytes = payload + header_bytes;
    if (way_.analytical) return analytical(bytes, now);
    const std::int64_t full = stations_.settings().packet_bytes;
    const std::int64_t packets = std::max<std::int64_t>(1, (bytes + full - 1) / full);
    const std::int64_t first_bytes = std::min(bytes, full), last_bytes = bytes - (packets - 1) * full;
    Ticks first = now, last = now, slowest = 0, sent = now, latencies = 0;
    std::int64_t under_way = 0;
    const std::int64_t beside = crowded_ ? 0 : 2;  // packets at a station that its window does not count
    for (std::size_t hop = 0; hop < way_.stations.size(); ++hop) {
        const std::uint32_t at = way_.stations[hop];
        const bool local = stations_.is_local(way_.stations, hop);
        const Ticks service = stations_.service(at, first_bytes, local);
        const Ticks last_service = stations_.service(at, last_bytes, local);
        const Ticks whole = (packets - 1) * stations_.service(at, full, local) + last_service;
        const auto [begun, over] = crowded_ ? clock_[at].serve(first, whole) : Span{first, first + whole};
        work_[at] += whole;
        const Ticks latency = stations_[at].latency;
        first = begun + service + latency;
        last = std::max(over, last + last_service) + latency;
        if (hop == 0) sent = std::max(now, over - last_service);
        latencies += latency;
        // A stream may have a window's worth of packets under way at every station.
        under_way += stations_[at].window / std::max<Ticks>(stations_.service(at, full, local), 1) + beside;
        slowest = std::max(slowest, service);
    }
    delays_ += latencies;
    return {std::max(sent, last - latencies - under_way * slowest), first, last};
}

}  // namespace striate
