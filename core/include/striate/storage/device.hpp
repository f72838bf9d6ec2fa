// What stands behind a server: one disk, or several as a RAID; when an access that starts now is over.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "striate/events/timeline.hpp"
#include "striate/storage/disk.hpp"

namespace striate {

enum class Raid : std::uint8_t {
    striped,  // level 0, and any single disk
    parity,   // level 5: in every stripe one disk holds the parity, each in turn
};

struct Device {
    std::vector<Disk> disks;
    Raid raid = Raid::striped;
    std::int64_t chunk_bytes = 64 << 10;  // on one disk before the next takes over
    std::int64_t capacity_bytes = 0;      // of data; 0: no end
    Rounding rounding = Rounding::nearest_picosecond;
    DiskModel* model = nullptr;  // says how long accesses take instead of the disks; not owned
    std::uint32_t server = 0;    // as which the model knows this device

    // Accesses it takes at once.
    [[nodiscard]] std::int32_t depth() const;
};

// Throws std::invalid_argument: no disk, parity on fewer than 3, a chunk, rate or number of channels below 1.
void expect_sound(const Device& device);

struct DeviceState {
    explicit DeviceState(const Device& device);

    std::vector<DiskState> disks;
    std::vector<std::vector<Ticks>> free_at;  // per disk and channel
    std::vector<std::int64_t> file_end;       // per file: the highest byte written
    std::int64_t used_bytes = 0;
    friend bool operator==(const DeviceState&, const DeviceState&) = default;

    // The room of the file is free again.
    void erase(std::int64_t file);
};

// A large access to flash is spread over channels in parts of at least this many bytes.
inline constexpr std::int64_t least_channel_bytes = 64 << 10;

// Where to write down what the disks of a server do; without a timeline nothing is.
struct DiskLog {
    Timeline* timeline = nullptr;
    std::int32_t server = 0;
    std::int32_t first_disk = 0;
    static constexpr std::int32_t burst_disk = 1 << 15;  // the first disk of a burst buffer
};

// When an access that starts now is over. What a disk is still busy with comes first. A write to part of a
// parity stripe reads the old data and parity before it writes the new. Refuses what has no room.
[[nodiscard]] Ticks finish_time(const Device& device, DeviceState& state, Ticks now, const Access& access,
                                const DiskLog& log = {});

}  // namespace striate
