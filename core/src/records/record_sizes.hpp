// Copies of records whose size is known when the loop begins: the common sizes are compiled as constants.
#pragma once

#include <cstddef>
#include <cstring>

namespace striate {

constexpr std::size_t records_ahead = 64;  // records fetched before they are needed

// Fetches the first and the last line of a record into the second-level cache, which waits for twice as many
// lines at once as the first: that, not the bandwidth, bounds a walk through records in no order.
inline void fetch_record(const std::byte* record, std::size_t size) {
    __builtin_prefetch(record, 0, 2);
    __builtin_prefetch(record + (size - 1), 0, 2);
}

template <std::size_t Size>
struct FixedSize {
    static void copy(std::byte* to, const std::byte* from, std::size_t) { std::memcpy(to, from, Size); }
    static constexpr std::size_t bytes(std::size_t) { return Size; }
};

struct AnySize {
    static void copy(std::byte* to, const std::byte* from, std::size_t size) { std::memcpy(to, from, size); }
    static std::size_t bytes(std::size_t size) { return size; }
};

// Calls `run.template operator()<Size>()` with the kind of record that has `size` bytes.
template <class Run>
void with_record_size(std::size_t size, const Run& run) {
    switch (size) {
        case 1:
            return run.template operator()<FixedSize<1>>();
        case 2:
            return run.template operator()<FixedSize<2>>();
        case 4:
            return run.template operator()<FixedSize<4>>();
        case 8:
            return run.template operator()<FixedSize<8>>();
        case 12:
            return run.template operator()<FixedSize<12>>();
        case 16:
            return run.template operator()<FixedSize<16>>();
        case 24:
            return run.template operator()<FixedSize<24>>();
        case 32:
            return run.template operator()<FixedSize<32>>();
        case 40:
            return run.template operator()<FixedSize<40>>();
        case 48:
            return run.template operator()<FixedSize<48>>();
        case 56:
            return run.template operator()<FixedSize<56>>();
        case 64:
            return run.template operator()<FixedSize<64>>();
        default:
            return run.template operator()<AnySize>();
    }
}

}  // namespace striate
