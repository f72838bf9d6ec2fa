// Hands the rows of a timeline over: chunks of structured rows, without a copy.
#pragma once

#include <utility>
#include <vector>

#include "columns.hpp"
#include "striate/events/timeline.hpp"

namespace striate::bind {

// Each chunk as its bytes; Python knows the fields (striate.predict.recording).
template <class Row>
nb::list row_chunks(RowChunks<Row>& rows) {
    nb::list chunks;
    for (std::vector<Row>& chunk : rows.take()) {
        auto* heap = new std::vector<Row>(std::move(chunk));
        nb::capsule owner(heap,
                          [](void* pointer) noexcept { delete static_cast<std::vector<Row>*>(pointer); });
        chunks.append(Owned<std::uint8_t>(reinterpret_cast<std::uint8_t*>(heap->data()),
                                          {heap->size() * sizeof(Row)}, owner));
    }
    return chunks;
}

inline nb::dict recording_columns(Timeline& timeline) {
    nb::dict columns;
    columns["bar_chunks"] = row_chunks(timeline.bars);
    columns["transfer_chunks"] = row_chunks(timeline.transfers);
    columns["dropped"] = timeline.dropped();
    return columns;
}

}  // namespace striate::bind
