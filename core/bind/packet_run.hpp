// The answer of the packet engine as Python sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "columns.hpp"
#include "striate/events/timeline.hpp"
#include "striate/programs/program_run.hpp"

namespace striate::bind {

// Rows of a timeline as they lie in memory; Python knows their fields (striate.engine.recording).
struct RecordedRows {
    RecordedRows(Timeline& timeline, Ticks end);
    std::vector<Owned<std::uint8_t>> bar_chunks, transfer_chunks;
    std::vector<OccupancyCurve> occupancy;  // by I/O server
    std::int64_t dropped;
};

struct PacketRun {
    PacketRun(ProgramResult&& found, Timeline* timeline);
    Owned<std::int64_t> rank_end, node_busy;
    Owned<double> station_waited;
    ProgramResult result;  // without the three columns above
    std::optional<RecordedRows> recorded;
};

}  // namespace striate::bind
