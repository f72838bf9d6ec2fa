// Work-flow graphs of data blocks as streams: read a block, send it to those who need it, compute there.
//
// A source makes the graphs of a disk one after the other from a cursor, so that twelve million of them take
// no room. Groups wait for each other: a group begins when the one before it has ended everywhere (paper 004,
// section 2).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace striate {

inline constexpr std::size_t most_receivers = 16;

// One graph: a block is read from its disk, used by `local` computation on the disk's own processor, and sent
// to `receivers` others, each of which computes on it. A graph that writes goes the other way: all of them
// compute, send what they have made to the disk's processor, and the disk writes it.
struct Flow {
    std::int64_t read_ticks = 0;     // or of its write
    std::int64_t compute_ticks = 0;  // on every processor that uses the block
    bool local = false;              // the disk's own processor is among them
    bool write = false;
    double size = 1.0;  // in blocks
    std::uint32_t receivers = 0;
    std::array<std::uint32_t, most_receivers> receiver{};
};

// What all sources have: disks in order of their processors, and the price of sending one block.
struct FlowMachine {
    std::uint32_t disks = 1;
    std::uint32_t disks_per_processor = 1;
    std::int64_t communication_ticks = 0;  // T_comm: on the sender and on the receiver, a block
    bool overlap = false;                  // a disk goes on reading while its processor sends
    bool links = false;                    // interfaces move blocks; false: processors do the protocol work
    bool one_cpu = true;  // a processor computes and does the protocol work of its disks in turn
    // Of windows, per disk: how many times longer than the source says its reads take; empty: all alike.
    std::span<const double> read_scale{};
    // Components that messages of several processors pass: ticks for one block, and the route of every pair
    // of processors (from * processors + to), as starts into `station`. Empty: nothing is shared.
    std::span<const std::int64_t> station_ticks{};
    std::span<const std::int64_t> first_station{};
    std::span<const std::uint32_t> station{};
    std::function<void()> keep_going{};  // called now and then; may throw

    [[nodiscard]] std::int64_t read_ticks(std::uint32_t disk, std::int64_t ticks) const {
        return read_scale.empty() ? ticks : std::llround(static_cast<double>(ticks) * read_scale[disk]);
    }
    [[nodiscard]] std::span<const std::uint32_t> route(std::uint32_t from, std::uint32_t to) const {
        if (first_station.empty()) return {};
        const std::size_t pair = std::size_t{from} * processors() + to;
        const auto first = static_cast<std::size_t>(first_station[pair]);
        return station.subspan(first, static_cast<std::size_t>(first_station[pair + 1]) - first);
    }
    // What sending a block takes at either end: interfaces move larger ones longer, protocol work is the
    // same.
    [[nodiscard]] std::int64_t communication(const Flow& flow) const {
        if (!links || flow.size <= 1) return communication_ticks;
        return std::llround(static_cast<double>(communication_ticks) * flow.size);
    }
    [[nodiscard]] std::int64_t passing(std::uint32_t shared, const Flow& flow) const {
        if (flow.size == 1) return station_ticks[shared];
        return static_cast<std::int64_t>(static_cast<double>(station_ticks[shared]) * flow.size);
    }
    [[nodiscard]] std::uint32_t processors() const { return disks / disks_per_processor; }
    [[nodiscard]] std::uint32_t owner(std::uint32_t disk) const { return disk / disks_per_processor; }
};

// Windows of a grid of blocks that are dealt to disks and mapped onto a mesh of processors: Titan's query
// over satellite data, or, with no mapping, the slides of the Virtual Microscope. Neighbouring blocks lie on
// different disks, and blocks read at the same time lie all over the window: block i of the deal is cell i *
// stride of it.
class MeshQueries {
  public:
    // Where a disk has got to in the window.
    struct Cursor {
        std::int32_t column = 0, row = 0;
        std::int64_t layer = 0;
    };

    struct Window {
        std::int64_t columns, rows, layers;  // blocks
        // Its first column and row in the stored area, whose blocks the disks hold in turn, each row shifted;
        // -1: the window's own blocks are dealt evenly.
        std::int64_t left = -1, top = -1;
    };

    struct Shape {
        std::uint32_t mesh_columns = 1, mesh_rows = 1;
        double reach = 0.0;     // how far a block's footprint overlaps its neighbours, in blocks
        bool scattered = true;  // false: every block is used where its disk is
        std::int64_t read_ticks = 0, compute_ticks = 0;
        double read_variation =
            0.0;  // reads differ by up to this share of their time, by a hash of the block
        std::uint64_t seed = 0;
    };

