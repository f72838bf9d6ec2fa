#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "striate/flows/flows.hpp"

#include "striate/refusal.hpp"

namespace striate {

namespace {

std::uint64_t mix(std::uint64_t value) {  // SplitMix64's finaliser
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
}

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 40) * 0x1p-24; }  // [0, 1)

// A multiplier near the golden section of `blocks` without a common divisor: it scatters neighbours far
// apart.
std::int64_t golden_stride(std::int64_t blocks) {
    auto stride = static_cast<std::int64_t>(static_cast<double>(blocks) * 0.6180339887498949);
    while (stride > 1 && std::gcd(stride, blocks) != 1) --stride;
    return std::max<std::int64_t>(stride, 1);
}

void expect(const FlowMachine& machine) {
    if (machine.disks < 1 || machine.disks_per_processor < 1 ||
        machine.disks % machine.disks_per_processor != 0) {
        throw std::invalid_argument("disks must be a whole number of disks per processor");
    }
    if (machine.communication_ticks < 0) throw Refusal(Reason::negative_time);
    if (!machine.read_scale.empty() && machine.read_scale.size() != machine.disks)
        throw std::invalid_argument("read_scale has one entry per disk");
    const std::size_t pairs = std::size_t{machine.processors()} * machine.processors();
    if (machine.first_station.empty()) return;
    if (machine.first_station.size() != pairs + 1 || machine.first_station.front() != 0 ||
        machine.first_station.back() != static_cast<std::int64_t>(machine.station.size()) ||
        !std::is_sorted(machine.first_station.begin(), machine.first_station.end())) {
        throw std::invalid_argument("first_station has one entry per pair of processors, and one more");
    }
    for (const std::uint32_t shared : machine.station) {
        if (shared >= machine.station_ticks.size()) throw std::invalid_argument("no such station");
    }
}

}  // namespace

MeshQueries::MeshQueries(FlowMachine machine, Shape shape, std::vector<Window> groups)
    : machine_(machine), shape_(shape) {
    expect(machine);
    if (shape.scattered && shape.mesh_columns * shape.mesh_rows != machine.processors()) {
        throw std::invalid_argument("the mesh must have one cell per processor");
    }
    if (!(shape.reach >= 0 && shape.reach <= 1))
        throw std::invalid_argument("reach lies between 0 and 1 block");
    if (!(shape.read_variation >= 0 && shape.read_variation < 1)) {
        throw std::invalid_argument("read variation lies between 0 and 1");
    }
    for (const Window& window : groups) {
        constexpr std::int64_t side = std::numeric_limits<std::int32_t>::max() / 2;
        std::int64_t blocks = 0;
        if (window.columns < 1 || window.rows < 1 || window.layers < 1) {
            throw std::invalid_argument("a window has at least one block");
        }
        if (window.columns > side || window.rows > side ||
            __builtin_mul_overflow(window.columns * window.rows, window.layers, &blocks) ||
            blocks > (std::int64_t{1} << 52)) {
            throw Refusal(Reason::window_too_large);
        }
        Prepared prepared{blocks,
                          golden_stride(blocks),
                          static_cast<std::int32_t>(window.columns),
                          static_cast<std::int32_t>(window.rows),
                          window.layers,
                          {},
                          shape.mesh_columns / static_cast<double>(window.columns),
                          shape.mesh_rows / static_cast<double>(window.rows),
                          false,
                          0,
                          0,
                          {}};
        prepared.step = cell(prepared, machine.disks);
        if (window.left >= 0 && window.top >= 0) prepare_stored(window, prepared);
        windows_.push_back(std::move(prepared));
    }
}

// Block (column, row, layer) of the stored area lies on disk column + shift (row + layer), modulo the disks.
void MeshQueries::prepare_stored(const Window& window, Prepared& prepared) const {
    const std::int64_t disks = machine_.disks;
    prepared.stored = true;
    prepared.shift = static_cast<std::uint32_t>(golden_stride(disks) % disks);
    prepared.corner =
        static_cast<std::uint32_t>((window.left % disks + window.top % disks * prepared.shift) % disks);
    prepared.counts.resize(machine_.disks);
    Cursor line{};
    for (line.layer = 0; line.layer < window.layers; ++line.layer) {
        for (line.row = 0; line.row < prepared.rows; ++line.row) {
            const std::int64_t whole = window.columns / disks, rest = window.columns % disks;
            const std::int64_t begin =
                disks - first_column(prepared, 0, line);  // the disk of column 0, or disks
            if (whole > 0) {
                for (std::int64_t& count : prepared.counts) count += whole;
            }
            for (std::int64_t i = 0; i < rest; ++i) {
                ++prepared.counts[static_cast<std::size_t>((begin + i) % disks)];
            }
        }
    }
}

