// What parallel file access needs of the world around it.
#pragma once

#include <cstdint>

#include "striate/events/event.hpp"

namespace striate {

// Who made a call, and whom to tell of its end.
struct FileCaller {
    std::uint32_t rank;
    std::uint32_t owner;   // told when it is over,
    std::int64_t request;  // with this
};

// Interfaces: rank r has r, then come I/O servers, metadata servers and forwarders.
class FileHost {
  public:
    virtual ~FileHost() = default;
    [[nodiscard]] virtual Ticks now() const = 0;
    // One message, or (`continues`) one more packet of a message that has begun.
    virtual void transmit_file(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                               bool continues, std::uint64_t cookie) = 0;
    virtual void set_file_timer(Ticks time, std::uint64_t cookie) = 0;
    // A command step on the rank's CPU; calls on_step(cookie) when it is over.
    virtual void take_file_step(std::uint32_t rank, std::uint64_t cookie) = 0;
    // So much work on the rank's CPU; calls on_step(cookie) when it is over.
    virtual void work_for_file(std::uint32_t rank, Ticks work, std::uint64_t cookie) = 0;
    // Whether the server's interface takes packets.
    virtual void set_receiving(std::uint32_t server, bool receives) = 0;
    // The node of a rank: the client that holds its locks.
    [[nodiscard]] virtual std::uint32_t node_of(std::uint32_t rank) const { return rank; }
    virtual void access_over(std::uint32_t owner, std::int64_t request) = 0;
};

}  // namespace striate
