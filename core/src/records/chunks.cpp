#include "striate/records/chunks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "record_sizes.hpp"
#include "striate/layout/divider.hpp"

namespace striate {

namespace {

template <class Size, class Position>
void gather_sized(std::byte* target, std::span<const Position> indices, const ChunkedRecords& source) {
    const std::size_t size = Size::bytes(source.size);
    const Divider by_chunk(source.records);
    std::array<const std::byte*, records_ahead> coming{};
    const auto find = [&](std::size_t k) {
        const std::int64_t index = indices[k], chunk = by_chunk.quotient(index);
        const std::byte* base = source.at[static_cast<std::size_t>(chunk)];
        if (base == nullptr) return base;
        const std::byte* record = base + static_cast<std::size_t>(by_chunk.remainder(index, chunk)) * size;
        fetch_record(record, size);
        return record;
    };
    const std::size_t count = indices.size();
    for (std::size_t k = 0; k < std::min(records_ahead, count); ++k) coming[k] = find(k);
    for (std::size_t k = 0; k < count; ++k) {
        const std::byte* record = coming[k % records_ahead];
        if (k + records_ahead < count) coming[k % records_ahead] = find(k + records_ahead);
        if (record != nullptr)
            Size::copy(target + k * size, record, size);
        else
            std::memset(target + k * size, 0, size);
    }
}

}  // namespace

template <class Position>
void gather_chunks(std::span<std::byte> target, std::span<const Position> indices,
                   const ChunkedRecords& source) {
    if (indices.empty() || source.size == 0) return;
    Position low = indices[0], high = indices[0];
    for (const Position index : indices) {
        low = std::min(low, index);
        high = std::max(high, index);
    }
    if (low < 0 || source.records < 1 || static_cast<std::size_t>(high / source.records) >= source.at.size())
        throw std::out_of_range("a position lies outside the chunks");
    if (indices.size() > target.size() / source.size)
        throw std::out_of_range("more records than there is memory for");
    with_record_size(source.size, [&]<class Size>() { gather_sized<Size>(target.data(), indices, source); });
}

template void gather_chunks(std::span<std::byte>, std::span<const std::int32_t>, const ChunkedRecords&);
template void gather_chunks(std::span<std::byte>, std::span<const std::int64_t>, const ChunkedRecords&);

}  // namespace striate