// The first column of the window's line that lies on the disk; may be beyond the window.
std::int64_t MeshQueries::first_column(const Prepared& window, std::uint32_t disk, const Cursor& line) const {
    const std::int64_t disks = machine_.disks;
    const std::int64_t begin =
        (window.corner + (line.row + line.layer) % disks * static_cast<std::int64_t>(window.shift)) % disks;
    return (disk + disks - begin) % disks;
}

// Moves on to the next line of the window that has a block on the disk; after the last comes the first.
void MeshQueries::next_line(const Prepared& window, std::uint32_t disk, Cursor& cursor) const {
    do {
        if (++cursor.row == window.rows) {
            cursor.row = 0;
            if (++cursor.layer == window.layers) cursor.layer = 0;
        }
        cursor.column = static_cast<std::int32_t>(first_column(window, disk, cursor));
    } while (cursor.column >= window.columns);
}

std::int64_t MeshQueries::count(std::size_t group, std::uint32_t disk) const {
    if (windows_[group].stored) return windows_[group].counts[disk];
    const std::int64_t blocks = windows_[group].blocks;
    return blocks / machine_.disks + (static_cast<std::int64_t>(disk) < blocks % machine_.disks ? 1 : 0);
}

// Disks begin in different rows of a stored window, so that blocks read at the same time lie all over it.
MeshQueries::Cursor MeshQueries::begin(std::size_t group, std::uint32_t disk) const {
    const Prepared& window = windows_[group];
    if (!window.stored) return cell(window, disk);
    if (window.counts[disk] == 0) return {};
    const std::int64_t line = static_cast<std::int64_t>(disk) * window.rows / machine_.disks;
    Cursor cursor{0, static_cast<std::int32_t>(line), 0};
    cursor.column = static_cast<std::int32_t>(first_column(window, disk, cursor));
    if (cursor.column >= window.columns) next_line(window, disk, cursor);
    return cursor;
}

MeshQueries::Cursor MeshQueries::cell(const Prepared& window, std::int64_t block) const {
    const auto place =
        static_cast<std::int64_t>(static_cast<__int128>(block) * window.stride % window.blocks);
    const std::int64_t line = place / window.columns;
    return {static_cast<std::int32_t>(place % window.columns), static_cast<std::int32_t>(line % window.rows),
            line / window.rows};
}

// Adds the step in mixed radix: no division, and the last carry falls away because cells count modulo the
// window.
void MeshQueries::advance(const Prepared& window, std::uint32_t disk, Cursor& cursor) const {
    if (window.stored) {
        const std::int64_t next = std::int64_t{cursor.column} + machine_.disks;
        if (next < window.columns) {
            cursor.column = static_cast<std::int32_t>(next);
        } else {
            next_line(window, disk, cursor);
        }
        return;
    }
    cursor.column += window.step.column;
    const std::int32_t over = cursor.column >= window.columns ? 1 : 0;
    cursor.column -= over ? window.columns : 0;
    cursor.row += window.step.row + over;
    const std::int32_t above = cursor.row >= window.rows ? 1 : 0;
    cursor.row -= above ? window.rows : 0;
    cursor.layer += window.step.layer + above;
    cursor.layer -= cursor.layer >= window.layers ? window.layers : 0;
}

void MeshQueries::take(std::size_t group, std::uint32_t disk, Cursor& cursor, Flow& flow) const {
    const Prepared& window = windows_[group];
    flow.compute_ticks = shape_.compute_ticks;
    flow.read_ticks = shape_.read_ticks;
    if (shape_.read_variation > 0) {
        const std::uint64_t random =
            mix(static_cast<std::uint64_t>(cursor.column) * 0x9E3779B97F4A7C15ULL +
                static_cast<std::uint64_t>(cursor.row) * 0xD1B54A32D192ED03ULL +
                static_cast<std::uint64_t>(cursor.layer) * 0x8CB92BA72F3D8DD7ULL + shape_.seed + group);
        const double share = 1.0 + shape_.read_variation * (2.0 * unit(random) - 1.0);
        flow.read_ticks = static_cast<std::int64_t>(static_cast<double>(shape_.read_ticks) * share);
    }
    flow.read_ticks = machine_.read_ticks(disk, flow.read_ticks);
    if (shape_.scattered) {
        receivers(window, cursor, machine_.owner(disk), flow);
    } else {
        flow.local = true;
        flow.receivers = 0;
    }
    advance(window, disk, cursor);
}

// Most footprints lie inside one cell of the mesh.
void MeshQueries::receivers(const Prepared& window, const Cursor& cursor, std::uint32_t owner,
                            Flow& flow) const {
    if (shape_.reach > 0) return spread(window, cursor, owner, flow);
    const auto x = static_cast<std::uint32_t>(cursor.column * window.column_scale);
    const auto y = static_cast<std::uint32_t>(cursor.row * window.row_scale);
    flow.receiver[0] = y * shape_.mesh_columns + x;
    flow.local = flow.receiver[0] == owner;
    flow.receivers = flow.local ? 0 : 1;
}

