#include "striate/network/rate.hpp"

#include "striate/refusal.hpp"

namespace striate {

namespace {

constexpr double most_rate = 140737488355328.0;  // 2^47
constexpr std::int64_t most_bytes = std::int64_t{1} << 47;
constexpr std::int64_t ticks_per_second = 1'000'000'000'000;
constexpr double longest_seconds = 4e6;
constexpr std::int64_t longest_ticks = 4'000'000 * ticks_per_second;

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
    const auto twice = static_cast<unsigned __int128>(static_cast<std::uint64_t>(bytes) << 17) *
                       static_cast<std::uint64_t>(ticks_per_second);
    const auto ticks = (twice / scaled + 1) / 2;
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
