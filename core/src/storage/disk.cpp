#include "striate/storage/disk.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "striate/events/clock_sums.hpp"

namespace striate {

namespace {

constexpr double ticks_per_second = 1e12;

enum class Move : std::uint8_t { none, near, far };

Move move_to(const Disk& disk, DiskState& state, const Access& access) {
    const bool same_file = access.file == state.last_file;
    if (same_file && access.offset == state.last_end) {
        ++state.sequential;
        return Move::none;
    }
    if (same_file && std::abs(access.offset - state.last_end) < disk.near) {
        ++state.near_seeks;
        return Move::near;
    }
    return Move::far;
}

// Positioning and transfer as one sum of seconds, cut to nanoseconds once: the clock of PIOsimHD.
Ticks truncated(Ticks latency, double turn_seconds, std::int64_t bytes, double rate) {
    const double seconds =
        static_cast<double>(latency) / ticks_per_second + turn_seconds + static_cast<double>(bytes) / rate;
    return static_cast<Ticks>(seconds * 1e9) * 1000;
}

}  // namespace

double transfer_rate(const Disk& disk, bool write) {
    const double rate = write ? disk.write_rate : disk.read_rate;
    return disk.kind == DiskKind::flash ? rate / disk.channels : rate;
}

Ticks throttled_end(const Disk& disk, DiskState& state, Ticks now, const Access& access) {
    ThrottleSlice& slice = access.write ? state.writes : state.reads;
    const double rate = transfer_rate(disk, access.write);
    const double budget = rate * static_cast<double>(disk.slice) / ticks_per_second;
    const auto begun = [&](double less) {  // ticks of the slices so far, but for the last `less` of them
        const double slices = std::ceil(static_cast<double>(slice.bytes) / budget) - less;
        const double ticks = slices * static_cast<double>(disk.slice);
        if (ticks > static_cast<double>(last_tick)) refuse_long_run();
        return static_cast<Ticks>(slices) * disk.slice;
    };
    if (now >= after(slice.start, begun(0))) slice = {now, 0};
    slice.bytes += access.bytes;
    const Ticks moved =
        disk.peak_rate > 0
            ? std::llround(std::min(static_cast<double>(access.bytes) / disk.peak_rate * ticks_per_second,
                                    static_cast<double>(last_tick)))
            : 0;
    const Ticks latency = access.write ? disk.write_latency : disk.read_latency;
    return after(after(std::max(now, after(slice.start, begun(1))), moved), latency);
}

Ticks access_ticks(const Disk& disk, DiskState& state, const Access& access, Rounding rounding) {
    const Move move = move_to(disk, state, access);
    state.last_file = access.file;
    state.last_end = access.end();
    ++state.operations;
    (access.write ? state.bytes_written : state.bytes_read) += access.bytes;

    Ticks latency = access.write ? disk.write_latency : disk.read_latency;
    double turn_seconds = 0;
    if (disk.kind == DiskKind::hard) {
        latency = move == Move::far ? disk.average_seek : move == Move::near ? disk.track_seek : 0;
        turn_seconds = move == Move::none ? 0 : 30 / disk.revolutions_per_minute;
    }
    const double rate = transfer_rate(disk, access.write);
    if (rounding == Rounding::truncated_nanoseconds) {
        return truncated(latency, turn_seconds, access.bytes, rate);
    }
    const Ticks turn = std::llround(turn_seconds * ticks_per_second);
    return latency + turn + service_ticks(access.bytes, rate, rounding);
}

}  // namespace striate
