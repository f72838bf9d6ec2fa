#include "striate/storage/device.hpp"

#include <algorithm>
#include <span>

#include "striate/events/clock_sums.hpp"
#include "striate/refusal.hpp"

namespace striate {

namespace {

using Parts = std::vector<std::vector<Access>>;  // per disk

void add(std::vector<Access>& parts, const Access& part, std::int64_t bridge) {
    if (!parts.empty() && part.offset >= parts.back().offset && part.offset - parts.back().end() <= bridge) {
        parts.back().bytes = std::max(parts.back().end(), part.end()) - parts.back().offset;
    } else {
        parts.push_back(part);
    }
}

// The arm goes to one part after the other; flash spreads a part over its channels.
struct Served {
    Ticks over;
    Ticks positioning;  // of the first part: seeking, turning, or the device's latency
};

Served serve_disk(const Device& device, std::size_t which, DiskState& state, std::vector<Ticks>& free_at,
                  Ticks now, const Access& access) {
    const Disk& disk = device.disks[which];
    const std::int64_t wanted = (access.bytes + least_channel_bytes - 1) / least_channel_bytes;
    const std::int64_t lanes = std::clamp<std::int64_t>(wanted, 1, std::ssize(free_at));
    std::sort(free_at.begin(), free_at.end());
    const std::int64_t share = (access.bytes + lanes - 1) / lanes;
    DiskState counted;
    Served served{now, 0};
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t from = std::min(access.bytes, share * lane);
        const std::int64_t bytes = std::min(access.bytes, share * (lane + 1)) - from;
        const Access part{access.file, access.offset + from, bytes, access.write};
        Ticks& channel = free_at[static_cast<std::size_t>(lane)];
        const Ticks begun = std::max(now, channel);
        Ticks ticks = access_ticks(disk, state, part, device.rounding);
        const bool modelled = device.model != nullptr;
        if (modelled) {
            ticks = device.model->ticks(device.server, static_cast<std::uint32_t>(which), part, begun);
        }
        if (lane == 0) {
            counted = state;
            const Ticks moving = service_ticks(bytes, transfer_rate(disk, access.write), device.rounding);
            served.positioning = std::max<Ticks>(0, ticks - moving);
        }
        channel = disk.slice > 0 && !modelled ? throttled_end(disk, state, begun, part) : after(begun, ticks);
        served.over = std::max(served.over, channel);
    }
    // It is one operation, as far from the last as its first part, however many channels it took.
    state.operations = counted.operations;
    state.sequential = counted.sequential;
    state.near_seeks = counted.near_seeks;
    return served;
}

class Round {
  public:
    Round(const Device& device, DeviceState& state, const Access& access, const DiskLog& log)
        : device_(device), state_(state), access_(access), log_(log) {}

    Ticks serve(Ticks now, const Parts& parts, bool write) {
        Ticks over = now;
        for (std::size_t disk = 0; disk < parts.size(); ++disk) {
            for (Access part : parts[disk]) {
                part.write = write;
                over = std::max(over, serve(now, disk, part));
            }
        }
        return over;
    }

    Ticks serve(Ticks now, std::size_t disk, const Access& part) {
        std::vector<Ticks>& free_at = state_.free_at[disk];
        const Ticks start = std::max(now, *std::min_element(free_at.begin(), free_at.end()));
        const Served served = serve_disk(device_, disk, state_.disks[disk], free_at, now, part);
        if (log_.timeline != nullptr) record(disk, part, start, served);
        return served.over;
    }

    // Strips of one access on one disk are neighbours there.
    Parts striped() const {
        Parts parts(device_.disks.size());
        for_chunks(std::ssize(device_.disks),
                   [&](std::int64_t row, std::int64_t column, const Access& piece) {
                       add(parts[static_cast<std::size_t>(column)], moved(piece, row), 0);
                   });
        return parts;
    }

    // Reads pass over a parity chunk rather than stop at it.
    Parts parity_reads() const {
        Parts parts(device_.disks.size());
        for_chunks(data_disks(), [&](std::int64_t row, std::int64_t column, const Access& piece) {
            add(parts[data_disk(row, column)], moved(piece, row), device_.chunk_bytes);
        });
        return parts;
    }

    struct Writes {
        Parts old;  // to read first
        Parts all;
    };

    Writes parity_writes() const {
        Writes writes{Parts(device_.disks.size()), Parts(device_.disks.size())};
        const std::int64_t stripe = device_.chunk_bytes * data_disks();
        for (std::int64_t row = access_.offset / stripe; row * stripe < access_.end(); ++row) {
            const std::int64_t from = std::max(access_.offset, row * stripe);
            const std::int64_t end = std::min(access_.end(), (row + 1) * stripe);
            add_stripe(writes, row, {access_.file, from, end - from, true});
        }
        return writes;
    }

  private:
    void record(std::size_t disk, const Access& part, Ticks start, const Served& served) const {
        log_.timeline->add({.start = start,
                            .end = served.over,
                            .bytes = part.bytes,
                            .more = std::min(served.positioning, served.over - start),
                            .place = log_.server,
                            .tag = log_.first_disk + static_cast<std::int32_t>(disk),
                            .other = static_cast<std::int32_t>(part.file),
                            .level = BarLevel::disk,
                            .kind = part.write ? BarKind::write : BarKind::read});
    }

