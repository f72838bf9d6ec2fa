// A disk: how long one access takes, given where the last one ended.
#pragma once

#include <cstdint>

#include "striate/events/event.hpp"
#include "striate/network/rate.hpp"

namespace striate {

// Bytes of one file on one server.
struct Access {
    std::int64_t file;
    std::int64_t offset;
    std::int64_t bytes;
    bool write;

    [[nodiscard]] std::int64_t end() const { return offset + bytes; }
    friend bool operator==(const Access&, const Access&) = default;
};

enum class DiskKind : std::uint8_t {
    simple,  // every access costs its latency and its bytes; without a latency, a RAM disk
    hard,    // no seek in sequence, a track's seek nearby, an average one elsewhere; both wait half a turn
    flash,   // `channels` work at once, each at its share of the rate
};

struct Disk {
    DiskKind kind = DiskKind::simple;
    double read_rate = 1, write_rate = 1;  // bytes per second; of a flash disk all channels together
    Ticks read_latency = 0, write_latency = 0;
    Ticks average_seek = 0, track_seek = 0;
    double revolutions_per_minute = 1;
    std::int64_t near = 0;      // bytes: closer than this to the last access costs a track's seek only
    std::int32_t channels = 1;  // of flash
    std::int32_t queue_depth = 1;
    // A throttled device lets rate x slice bytes of each direction pass in a slice, at its peak rate, and the
    // rest in the slices after it; 0: no slices.
    Ticks slice = 0;
    double peak_rate = 0;  // bytes per second; 0: no time

    // Accesses it takes at once. Throws nothing; a disk that is not flash has one arm.
    [[nodiscard]] std::int32_t depth() const { return kind == DiskKind::flash ? queue_depth : 1; }
};

// How much of a direction's budget is used, since when.
struct ThrottleSlice {
    Ticks start = 0;
    std::int64_t bytes = 0;
    friend bool operator==(const ThrottleSlice&, const ThrottleSlice&) = default;
};

struct DiskState {
    std::int64_t last_file = -1, last_end = -1;
    std::int64_t operations = 0, sequential = 0, near_seeks = 0;
    std::int64_t bytes_read = 0, bytes_written = 0;
    ThrottleSlice reads, writes;
    friend bool operator==(const DiskState&, const DiskState&) = default;
};

// Bytes per second of one arm or channel.
[[nodiscard]] double transfer_rate(const Disk& disk, bool write);

// A user's own times of accesses in place of those below; asked in the order in which a disk serves them.
class DiskModel {
  public:
    virtual ~DiskModel() = default;
    // How long an access that begins at `now` takes on this disk of the server, of flash on one channel.
    [[nodiscard]] virtual Ticks ticks(std::uint32_t server, std::uint32_t disk, const Access& access,
                                      Ticks now) = 0;
};

// When an access that begins at `now` is over on a disk that is throttled in slices; the state moves on.
[[nodiscard]] Ticks throttled_end(const Disk& disk, DiskState& state, Ticks now, const Access& access);

// How long the access takes on an idle disk (of flash: on one channel); the state moves on to its end.
[[nodiscard]] Ticks access_ticks(const Disk& disk, DiskState& state, const Access& access, Rounding rounding);

}  // namespace striate