// The mesh cells that the block's footprint touches: one, or two or four at the borders of cells.
void MeshQueries::spread(const Prepared& window, const Cursor& cursor, std::uint32_t owner,
                         Flow& flow) const {
    const auto edge = [](double place, double scale, std::uint32_t cells) {
        return static_cast<std::uint32_t>(std::clamp(place * scale, 0.0, static_cast<double>(cells - 1)));
    };
    const std::uint32_t left = edge(cursor.column - shape_.reach, window.column_scale, shape_.mesh_columns);
    const std::uint32_t right = edge(cursor.column + shape_.reach, window.column_scale, shape_.mesh_columns);
    const std::uint32_t top = edge(cursor.row - shape_.reach, window.row_scale, shape_.mesh_rows);
    const std::uint32_t bottom = edge(cursor.row + shape_.reach, window.row_scale, shape_.mesh_rows);
    flow.local = false;
    flow.receivers = 0;
    for (std::uint32_t y = top; y <= bottom; ++y) {
        for (std::uint32_t x = left; x <= right; ++x) {
            const std::uint32_t processor = y * shape_.mesh_columns + x;
            if (processor == owner) {
                flow.local = true;
            } else if (flow.receivers == most_receivers) {
                throw Refusal(Reason::too_many_receivers, {.room = most_receivers});
            } else {
                flow.receiver[flow.receivers++] = processor;
            }
        }
    }
}

ListedFlows::ListedFlows(FlowMachine machine, FlowColumns columns) : machine_(machine), columns_(columns) {
    expect(machine);
    const std::size_t graphs = columns.read_ticks.size();
    if (columns.first.empty() || (columns.first.size() - 1) % machine.disks != 0) {
        throw std::invalid_argument("`first` has one entry per group and disk, and one more");
    }
    if (columns.compute_ticks.size() != graphs || columns.local.size() != graphs ||
        columns.write.size() != graphs || columns.size.size() != graphs ||
        columns.first_receiver.size() != graphs + 1) {
        throw std::invalid_argument("columns of graphs differ in length");
    }
    const auto ascending = [](std::span<const std::int64_t> starts, std::size_t end) {
        return starts.front() == 0 && starts.back() == static_cast<std::int64_t>(end) &&
               std::is_sorted(starts.begin(), starts.end());
    };
    if (!ascending(columns.first, graphs) || !ascending(columns.first_receiver, columns.receiver.size())) {
        throw std::invalid_argument("starts do not ascend to the number of graphs and receivers");
    }
    const auto negative = [](std::int64_t ticks) { return ticks < 0; };
    for (const double size : columns.size) {
        if (!(size > 0 && size <= 1e9)) throw std::invalid_argument("a graph has from 0 to 1e9 blocks");
    }
    if (std::any_of(columns.read_ticks.begin(), columns.read_ticks.end(), negative) ||
        std::any_of(columns.compute_ticks.begin(), columns.compute_ticks.end(), negative)) {
        throw Refusal(Reason::negative_time);
    }
    for (std::size_t graph = 0; graph < graphs; ++graph) {
        if (columns.first_receiver[graph + 1] - columns.first_receiver[graph] >
            static_cast<std::int64_t>(most_receivers)) {
            throw std::invalid_argument("a block goes to at most 16 other processors");
        }
    }
    for (const std::uint32_t processor : columns.receiver) {
        if (processor >= machine.processors()) {
            throw Refusal(Reason::unknown_receiver, {.peer = processor, .count = machine.processors()});
        }
    }
    groups_ = (columns.first.size() - 1) / machine.disks;
}

std::int64_t ListedFlows::count(std::size_t group, std::uint32_t disk) const {
    const std::size_t at = group * machine_.disks + disk;
    return columns_.first[at + 1] - columns_.first[at];
}

ListedFlows::Cursor ListedFlows::begin(std::size_t group, std::uint32_t disk) const {
    return columns_.first[group * machine_.disks + disk];
}

void ListedFlows::take(std::size_t, std::uint32_t, Cursor& cursor, Flow& flow) const {
    const auto at = static_cast<std::size_t>(cursor++);
    flow.write = columns_.write[at] != 0;
    flow.size = columns_.size[at];
    flow.read_ticks = columns_.read_ticks[at];
    flow.compute_ticks = columns_.compute_ticks[at];
    flow.local = columns_.local[at] != 0;
    const auto begin = static_cast<std::size_t>(columns_.first_receiver[at]);
    const auto end = static_cast<std::size_t>(columns_.first_receiver[at + 1]);
    flow.receivers = static_cast<std::uint32_t>(end - begin);
    for (std::size_t i = begin; i < end; ++i) flow.receiver[i - begin] = columns_.receiver[i];
}

}  // namespace striate
