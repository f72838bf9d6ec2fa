// One-sided communication: a rank reaches into the memory of another, which takes no part in it.
//
// As remote DMA does, the target's interface answers: a put is data and an acknowledgement, a get a request
// and data. An accumulate also takes the target's CPU. A lock is asked for, granted in the order asked, and
// given back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "striate/programs/program.hpp"

namespace striate {

// What remote memory needs of the world around it.
class MemoryHost {
  public:
    virtual ~MemoryHost() = default;
    virtual void transmit_memory(std::uint32_t source, std::uint32_t target, std::int64_t payload,
                                 std::uint64_t cookie) = 0;
    // The rank's CPU combines so many bytes; calls on_combined(cookie) when it is over.
    virtual void combine(std::uint32_t rank, std::int64_t bytes, std::uint64_t cookie) = 0;
    // A put or accumulate has left, a get has come, or a rank need not wait any more (request: blocking).
    virtual void memory_over(std::uint32_t rank, std::int64_t request) = 0;
};

// The memory of one rank, as the members of a communicator may reach it.
struct Window {
    std::int32_t communicator;
    std::uint32_t rank;  // of the world
    friend auto operator<=>(const Window&, const Window&) = default;
};

class RemoteMemory {
  public:
    // Payload beside the data: of every message, an acknowledgement, a lock.
    static constexpr std::int64_t control_bytes = 8;

    RemoteMemory(std::size_t ranks, MemoryHost& host) : host_(host), open_(ranks), waits_(ranks) {}

    // A put, get or accumulate; tells `memory_over` of its own part unless `request` is blocking.
    void access(Kind kind, std::uint32_t origin, const Window& target, std::int64_t bytes,
                std::int64_t request);

    // These say whether the rank waits: then `memory_over` is told with a blocking request. Flushing waits
    // until what was begun has left (`local`) or is done at the target; `rank` may be `any`.
    [[nodiscard]] bool flush(std::uint32_t origin, std::int32_t communicator, std::int64_t rank, bool local);
    [[nodiscard]] bool lock(std::uint32_t origin, const Window& target, bool exclusive);
    [[nodiscard]] bool unlock(std::uint32_t origin, const Window& target);

    void on_sent(std::uint64_t cookie);
    void on_delivered(std::uint64_t cookie);
    void on_combined(std::uint64_t cookie) { answer(index_of(cookie)); }

    [[nodiscard]] std::int64_t messages() const { return messages_; }

    // Who waits for whose memory, for a report.
    struct Waiting {
        std::uint32_t origin;
        std::int64_t target;  // or any
    };
    [[nodiscard]] std::vector<Waiting> waiting() const;

  private:
    enum class What : std::uint8_t { put, get, accumulate, lock_shared, lock_exclusive, unlock };
    struct Operation {
        What what{};
        std::uint32_t origin = 0;
        Window target{};
        std::int64_t bytes = 0, request = blocking;
    };
    // What a rank has begun on one window.
    struct Open {
        Window target;
        std::int64_t unsent = 0, undone = 0;
    };
    // The one thing that a rank waits for.
    struct Pause {
        enum class For : std::uint8_t { nothing, flush, local_flush, unlock, answer } reason = For::nothing;
        std::int32_t communicator = 0;
        std::int64_t rank = any;
    };
    struct Lock {
        bool exclusive = false;
        std::int64_t holders = 0;
        std::deque<std::uint32_t> queue;
    };

    static std::uint64_t cookie_of(std::uint32_t operation, bool returns) {
        return static_cast<std::uint64_t>(operation) << 1 | static_cast<std::uint64_t>(returns);
    }
    static std::uint32_t index_of(std::uint64_t cookie) { return static_cast<std::uint32_t>(cookie >> 1); }

    std::uint32_t begin(const Operation& operation, std::int64_t payload);
    void end(std::uint32_t index);
    void answer(std::uint32_t index);
    void ask(std::uint32_t index);
    void release(const Window& target);
    void grant(const Window& target);
    [[nodiscard]] Open& open(std::uint32_t origin, const Window& target);
    [[nodiscard]] bool is_quiet(std::uint32_t origin) const;
    void look(std::uint32_t origin);
    void send_unlock(std::uint32_t origin);

    MemoryHost& host_;
    std::vector<Operation> operations_;
    std::vector<std::uint32_t> free_;
    std::vector<std::vector<Open>> open_;  // per origin
    std::vector<Pause> waits_;             // per origin
    std::map<Window, Lock> locks_;
    std::int64_t messages_ = 0;
};

}  // namespace striate
