#include "striate/network/message_clocks.hpp"

#include <algorithm>

namespace striate {

// Packets pass the interface at the slowest rate of the route, are in flight together, and pass the interface
// of the target.
Flight MessageClocks::analytical(const Packets& packets, Ticks now) {
    const auto own = [&](std::int64_t bytes) {
        return service_ticks(bytes, route_.bottleneck, stations_.settings().rounding);
    };
    const auto [begun, over] = serve(route_.stations.front(), now, summed(packets, own));
    delays_ += route_.latency;
    const Flight arrives{over - own(packets.last), begun + own(packets.first) + route_.latency,
                         over + route_.latency};
    if (route_.stations.size() == 1) return arrives;  // to a neighbour, in no time
    const std::uint32_t target = route_.stations.back();
    const auto there = [&](std::int64_t bytes) { return stations_.service(target, bytes, false); };
    const auto [first, last] = serve(target, arrives.first, summed(packets, there));
    return {arrives.sent, first + there(packets.first), std::max(last, arrives.last + there(packets.last))};
}

MessageClocks::Span MessageClocks::serve(std::uint32_t station, Ticks ready, Ticks work) {
    work_[station] += work;
    total_ += work;
    return crowded_ ? clock_[station].serve(ready, work) : Span{ready, ready + work};
}

MessageClocks::Packets MessageClocks::packets_of(std::int64_t payload) const {
    const std::int64_t full = stations_.settings().packet_bytes;
    const std::int64_t count = std::max<std::int64_t>(1, (payload + full - 1) / full);
    const std::int64_t last = payload - (count - 1) * full;
    return {count, std::min(payload, full) + header_bytes, count > 1 ? last : last + header_bytes};
}

Flight MessageClocks::send(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks now) {
    stations_.find_route(source, target, route_);
    const Packets packets = packets_of(payload);
    if (route_.analytical) return analytical(packets, now);
    if (crowded_) return crowded(packets, now);
    book(packets);
    return in_order(packets, now);
}

Flight MessageClocks::send_file(std::uint32_t source, std::uint32_t target, std::int64_t payload, Ticks now) {
    if (crowded_) return send(source, target, payload, now);
    stations_.find_route(source, target, route_);
    const Packets packets = packets_of(payload);
    if (route_.analytical) return analytical(packets, now);
    book(packets);
    const bool one_route = route_.first_forced == route_.stations.size();
    return one_route ? in_order(packets, now) : in_any_order(packets, now);
}

Ticks MessageClocks::service(std::size_t hop, std::int64_t bytes) {
    return stations_.service(route_.stations[hop], bytes, stations_.is_local(route_.stations, hop), odd_);
}

Ticks MessageClocks::whole(std::size_t hop, const Packets& packets) {
    return summed(packets, [&](std::int64_t bytes) { return service(hop, bytes); });
}

// From the start of a packet's service here to its arrival at the next station, or, at the last, to its end.
Ticks MessageClocks::onwards(std::size_t hop, std::int64_t bytes) {
    const Station& at = stations_[route_.stations[hop]];
    const bool last = hop + 1 == route_.stations.size();
    if (at.kind != ComponentKind::cut_through || last) return service(hop, bytes) + at.latency;
    const Ticks head = service(hop, std::min(bytes, header_bytes));
    return std::max(head, service(hop, bytes) - service(hop + 1, bytes));
}

void MessageClocks::book(const Packets& packets) {
    for (std::size_t hop = 0; hop < route_.stations.size(); ++hop) {
        const bool forced = hop < route_.first_forced || hop + route_.last_forced >= route_.stations.size();
        const Ticks all = whole(hop, packets);
        total_ += all;
        if (forced) work_[route_.stations[hop]] += all;
        delays_ += stations_[route_.stations[hop]].latency;
    }
}

Flight MessageClocks::crowded(const Packets& packets, Ticks now) {
    Ticks first = now, last = now, slowest = 0, sent = now, latencies = 0;
    std::int64_t in_flight = 0;
    for (std::size_t hop = 0; hop < route_.stations.size(); ++hop) {
        const std::uint32_t at = route_.stations[hop];
        const Ticks last_service = service(hop, packets.last);
        const Ticks all = whole(hop, packets);
        const auto [begun, over] = serve(at, first, all);
        const Ticks latency = stations_[at].latency;
        first = begun + service(hop, packets.first) + latency;
        last = std::max(over, last + last_service) + latency;
        if (hop == 0) sent = std::max(now, over - last_service);
        latencies += latency;
        // A stream may have a window's worth of packets in flight at every station.
        const Ticks full = service(hop, stations_.settings().packet_bytes);
        in_flight += stations_[at].window / std::max<Ticks>(full, 1);
        slowest = std::max(slowest, service(hop, packets.first));
    }
    delays_ += latencies;
    return {std::max(sent, last - latencies - in_flight * slowest), first, last};
}

// Packets of one message keep their order on its one route: a station begins with the last of them when it
// has come and all others have been served.
Flight MessageClocks::in_order(const Packets& packets, Ticks now) {
    Ticks first = now, last = now, slowest = 0, sent = now, latencies = 0;
    std::int64_t in_flight = 0;
    for (std::size_t hop = 0; hop < route_.stations.size(); ++hop) {
        const Station& at = stations_[route_.stations[hop]];
        const Ticks begins = std::max(last, first + whole(hop, packets) - service(hop, packets.last));
        if (hop == 0) sent = begins;
        first += onwards(hop, packets.first);
        last = begins + onwards(hop, packets.last);
        latencies += at.latency;
        // What a station's window lets pass, the packet that it serves and the one that comes.
        const Ticks full = service(hop, stations_.settings().packet_bytes);
        in_flight += at.window / std::max<Ticks>(full, 1) + 2;
        slowest = std::max(slowest, service(hop, packets.first));
    }
    return {std::max(sent, last - latencies - in_flight * slowest), first, last};
}

// Packets that may overtake each other: no earlier than the largest by itself, and no earlier than all of
// them have passed a station that none avoids, with the smallest before and behind it.
Flight MessageClocks::in_any_order(const Packets& packets, Ticks now) {
    const std::int64_t full = stations_.settings().packet_bytes;
    const std::int64_t small = std::min(packets.first - header_bytes, packets.last);
    const std::int64_t large = std::min(packets.first, full);
    Ticks alone = 0, quick = 0, most = 0;
    for (std::size_t hop = 0; hop < route_.stations.size(); ++hop) {
        alone += onwards(hop, large);
        quick += onwards(hop, small);
        const bool forced = hop < route_.first_forced || hop + route_.last_forced >= route_.stations.size();
        const bool stores = stations_[route_.stations[hop]].kind != ComponentKind::cut_through;
        if (forced && stores) most = std::max(most, whole(hop, packets) - service(hop, small));
    }
    return {now, now + quick, now + std::max(alone, quick + most)};
}

}  // namespace striate
