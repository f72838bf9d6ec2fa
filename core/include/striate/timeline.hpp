// What every rank, server, link and disk did when: rows in chunks, written only when they are asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "striate/event.hpp"

namespace striate {

enum class BarLevel : std::uint8_t { rank, server, network, disk };
enum class BarKind : std::uint8_t { operation, read, write, sync, transfer };

struct Bar {
    Ticks start = 0, end = 0;
    std::int64_t bytes = 0;
    std::int64_t more = -1;   // offset of an access, bytes a sendrecv receives, ticks in which a disk seeks
    std::int32_t place = 0;   // row of the text, server, station; of a disk its server
    std::int32_t rank = -1;   // of a network bar the sending interface
    std::int32_t peer = -1;   // or root; of a network bar the receiving interface
    std::int32_t tag = -1;    // of a disk its number on the server; of an open: whether it creates
    std::int32_t other = -1;  // the file of an access, the source of a sendrecv
    std::int32_t other_tag = -1;
    BarLevel level = BarLevel::rank;
    BarKind kind = BarKind::operation;
};

// Takes bars until it is full; those that come later are only counted.
class Timeline {
  public:
    explicit Timeline(std::size_t most) : most_(most) {}

    void add(const Bar& bar) {
        if (size_ == most_) {
            ++dropped_;
            return;
        }
        if (size_ % chunk_bars == 0) {
            chunks_.emplace_back();
            chunks_.back().reserve(chunk_bars);
        }
        chunks_.back().push_back(bar);
        ++size_;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::int64_t dropped() const { return dropped_; }

    // One field of all bars, in the order in which they came.
    template <class T, class Field>
    [[nodiscard]] std::vector<T> column(Field Bar::* field) const {
        std::vector<T> values;
        values.reserve(size_);
        for (const auto& chunk : chunks_) {
            for (const Bar& bar : chunk) values.push_back(static_cast<T>(bar.*field));
        }
        return values;
    }

  private:
    static constexpr std::size_t chunk_bars = 1 << 14;
    std::size_t most_, size_ = 0;
    std::int64_t dropped_ = 0;
    std::vector<std::vector<Bar>> chunks_;
};

}  // namespace striate
