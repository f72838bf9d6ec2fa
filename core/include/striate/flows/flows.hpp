// Work-flow graphs of data blocks as streams: read a block, send it to those who need it, compute there.
//
// A source makes the graphs of a disk one after the other from a cursor, so that twelve million of them take
// no room. Groups wait for each other: a group begins when the one before it has ended everywhere (paper 004,
// section 2).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace striate {

inline constexpr std::size_t most_receivers = 16;

// One graph: a block is read from its disk, used by `local` computation on the disk's own processor, and sent
// to `receivers` others, each of which computes on it.
struct Flow {
    std::int64_t read_ticks = 0;
    std::int64_t compute_ticks = 0;  // on every processor that uses the block
    bool local = false;              // the disk's own processor is among them
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
        Cursor step;                     // from a disk's block to its next, in mixed radix
        double column_scale, row_scale;  // mesh cells a block
    };

    [[nodiscard]] Cursor cell(const Prepared& window, std::int64_t block) const;
    void advance(const Prepared& window, Cursor& cursor) const;
    void receivers(const Prepared& window, const Cursor& cursor, std::uint32_t owner, Flow& flow) const;
    void spread(const Prepared& window, const Cursor& cursor, std::uint32_t owner, Flow& flow) const;

    FlowMachine machine_;
    Shape shape_;
    std::vector<Prepared> windows_;
};

// Graphs given one by one, sorted by group and disk.
struct FlowColumns {
    std::span<const std::int64_t> first;  // per group and disk (group-major), and one past the end
    std::span<const std::int64_t> read_ticks, compute_ticks;
    std::span<const std::uint8_t> local;
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
    std::vector<std::int64_t> sent_work;  // of the communication, what was sent
    std::vector<std::int64_t> disk_reads;
    std::int64_t graphs = 0, most_fan_out = 0, sends = 0;
};

enum class FlowRung { resource, macro_round_robin, macro_queue, micro };

// Runs one rung over a source. `blocks_ahead` bounds how many blocks a disk may be ahead in `micro`.
template <class Source>
[[nodiscard]] FlowResult run_flows(const Source& source, FlowRung rung, std::int64_t blocks_ahead);

extern template FlowResult run_flows(const MeshQueries&, FlowRung, std::int64_t);
extern template FlowResult run_flows(const ListedFlows&, FlowRung, std::int64_t);

}  // namespace striate
