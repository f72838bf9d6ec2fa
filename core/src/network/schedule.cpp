#include "striate/network/schedule.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "striate/refusal.hpp"

namespace striate {

namespace {

void expect_schedule(const ScheduleColumns& schedule) {
    const std::size_t steps = schedule.source.size();
    const auto dependencies = static_cast<std::int64_t>(schedule.dependency.size());
    if (schedule.target.size() != steps || schedule.bytes.size() != steps || schedule.delay.size() != steps ||
        schedule.first_dependency.size() != steps + 1 ||
        schedule.dependency_sent.size() != schedule.dependency.size()) {
        throw std::invalid_argument("the columns of the schedule differ in length");
    }
    if (schedule.first_dependency.front() != 0 || schedule.first_dependency.back() != dependencies ||
        !std::is_sorted(schedule.first_dependency.begin(), schedule.first_dependency.end())) {
        throw std::invalid_argument("first_dependency must rise from 0 to the number of dependencies");
    }
    for (const std::int32_t step : schedule.dependency) {
        if (step < 0 || static_cast<std::size_t>(step) >= steps) {
            throw std::invalid_argument("a dependency on step " + std::to_string(step) + " of " +
                                        std::to_string(steps));
        }
    }
    for (const std::int64_t delay : schedule.delay) {
        if (delay < 0) throw std::invalid_argument("a negative delay");
    }
}

class ScheduleRunner : NetworkListener {
  public:
    ScheduleRunner(Stations& stations, const ScheduleColumns& schedule, const RunOptions& options)
        : schedule_(schedule),
          network_(make_network(stations, *this, options)),
          waits_(schedule.source.size()) {
        const std::size_t steps = schedule.source.size();
        result_.start.assign(steps, -1);
        result_.sent.assign(steps, -1);
        result_.delivered.assign(steps, -1);
        list_dependents();
    }

    ScheduleResult run(const RunOptions& options) {
        for (std::size_t step = 0; step < waits_.size(); ++step) {
            if (waits_[step] == 0) enter(step);
        }
        network_->run(options.poll);
        expect_complete();
        result_.stations = network_->totals();
        result_.waited = network_->waited();
        result_.events = network_->events();
        result_.skipped = network_->skipped();
        result_.short_cuts = network_->short_cuts();
        result_.end = network_->now();
        return std::move(result_);
    }

    void on_sent(std::uint64_t step) override {
        result_.sent[step] = network_->now();
        release(2 * step + 1);
    }
    void on_delivered(std::uint64_t step) override {
        result_.delivered[step] = network_->now();
        release(2 * step);
    }
    void on_timer(std::uint64_t step) override { begin(step); }

  private:
    // Turns the lists round: who waits for the delivery (2 * step) and for the sending (2 * step + 1) of a
    // step.
    void list_dependents() {
        const std::size_t steps = waits_.size();
        first_dependent_.assign(2 * steps + 1, 0);
        const auto slot = [&](std::size_t i) {
            return 2 * static_cast<std::size_t>(schedule_.dependency[i]) +
                   (schedule_.dependency_sent[i] != 0 ? 1 : 0);
        };
        for (std::size_t i = 0; i < schedule_.dependency.size(); ++i) ++first_dependent_[slot(i) + 1];
        for (std::size_t i = 0; i < 2 * steps; ++i) first_dependent_[i + 1] += first_dependent_[i];
        dependent_.resize(schedule_.dependency.size());
        std::vector<std::size_t> place(first_dependent_.begin(), first_dependent_.end() - 1);
        for (std::size_t step = 0; step < steps; ++step) {
            const auto begin_at = static_cast<std::size_t>(schedule_.first_dependency[step]);
            const auto end_at = static_cast<std::size_t>(schedule_.first_dependency[step + 1]);
            waits_[step] = end_at - begin_at;
            for (std::size_t i = begin_at; i < end_at; ++i) dependent_[place[slot(i)]++] = step;
        }
    }

    void release(std::uint64_t slot) {
        for (std::size_t i = first_dependent_[slot]; i < first_dependent_[slot + 1]; ++i) {
            if (--waits_[dependent_[i]] == 0) enter(dependent_[i]);
        }
    }

    void enter(std::size_t step) {
        if (schedule_.delay[step] == 0) return begin(step);
        network_->set_timer(network_->now() + schedule_.delay[step], step);
    }

    void begin(std::size_t step) {
        result_.start[step] = network_->now();
        if (schedule_.source[step] >= 0) {
            network_->start_message(static_cast<std::uint32_t>(schedule_.source[step]),
                                    static_cast<std::uint32_t>(schedule_.target[step]), schedule_.bytes[step],
                                    step);
        } else {
            on_sent(step);
            on_delivered(step);
        }
    }

    void expect_complete() const {
        const auto stuck =
            std::find_if(waits_.begin(), waits_.end(), [](std::size_t waits) { return waits > 0; });
        if (stuck == waits_.end()) return;
        const auto step = static_cast<std::size_t>(stuck - waits_.begin());
        Wait wait{.kind = WaitKind::step, .places = {{static_cast<std::int64_t>(step), -1}}};
        for (auto i = schedule_.first_dependency[step]; i < schedule_.first_dependency[step + 1]; ++i) {
            wait.peers.push_back(schedule_.dependency[static_cast<std::size_t>(i)]);
        }
        throw Refusal(Reason::deadlock, {.count = 1}, {wait});
    }

    ScheduleColumns schedule_;
    std::unique_ptr<Network> network_;
    std::vector<std::size_t> waits_;  // dependencies still open, per step
    std::vector<std::size_t> first_dependent_, dependent_;
    ScheduleResult result_;
};

}  // namespace

ScheduleResult simulate_schedule(Stations& stations, const ScheduleColumns& schedule,
                                 const RunOptions& options) {
    expect_schedule(schedule);
    return ScheduleRunner(stations, schedule, options).run(options);
}

}  // namespace striate
