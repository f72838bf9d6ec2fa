// Runs of bytes that loops move over a layout, as few stretches of passes over which the load changes evenly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "striate/pulse.hpp"

namespace striate {

// One level of a loop around a run: `count` passes, the offset moving by `step` bytes each time.
struct Sweep {
    std::int64_t step;
    std::int64_t count;
};

// Passes that begin evenly spaced from `first` to `last`, all in one strip, and end in one strip: what a
// server holds of the run grows or falls by the same number of bytes from each pass to the next. The stretch
// occurs `times` over.
struct Stretch {
    std::int64_t first, last, passes, times;

    // The sum over all passes of what is `from` bytes in the first and `to` bytes in the last.
    [[nodiscard]] __int128 sum(std::int64_t from, std::int64_t to) const {
        return (static_cast<__int128>(from) + to) * passes / 2 * times;
    }
};

// Nested loops over a layout that loads its servers alike after every `period` bytes, which hold `strips`.
// Where an order of the passes is free, the one that makes the fewest stretches is taken: a loop of n passes
// with a step of many strips is parted into q loops whose step, q steps modulo the period, is a small part of
// a strip. Convergents of step / period give such q; at most about sqrt(8 n strips) stretches remain.
class SweptPeriod {
  public:
    SweptPeriod(std::int64_t period, double strips, std::span<const Sweep> loops);

    // How many stretches there are, about.
    [[nodiscard]] double stretches() const { return stretches_; }

    // Calls `visit(stretch)` until every pass of the run [offset, offset + size) is told of once.
    template <class Layout, class Visit>
    void walk(const Layout& layout, std::int64_t offset, std::int64_t size, Pulse& pulse,
              const Visit& visit) const {
        if (times_ < 1 || size < 1) return;
        around(0, offset % period_, times_, [&](std::int64_t at, std::int64_t times) {
            for (const Part& part : inner_) {
                const std::int64_t begin = part.whole ? at % part.step : at;
                for (std::int64_t jump = 0; jump < part.jumps; ++jump) {
                    const std::int64_t passes =
                        part.count / part.jumps + (jump < part.count % part.jumps ? 1 : 0);
                    creep(layout, {moved(begin, part.step, jump), part.creep, passes, times * part.times},
                          size, pulse, visit);
                }
            }
        });
    }

  private:
    // `count` passes by `step`, taken as `jumps` loops by `creep`; `whole` where they meet every multiple of
    // the step in the period.
    struct Part {
        std::int64_t step, count, times;
        bool whole;
        std::int64_t jumps = 1, creep = 0;
    };
    struct Creep {
        std::int64_t at, step, passes, times;
    };

    void add_loop(const Sweep& loop);
    void choose_inner();
    [[nodiscard]] std::vector<Part> parts_of(const Sweep& loop) const;
    [[nodiscard]] double split(Part& part) const;
    [[nodiscard]] std::int64_t distinct(std::int64_t step) const;
    [[nodiscard]] std::int64_t moved(std::int64_t at, std::int64_t step, std::int64_t passes) const {
        const auto to = static_cast<std::int64_t>((at + static_cast<__int128>(step) * passes) % period_);
        return to < 0 ? to + period_ : to;
    }

    // Every place that the outer loops lead to.
    template <class Visit>
    void around(std::size_t depth, std::int64_t at, std::int64_t times, const Visit& visit) const {
        if (depth == outer_.size()) return visit(at, times);
        const auto [step, count] = outer_[depth];
        const std::int64_t places = distinct(step);
        for (std::int64_t pass = 0; pass < std::min(count, places); ++pass) {
            const std::int64_t alike = count / places + (pass < count % places ? 1 : 0);
            around(depth + 1, moved(at, step, pass), times * alike, visit);
        }
    }

    // From strip to strip, towards the end of the file.
    template <class Layout, class Visit>
    void creep(const Layout& layout, Creep left, std::int64_t size, Pulse& pulse, const Visit& visit) const {
        if (left.step < 0) {
            left.at = moved(left.at, left.step, left.passes - 1);
            left.step = -left.step;
        }
        while (left.passes > 0) {
            pulse.beat();
            std::int64_t stay = left.passes;
            if (left.step > 0) {
                const std::int64_t room =
                    std::min(layout.run_length(left.at), layout.run_length(left.at + (size - 1)));
                stay = std::min(stay, (room - 1) / left.step + 1);
            }
            visit(Stretch{left.at, left.at + (stay - 1) * left.step, stay, left.times});
            left.at = moved(left.at, left.step, stay);
            left.passes -= stay;
        }
    }

    std::int64_t period_;
    double strips_;
    std::int64_t times_ = 1;    // of loops that move nothing
    std::vector<Sweep> outer_;  // steps modulo the period
    std::vector<Part> inner_;
    double stretches_ = 1;
};

}  // namespace striate
