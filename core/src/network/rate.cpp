#include "striate/network/rate.hpp"

#include <algorithm>
#include <bit>

#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr double most_rate = 140737488355328.0;  // 2^47
constexpr std::int64_t most_bytes = std::int64_t{1} << 47;
constexpr std::int64_t ticks_per_second = 1'000'000'000'000;
constexpr double longest_seconds = 4e6;
constexpr std::int64_t longest_ticks = 4'000'000 * ticks_per_second;

// 2^17 * 10^12 = 5^12 * 2^29: two times the ticks of a second, for a rate in units of 2^-16 B/s.
constexpr std::uint64_t five_to_twelve = 244'140'625;
constexpr int twos = 29;

// Two times the ticks that bytes take, rounded down. Twos that both sides of the quotient have are left out,
// so that nearly always 64 bits are divided; a division of 128 bits takes as long as all the rest of a
// message.
unsigned __int128 twice_ticks(std::int64_t bytes, std::uint64_t scaled_rate) {
    const int shared = std::min(std::countr_zero(scaled_rate), twos);
    const auto work = static_cast<unsigned __int128>(bytes) * (five_to_twelve << (twos - shared));
    const std::uint64_t rate = scaled_rate >> shared;
    if (work >> 64 == 0) return static_cast<std::uint64_t>(work) / rate;
    return work / rate;
}

}  // namespace

Ticks service_ticks(std::int64_t bytes, double bytes_per_second, Rounding rounding) {
    if (bytes_per_second == unlimited_rate) return 0;
    if (!(bytes_per_second >= 1 && bytes_per_second <= most_rate)) {
        throw Refusal(Reason::rate_out_of_range, {.rate = bytes_per_second});
    }
    if (bytes < 0 || bytes >= most_bytes) {
        throw Refusal(Reason::transfer_too_large, {.bytes = bytes});
    }
    if (rounding == Rounding::truncated_nanoseconds) {
        const double seconds = static_cast<double>(bytes) / bytes_per_second;
        if (seconds > longest_seconds) throw Refusal(Reason::job_too_long);
        const auto whole = static_cast<std::int64_t>(seconds);
        const auto nanoseconds = static_cast<std::int64_t>((seconds - static_cast<double>(whole)) * 1e9);
        return whole * ticks_per_second + nanoseconds * 1000;
    }
    // The rate in units of 2^-16 B/s is whole for every rate people write; the product fits 47 + 40 + 17
    // bits.
    const auto scaled = static_cast<std::uint64_t>(bytes_per_second * 65536.0 + 0.5);
    const auto ticks = (twice_ticks(bytes, scaled) + 1) / 2;
    if (ticks > static_cast<unsigned __int128>(longest_ticks)) throw Refusal(Reason::job_too_long);
    return static_cast<Ticks>(ticks);
}

Ticks job_ticks(std::int64_t instructions, double instructions_per_second) {
    if (!(instructions_per_second > 0) || instructions < 0) {
        throw Refusal(Reason::instruction_rate, {.count = instructions, .rate = instructions_per_second});
    }
    const double seconds = static_cast<double>(instructions) / instructions_per_second;
    if (seconds > longest_seconds) throw Refusal(Reason::job_too_long);
    return static_cast<Ticks>(seconds * 1e12 + 0.5);
}

}  // namespace striate