    std::int64_t data_disks() const { return std::ssize(device_.disks) - 1; }
    std::int64_t parity_disk(std::int64_t row) const {
        return data_disks() - row % std::ssize(device_.disks);
    }
    std::size_t data_disk(std::int64_t row, std::int64_t column) const {
        return static_cast<std::size_t>((parity_disk(row) + 1 + column) % std::ssize(device_.disks));
    }
    Access moved(const Access& piece, std::int64_t row) const {
        const std::int64_t inside = piece.offset % device_.chunk_bytes;
        return {piece.file, row * device_.chunk_bytes + inside, piece.bytes, piece.write};
    }

    // A stripe written whole needs no old parity.
    void add_stripe(Writes& writes, std::int64_t row, const Access& part) const {
        const bool whole = part.bytes == device_.chunk_bytes * data_disks();
        std::int64_t low = device_.chunk_bytes;
        std::int64_t high = 0;
        const auto put = [&](std::size_t disk, const Access& piece) {
            add(writes.all[disk], piece, 0);
            if (!whole) add(writes.old[disk], piece, 0);
        };
        for_chunks_of(part, data_disks(), [&](std::int64_t, std::int64_t column, const Access& piece) {
            const Access there = moved(piece, row);
            low = std::min(low, there.offset - row * device_.chunk_bytes);
            high = std::max(high, there.end() - row * device_.chunk_bytes);
            put(data_disk(row, column), there);
        });
        put(static_cast<std::size_t>(parity_disk(row)),
            {part.file, row * device_.chunk_bytes + low, high - low, true});
    }

    template <class Visit>
    void for_chunks(std::int64_t columns, const Visit& visit) const {
        for_chunks_of(access_, columns, visit);
    }

    template <class Visit>
    void for_chunks_of(const Access& whole, std::int64_t columns, const Visit& visit) const {
        for (std::int64_t at = whole.offset; at < whole.end();) {
            const std::int64_t chunk = at / device_.chunk_bytes;
            const std::int64_t end = std::min(whole.end(), (chunk + 1) * device_.chunk_bytes);
            visit(chunk / columns, chunk % columns, Access{whole.file, at, end - at, whole.write});
            at = end;
        }
    }

    const Device& device_;
    DeviceState& state_;
    const Access& access_;
    const DiskLog& log_;
};

void take_room(const Device& device, DeviceState& state, const Access& access) {
    const auto file = static_cast<std::size_t>(access.file);
    if (file >= state.file_end.size()) state.file_end.resize(file + 1);
    const std::int64_t more = std::max<std::int64_t>(0, access.end() - state.file_end[file]);
    if (device.capacity_bytes != 0 && more > device.capacity_bytes - state.used_bytes) {
        throw Refusal(Reason::server_full,
                      {.file = access.file, .end = access.end(), .room = device.capacity_bytes});
    }
    state.file_end[file] += more;
    state.used_bytes += more;
}

}  // namespace

std::int32_t Device::depth() const {
    std::int32_t most = 1;
    for (const Disk& disk : disks) most = std::max(most, disk.depth());
    return most;
}

void expect_sound(const Device& device) {
    if (device.disks.empty()) throw Refusal(Reason::too_few_disks, {.room = 1, .count = 0});
    if (device.raid == Raid::parity && device.disks.size() < 3) {
        throw Refusal(Reason::too_few_disks, {.room = 3, .count = std::ssize(device.disks)});
    }
    if (device.chunk_bytes < 1) throw Refusal(Reason::empty_unit);
    for (const Disk& disk : device.disks) {
        const bool sound = disk.read_rate >= 1 && disk.write_rate >= 1 && disk.channels >= 1 &&
                           disk.queue_depth >= 1 && disk.revolutions_per_minute > 0;
        if (!sound) throw Refusal(Reason::idle_disk);
    }
}

DeviceState::DeviceState(const Device& device) : disks(device.disks.size()) {
    expect_sound(device);
    for (const Disk& disk : device.disks) {
        const bool flash = disk.kind == DiskKind::flash;
        free_at.emplace_back(static_cast<std::size_t>(flash ? disk.channels : 1));
    }
}

void DeviceState::erase(std::int64_t file) {
    const auto at = static_cast<std::size_t>(file);
    if (at >= file_end.size()) return;
    used_bytes -= file_end[at];
    file_end[at] = 0;
}

Ticks finish_time(const Device& device, DeviceState& state, Ticks now, const Access& access,
                  const DiskLog& log) {
    if (access.write) take_room(device, state, access);
    Round round(device, state, access, log);
    if (device.disks.size() == 1) return round.serve(now, 0, access);
    if (device.raid == Raid::striped) return round.serve(now, round.striped(), access.write);
    if (!access.write) return round.serve(now, round.parity_reads(), false);
    const auto writes = round.parity_writes();
    const Ticks known = round.serve(now, writes.old, false);
    return round.serve(known, writes.all, true);
}

}  // namespace striate
