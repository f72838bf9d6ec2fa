// Everything that serves packets one at a time: components, edges, network interfaces and their links.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/network/rate.hpp"
#include "striate/network/routes.hpp"

namespace striate {

inline constexpr std::uint32_t none = 0xffffffff;
inline constexpr std::int64_t header_bytes = 40;  // TCP and IP, on the first packet of a message only

enum class ComponentKind : std::uint8_t { store_forward, memory, cut_through };
enum class Routing : std::uint8_t { shortest, round_robin };

// A user's own routes in place of the shortest ones: one for each pair of components, asked for once.
class RouteChooser {
  public:
    virtual ~RouteChooser() = default;
    // The edges that lead from one component to the other.
    [[nodiscard]] virtual std::vector<std::int32_t> route(std::int32_t from, std::int32_t to) = 0;
};

// One interface per process or server; it hangs on a component by two links of the same speed.
struct NicColumns {
    std::span<const std::int32_t> component;
    std::span<const double> bandwidth;
    std::span<const double> link_bandwidth;
    std::span<const std::int64_t> link_latency;
    std::span<const std::uint8_t> analytical;  // nonzero: knows no contention between itself and the target
};

struct NetworkSettings {
    std::int64_t packet_bytes;
    Rounding rounding = Rounding::nearest_picosecond;
    Routing routing = Routing::shortest;
    bool free_near = false;           // interfaces on one component reach each other in no time
    RouteChooser* chooser = nullptr;  // instead of the routing above; not owned
};

inline constexpr int queue_tick_bits = 10;  // a tick of waiting is 1,024 picoseconds, so that sums have room
inline constexpr double queue_tick_seconds = 1024e-12;

// Plain data, one cache line: what a service costs, who is served and who is next.
struct alignas(64) Station {
    double bandwidth;
    Ticks latency;  // after service, beside the next service
    Ticks full;     // service of a packet of full size
    Ticks window;   // a stream waits once its packets in flight cost this much service
    // Nobody waits for the packet in service, which ends here: an end that is no event unless somebody comes
    // before. 0: it is one.
    Ticks silent_end = 0;
    // Moments at which packets started less those at which they came, in `queue_tick`s, modulo 2^64: when
    // none is left, the time that all of them have waited.
    std::uint64_t waited = 0;
    std::uint32_t serving = none;
    std::uint32_t last_ready = none;  // the ring of slots that may be served; its head follows it
    ComponentKind kind;
    bool guarded = false;    // an interface that pauses after every packet
    bool closed = false;     // and does not go on
    bool handed_on = false;  // the packet in service is on its way to the next hop already
};
static_assert(sizeof(Station) == 64);

// What a station did in a whole run.
struct StationTotals {
    Ticks busy = 0;
    std::int64_t packets = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const StationTotals&, const StationTotals&) = default;
};

// A route from one interface to another, as stations.
struct Route {
    std::vector<std::uint32_t> stations;
    bool analytical = false;
    double bottleneck = 0;  // analytical only: the slowest rate met
    Ticks latency = 0;      // analytical only: all latencies together
    // Stations from its start and from its end that every message between the two passes, whatever its route.
    std::size_t first_forced = 0, last_forced = 0;
};

// Order: components, edges, interfaces, links away from them, links towards them. The order is part of the
// model: of two completions at the same time, the station listed first comes first.
class Stations {
  public:
    // Throws std::invalid_argument when columns differ in length, Refusal for a rate that moves nothing.
    Stations(const NetworkColumns& network, const NicColumns& nics, const NetworkSettings& settings);

    // The route of a new message. Throws std::domain_error when there is none. With round-robin routing each
    // component deals its messages to one destination component in turn over the equal next edges.
    void find_route(std::uint32_t source, std::uint32_t target, Route& route);

    [[nodiscard]] Ticks service(std::uint32_t station, std::int64_t bytes, bool local) const {
        const Station& at = stations_[station];
        if (bytes == settings_.packet_bytes) return local ? local_full_[station] : at.full;
        return service_ticks(bytes, local ? local_bandwidth_[station] : at.bandwidth, settings_.rounding);
    }
    // The same, for who asks for few sizes again and again.
    [[nodiscard]] Ticks service(std::uint32_t station, std::int64_t bytes, bool local,
                                OddServices& known) const {
        const Station& at = stations_[station];
        if (bytes == settings_.packet_bytes) return local ? local_full_[station] : at.full;
        return known.ticks(bytes, local ? local_bandwidth_[station] : at.bandwidth);
    }

    // Whether the memory in the middle of a route serves at its local rate.
    [[nodiscard]] bool is_local(std::span<const std::uint32_t> route, std::size_t hop) const {
        return route.size() == 5 && hop == 2 && local_bandwidth_[route[2]] > 0;
    }
    // Of a memory between two interfaces that hang on it; 0: none.
    [[nodiscard]] double local_bandwidth(std::uint32_t station) const { return local_bandwidth_[station]; }

    [[nodiscard]] Station& operator[](std::uint32_t station) { return stations_[station]; }
    [[nodiscard]] const Station& operator[](std::uint32_t station) const { return stations_[station]; }
    [[nodiscard]] std::size_t size() const { return stations_.size(); }
    [[nodiscard]] std::vector<double> waited() const;  // per station, in seconds; when none waits any more
    [[nodiscard]] std::uint32_t nics() const { return nics_; }
    [[nodiscard]] std::uint32_t edge_station(std::uint32_t edge) const { return components_ + edge; }
    [[nodiscard]] std::uint32_t interface_station(std::uint32_t nic) const {
        return components_ + edge_count_ + nic;
    }
    [[nodiscard]] const NetworkSettings& settings() const { return settings_; }

  private:
    void add(double bandwidth, double local_bandwidth, Ticks latency, ComponentKind kind);
    void append_edges(std::int32_t from, std::int32_t to);
    [[nodiscard]] const std::vector<std::int32_t>& chosen(std::int32_t from, std::int32_t to);
    void summarise(Route& route) const;
    void find_forced(std::int32_t from, std::int32_t to, Route& route) const;

    NetworkSettings settings_;
    Routes routes_;
    std::vector<Station> stations_;
    std::vector<double> local_bandwidth_;  // per station
    std::vector<Ticks> local_full_;        // per station: service of a packet of full size at the local rate
    std::vector<std::int32_t> nic_component_;
    std::vector<std::uint8_t> analytical_;
    std::vector<std::uint32_t> turn_;  // per component, for round-robin routing
    std::vector<std::int32_t> edges_;  // of the route being found
    std::unordered_map<std::uint64_t, std::vector<std::int32_t>> chosen_;  // by a chooser, per pair
    std::uint32_t components_, edge_count_, nics_;
};

}  // namespace striate
