// What every rank, server, link and disk did when: columns in chunks, written only when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "striate/events/event.hpp"
#include "striate/events/occupancy_curve.hpp"

namespace striate {

enum class BarLevel : std::uint8_t { rank, server, disk, step };
// The last four: what a rank does in a step of a collective call.
enum class BarKind : std::uint8_t {
    operation,
    read,
    write,
    sync,
    open,
    close,
    stat,
    erase,
    transfer,
    send,
    recv,
    sendrecv,
    compute
};

// What a rank, a server or a disk did.
struct Bar {
    Ticks start = 0, end = 0;
    std::int64_t bytes = 0;   // of a compute: instructions
    std::int64_t more = -1;   // offset of an access, bytes a sendrecv receives, ticks in which a disk seeks,
                              // ticks of work of a compute
    std::int32_t place = 0;   // row of the program table; or server: I/O, metadata, then forwarders
    std::int32_t rank = -1;   // of a server the client
    std::int32_t peer = -1;   // or root
    std::int32_t tag = -1;    // of a disk its number on the server; of an open: whether it creates
    std::int32_t other = -1;  // the file of an access, the source of a sendrecv
    std::int32_t other_tag = -1;
    BarLevel level = BarLevel::rank;
    BarKind kind = BarKind::operation;
};

// A message that passes a link or an interface, from its first packet's start to its last one's end.
struct Transfer {
    Ticks start, end;
    std::int64_t bytes;
    std::int32_t station;
    std::int32_t source, target;  // interfaces
};

// Rows in chunks of equal size, so that none moves when more come.
template <class Row>
class RowChunks {
  public:
    static constexpr std::size_t chunk_rows = 1 << 13;

    std::size_t add(const Row& row) {
        if (size_ % chunk_rows == 0) {
            chunks_.emplace_back();
            chunks_.back().reserve(chunk_rows);
        }
        chunks_.back().push_back(row);
        return size_++;
    }
    Row& operator[](std::size_t at) { return chunks_[at / chunk_rows][at % chunk_rows]; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::vector<std::vector<Row>> take() { return std::move(chunks_); }

  private:
    std::size_t size_ = 0;
    std::vector<std::vector<Row>> chunks_;
};

// Takes rows until `most_bytes` are full; those that come later are only counted.
class Timeline {
  public:
    static constexpr std::uint32_t dropped_row = UINT32_MAX;

    // With `steps` also what ranks do inside collective calls.
    explicit Timeline(std::size_t most_bytes, bool steps = false) : left_(most_bytes), steps_(steps) {}

    std::size_t add(const Bar& bar) { return has_room(sizeof bar) ? bars.add(bar) : SIZE_MAX; }
    std::uint32_t add(const Transfer& transfer) {
        const bool fits = transfers.size() < dropped_row && has_room(sizeof transfer);
        return fits ? static_cast<std::uint32_t>(transfers.add(transfer)) : dropped_row;
    }
    void occupy(std::uint32_t server, Ticks now, const OccupancyCurve::Amounts& amounts) {
        if (server >= occupancy.size()) occupancy.resize(server + std::size_t{1});
        occupancy[server].set(now, amounts);
    }
    void extend(std::uint32_t row, Ticks end, std::int64_t more_bytes) {
        if (row == dropped_row) return;
        transfers[row].end = end;
        transfers[row].bytes += more_bytes;
    }
    [[nodiscard]] std::int64_t dropped() const { return dropped_; }
    [[nodiscard]] bool wants_steps() const { return steps_; }

    RowChunks<Bar> bars;
    RowChunks<Transfer> transfers;
    std::vector<OccupancyCurve> occupancy;  // by I/O server

  private:
    bool has_room(std::size_t bytes) {
        if (left_ < bytes) {
            ++dropped_;
            return false;
        }
        left_ -= bytes;
        return true;
    }

    std::size_t left_;
    bool steps_;
    std::int64_t dropped_ = 0;
};

}  // namespace striate
