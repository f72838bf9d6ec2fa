// The network as those above it see it: messages and timers in, calls back out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/events/timeline.hpp"
#include "striate/network/stations.hpp"

namespace striate {

// What stands above the network (programs, servers, schedules). Calls come between events, never per packet,
// and may start messages and set timers. A cookie is the caller's own number.
class NetworkListener {
  public:
    virtual ~NetworkListener() = default;
    virtual void on_sent(std::uint64_t cookie) = 0;  // its last packet has started at the sender's interface
    virtual void on_delivered(std::uint64_t cookie) = 0;  // its last packet has left the receiver's interface
    virtual void on_timer(std::uint64_t cookie) = 0;
};

enum class Fidelity : std::uint8_t { packets, flows, trains };
// All order events by one rule and differ in speed, but for the timed heaps: they leave ties as they lie, and
// are never fast-forwarded.
enum class QueueKind : std::uint8_t { automatic, hole_heap, ladder, oracle, timed_heap, entry_heap };

struct RunOptions {
    Fidelity fidelity = Fidelity::packets;
    bool warp = true;  // skip whole periods of a steady state; changes only the CPU time
    QueueKind queue = QueueKind::automatic;  // by the number of interfaces
    std::function<void()> poll = [] {};      // called about once per million events; may throw
    Timeline* timeline = nullptr;            // where to write down what happened when; none: nowhere
};

// What was known without playing it because packets could not meet others.
struct ShortCuts {
    std::int64_t events = 0;       // among those skipped
    std::int64_t interrupted = 0;  // times that somebody came along while packets were on a short cut
};

class Network {
  public:
    virtual ~Network() = default;

    [[nodiscard]] virtual Ticks now() const = 0;

    // Sends `bytes` of payload now. Throws std::domain_error when the target cannot be reached.
    virtual void start_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                               std::uint64_t cookie) = 0;

    // Sends one more packet, of at most the packet size, of a message that has begun: it carries no header.
    virtual void continue_message(std::uint32_t source, std::uint32_t target, std::int64_t bytes,
                                  std::uint64_t cookie) = 0;

    // From now on the interface pauses after every packet until those above have heard of it.
    virtual void guard(std::uint32_t interface) = 0;
    // Whether a guarded interface goes on; closed, it takes no further packet in either direction.
    virtual void set_open(std::uint32_t interface, bool open) = 0;
    // The order in which packets of several senders come to their targets counts from now on.
    virtual void keep_order() {}

    // Calls on_timer(cookie) at `time`, not before now.
    virtual void set_timer(Ticks time, std::uint64_t cookie) = 0;

    // Runs until nothing is left to happen, then checks that nothing was lost on the way.
    virtual void run(const std::function<void()>& poll) = 0;

    [[nodiscard]] virtual std::int64_t events() const = 0;  // arrivals and completions of packets at stations
    [[nodiscard]] virtual std::int64_t skipped() const = 0;  // of those events, known without playing them
    [[nodiscard]] virtual ShortCuts short_cuts() const { return {}; }
    [[nodiscard]] virtual const std::vector<StationTotals>& totals() const = 0;  // per station
    // Per station: how long packets have waited there, all together, in seconds. Over the time of the run
    // that is the mean length of its queue.
    [[nodiscard]] virtual std::vector<double> waited() const = 0;
};

[[nodiscard]] std::unique_ptr<Network> make_network(Stations& stations, NetworkListener& listener,
                                                    const RunOptions& options);

}  // namespace striate