    MeshQueries(FlowMachine machine, Shape shape, std::vector<Window> groups);

    [[nodiscard]] std::size_t groups() const { return windows_.size(); }
    [[nodiscard]] std::int64_t count(std::size_t group, std::uint32_t disk) const;
    [[nodiscard]] Cursor begin(std::size_t group, std::uint32_t disk) const;
    // The graph at the cursor, which moves on to the disk's next.
    void take(std::size_t group, std::uint32_t disk, Cursor& cursor, Flow& flow) const;
    [[nodiscard]] const FlowMachine& machine() const { return machine_; }

  private:
    struct Prepared {
        std::int64_t blocks, stride;
        std::int32_t columns, rows;
        std::int64_t layers;
        Cursor step;                       // from a disk's block to its next, in mixed radix
        double column_scale, row_scale;    // mesh cells per block
        bool stored = false;               // blocks lie where the stored area has them
        std::uint32_t corner = 0;          // the disk of the window's first block
        std::uint32_t shift = 0;           // disks from a block to the one below it, and from layer to layer
        std::vector<std::int64_t> counts;  // blocks per disk
    };

    [[nodiscard]] Cursor cell(const Prepared& window, std::int64_t block) const;
    void advance(const Prepared& window, std::uint32_t disk, Cursor& cursor) const;
    void prepare_stored(const Window& window, Prepared& prepared) const;
    [[nodiscard]] std::int64_t first_column(const Prepared& window, std::uint32_t disk,
                                            const Cursor& line) const;
    void next_line(const Prepared& window, std::uint32_t disk, Cursor& cursor) const;
    void receivers(const Prepared& window, const Cursor& cursor, std::uint32_t owner, Flow& flow) const;
    void spread(const Prepared& window, const Cursor& cursor, std::uint32_t owner, Flow& flow) const;

    FlowMachine machine_;
    Shape shape_;
    std::vector<Prepared> windows_;
};

// Graphs given one by one, sorted by group and disk.
struct FlowColumns {
    std::span<const std::int64_t> first;  // per group and disk (group-major), and one past the end
    std::span<const std::int64_t> read_ticks, compute_ticks;  // reads and writes as their own disk takes them
    std::span<const std::uint8_t> local, write;
    std::span<const double> size;                  // in blocks
    std::span<const std::int64_t> first_receiver;  // per graph, and one past the end
    std::span<const std::uint32_t> receiver;
};

class ListedFlows {
  public:
    using Cursor = std::int64_t;  // the next graph

    ListedFlows(FlowMachine machine, FlowColumns columns);

    [[nodiscard]] std::size_t groups() const { return groups_; }
    [[nodiscard]] std::int64_t count(std::size_t group, std::uint32_t disk) const;
    [[nodiscard]] Cursor begin(std::size_t group, std::uint32_t disk) const;
    void take(std::size_t group, std::uint32_t disk, Cursor& cursor, Flow& flow) const;
    [[nodiscard]] const FlowMachine& machine() const { return machine_; }

  private:
    FlowMachine machine_;
    FlowColumns columns_;
    std::size_t groups_;
};

// What a rung found. `ticks` is the global clock at the end; the columns are work, not finishing times.
struct FlowResult {
    std::int64_t ticks = 0;
    std::int64_t floor = 0;  // no order of events ends before: the busiest resource of every group
    std::vector<std::int64_t> disk_work, processor_work, communication_work;  // ticks per resource
    std::vector<std::int64_t> disk_reads;
    std::vector<std::int64_t> station_work;  // ticks of every shared component
    std::int64_t graphs = 0, most_fan_out = 0, sends = 0;
    std::int64_t most_partners = 0;  // processors that any one processor exchanges blocks with
};

enum class FlowRung { resource, macro_round_robin, macro_queue, micro };

// Runs one rung over a source; graphs that write are for `resource` alone. `blocks_ahead` bounds how many
// blocks a disk may be ahead in `micro`.
template <class Source>
[[nodiscard]] FlowResult run_flows(const Source& source, FlowRung rung, std::int64_t blocks_ahead);

extern template FlowResult run_flows(const MeshQueries&, FlowRung, std::int64_t);
extern template FlowResult run_flows(const ListedFlows&, FlowRung, std::int64_t);

}  // namespace striate
