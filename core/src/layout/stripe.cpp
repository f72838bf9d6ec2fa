#include "striate/layout/stripe.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "striate/refusal.hpp"

namespace striate {

StripeLoad::StripeLoad(std::int64_t unit_bytes, std::int64_t servers)
    : unit_(unit_bytes), servers_(servers), strips_(servers, unit_bytes) {
    std::int64_t round_bytes = 0;
    if (__builtin_mul_overflow(unit_bytes, servers, &round_bytes)) {
        throw std::invalid_argument("a round of the stripe exceeds 2^63 - 1 bytes");
    }
    single_bytes_.resize(static_cast<std::size_t>(servers));
    byte_steps_.resize(static_cast<std::size_t>(servers) + 1);
    request_steps_.resize(static_cast<std::size_t>(servers) + 1);
}

void StripeLoad::add(std::int64_t offset, std::int64_t size, std::int64_t times) {
    if (size > 0 && times > 0) add({offset, offset, 1, times}, size);
}

void StripeLoad::add(const Stretch& stretch, std::int64_t size) {
    std::int64_t times = 0, bytes = 0;
    if (__builtin_mul_overflow(stretch.passes, stretch.times, &times) ||
        __builtin_mul_overflow(size, times, &bytes) || __builtin_add_overflow(total_, bytes, &total_)) {
        throw Refusal(Reason::too_many_bytes);
    }
    const std::int64_t first = stretch.first / unit_;
    const std::int64_t last = (stretch.first + (size - 1)) / unit_;
    const std::int64_t first_server = first % servers_;
    spread(request_steps_, first_server, std::min(servers_, last - first + 1), times);
    if (first == last) {
        single_bytes_[static_cast<std::size_t>(first_server)] += bytes;
        return;
    }
    const auto head = [&](std::int64_t offset) { return unit_ - offset % unit_; };
    const auto tail = [&](std::int64_t offset) { return (offset + (size - 1)) % unit_ + 1; };
    const auto both = [&](const auto& part) {
        return static_cast<std::int64_t>(stretch.sum(part(stretch.first), part(stretch.last)));
    };
    single_bytes_[static_cast<std::size_t>(first_server)] += both(head);
    single_bytes_[static_cast<std::size_t>(last % servers_)] += both(tail);
    const std::int64_t whole_strips = last - first - 1;
    every_server_bytes_ += whole_strips / servers_ * unit_ * times;
    spread(byte_steps_, (first + 1) % servers_, whole_strips % servers_, unit_ * times);
}

SweptPeriod StripeLoad::swept(std::span<const Sweep> loops) const {
    if (servers_ == 1) return {1, 1, loops};  // every byte loads it alike
    return {strips_.period_bytes(), static_cast<double>(servers_), loops};
}

void StripeLoad::add_swept(std::int64_t offset, std::int64_t size, const SweptPeriod& loops, Pulse& pulse) {
    loops.walk(strips_, offset, size, pulse, [&](const Stretch& stretch) { add(stretch, size); });
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
