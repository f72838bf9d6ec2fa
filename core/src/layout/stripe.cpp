#include "striate/layout/stripe.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "striate/refusal.hpp"

namespace striate {

StripeLoad::StripeLoad(std::int64_t unit_bytes, std::int64_t servers) : unit_(unit_bytes), servers_(servers) {
    std::int64_t round_bytes = 0;
    if (unit_bytes < 1 || servers < 1)
        throw std::invalid_argument("stripe unit and servers must be positive");
    if (__builtin_mul_overflow(unit_bytes, servers, &round_bytes)) {
        throw std::invalid_argument("a round of the stripe exceeds 2^63 - 1 bytes");
    }
    single_bytes_.resize(static_cast<std::size_t>(servers));
    byte_steps_.resize(static_cast<std::size_t>(servers) + 1);
    request_steps_.resize(static_cast<std::size_t>(servers) + 1);
}

void StripeLoad::add(std::int64_t offset, std::int64_t size, std::int64_t times) {
    if (size <= 0 || times <= 0) return;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(size, times, &bytes) || __builtin_add_overflow(total_, bytes, &total_)) {
        throw Refusal(Reason::too_many_bytes);
    }
    const std::int64_t first = offset / unit_;
    const std::int64_t last = (offset + (size - 1)) / unit_;
    const std::int64_t first_server = first % servers_;
    spread(request_steps_, first_server, std::min(servers_, last - first + 1), times);
    if (first == last) {
        single_bytes_[static_cast<std::size_t>(first_server)] += bytes;
        return;
    }
    const std::int64_t head = unit_ - offset % unit_;
    const std::int64_t tail = (offset + (size - 1)) % unit_ + 1;
    single_bytes_[static_cast<std::size_t>(first_server)] += head * times;
    single_bytes_[static_cast<std::size_t>(last % servers_)] += tail * times;
    const std::int64_t whole_strips = last - first - 1;
    every_server_bytes_ += whole_strips / servers_ * unit_ * times;
    spread(byte_steps_, (first + 1) % servers_, whole_strips % servers_, unit_ * times);
}

void StripeLoad::add_swept(std::int64_t offset, std::int64_t size, std::int64_t times,
                           std::span<const Sweep> loops) {
    if (loops.empty()) return add(offset, size, times);
    const auto [step, count] = loops.front();
    const auto inner = loops.subspan(1);
    const std::int64_t round_bytes = unit_ * servers_;
    const auto moved = [&](std::int64_t pass) {  // into the first round, which loads the servers alike
        const auto at =
            static_cast<std::int64_t>((offset + static_cast<__int128>(step) * pass) % round_bytes);
        return at < 0 ? at + round_bytes : at;
    };
    // Offsets that agree modulo a round load the servers alike, so at most `distinct` passes differ.
    const std::int64_t distinct = round_bytes / std::gcd(step, round_bytes);
    for (std::int64_t pass = 0; pass < std::min(count, distinct); ++pass) {
        const std::int64_t alike = count / distinct + (pass < count % distinct ? 1 : 0);
        add_swept(moved(pass), size, times * alike, inner);
    }
}

double StripeLoad::walked(std::span<const Sweep> loops) const {
    double runs = 1;
    for (const auto& [step, count] : loops) {
        const std::int64_t round_bytes = unit_ * servers_;
        runs *= static_cast<double>(std::min(count, round_bytes / std::gcd(step, round_bytes)));
    }
    return runs;
}

void StripeLoad::spread(std::vector<std::int64_t>& steps, std::int64_t first, std::int64_t servers,
                        std::int64_t amount) const {
    const std::int64_t end = first + servers;
    steps[static_cast<std::size_t>(first)] += amount;
    steps[static_cast<std::size_t>(std::min(end, servers_))] -= amount;
    if (end > servers_) {
        steps[0] += amount;
        steps[static_cast<std::size_t>(end - servers_)] -= amount;
    }
}

std::vector<std::int64_t> StripeLoad::summed(const std::vector<std::int64_t>& steps) const {
    std::vector<std::int64_t> values(static_cast<std::size_t>(servers_));
    std::partial_sum(steps.begin(), steps.end() - 1, values.begin());
    return values;
}

std::vector<std::int64_t> StripeLoad::bytes() const {
    std::vector<std::int64_t> values = summed(byte_steps_);
    for (std::size_t server = 0; server < values.size(); ++server) {
        values[server] += single_bytes_[server] + every_server_bytes_;
    }
    return values;
}

std::vector<std::int64_t> StripeLoad::requests() const { return summed(request_steps_); }

}  // namespace striate
