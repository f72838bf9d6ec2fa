#include "striate/layout/sweep.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace striate {

SweptPeriod::SweptPeriod(std::int64_t period, double strips, std::span<const Sweep> loops)
    : period_(period), strips_(strips) {
    for (const Sweep& loop : loops) add_loop(loop);
    choose_inner();
}

// A loop that moves nothing is multiplied; one that goes on where the loop inside it ends is a longer loop.
void SweptPeriod::add_loop(const Sweep& loop) {
    const Sweep added{moved(0, loop.step, 1), loop.count};
    if (added.step == 0 || added.count < 2) {
        times_ *= added.count;
        return;
    }
    if (!outer_.empty() && outer_.back().step == moved(0, added.step, added.count)) {
        std::int64_t count = 0;
        if (!__builtin_mul_overflow(outer_.back().count, added.count, &count)) {
            outer_.back() = {added.step, count};
            return;
        }
    }
    outer_.push_back(added);
}

// Loops may be exchanged: innermost is the one that loses most passes there.
void SweptPeriod::choose_inner() {
    std::size_t best = outer_.size();
    double most = 0, inside = 1;
    for (std::size_t loop = 0; loop < outer_.size(); ++loop) {
        const auto places = static_cast<double>(std::min(outer_[loop].count, distinct(outer_[loop].step)));
        std::vector<Part> parts = parts_of(outer_[loop]);
        double cost = 0;
        for (Part& part : parts) cost += split(part);
        stretches_ *= places;
        if (places / cost <= most) continue;
        most = places / cost;
        best = loop;
        inside = cost / places;
        inner_ = std::move(parts);
    }
    if (best < outer_.size()) {
        stretches_ *= inside;
        outer_.erase(outer_.begin() + static_cast<std::ptrdiff_t>(best));
    } else {
        inner_ = {{.step = 1, .count = 1, .times = 1, .whole = false}};
    }
}

// Whole cycles meet every multiple of the greatest common divisor once: in order, that is a creep by it.
std::vector<SweptPeriod::Part> SweptPeriod::parts_of(const Sweep& loop) const {
    const std::int64_t places = distinct(loop.step);
    std::vector<Part> parts;
    if (const std::int64_t cycles = loop.count / places; cycles > 0) {
        parts.push_back({.step = period_ / places, .count = places, .times = cycles, .whole = true});
    }
    if (const std::int64_t rest = loop.count % places; rest > 0) {
        parts.push_back({.step = loop.step, .count = rest, .times = 1, .whole = false});
    }
    return parts;
}

// Chooses jumps and creep; says how many stretches that makes, about.
double SweptPeriod::split(Part& part) const {
    part.jumps = part.count;
    double best = static_cast<double>(part.count);
    const auto consider = [&](std::int64_t jumps, std::int64_t creep) {
        const double ends = 2 * strips_ * static_cast<double>(part.count) *
                            std::abs(static_cast<double>(creep)) / static_cast<double>(period_);
        if (const double cost = static_cast<double>(jumps) + ends; cost < best) {
            best = cost;
            part.jumps = jumps;
            part.creep = creep;
        }
    };
    // Euclid's algorithm: `jumps` steps modulo the period are `left` bytes, up and down in turn.
    std::int64_t before = period_, left = part.step, jumps_before = 0, jumps = 1;
    consider(1, left - period_);
    for (bool up = true; jumps < part.count; up = !up) {
        consider(jumps, up ? left : -left);
        if (left == 0) break;
        const std::int64_t turns = before / left;
        before = std::exchange(left, before % left);
        std::int64_t next = 0;
        if (__builtin_mul_overflow(turns, jumps, &next) || __builtin_add_overflow(next, jumps_before, &next))
            break;
        jumps_before = std::exchange(jumps, next);
    }
    return best;
}

std::int64_t SweptPeriod::distinct(std::int64_t step) const { return period_ / std::gcd(step, period_); }

}  // namespace striate
