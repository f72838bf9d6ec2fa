#include "striate/queueing/fixed_loops.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "striate/queueing/draws.hpp"

namespace striate {

namespace {

constexpr std::int64_t batch_visits = 1 << 18;  // between two looks at the error
constexpr std::int64_t fewest_runs = 256;
constexpr std::int64_t most_jobs = std::int64_t{1} << 26;  // visits of one run

struct Job {
    double arrival = 0, delays = 0;
    std::int64_t left = 0;
};

struct Row {
    std::int64_t population;
    double delay, bus;
    std::int64_t loops;
    double apart;
};

struct Run {
    double end, longest, served;  // the last departure; the largest sum of delays; the work of the bus
};

bool later(const Job& a, const Job& b) { return a.arrival > b.arrival; }

void delay(Job& job, double from, double mean, Draws& draw) {
    const double time = mean * draw();
    job.delays += time;
    job.arrival = from + time;
}

// `jobs` is a heap by arrival at the bus.
Run simulate(const Row& row, std::vector<Job>& jobs, Draws& draw) {
    jobs.assign(static_cast<std::size_t>(row.population), Job{0, 0, row.loops});
    for (Job& job : jobs) delay(job, 0, row.delay, draw);
    std::make_heap(jobs.begin(), jobs.end(), later);
    Run run{};
    while (!jobs.empty()) {
        std::pop_heap(jobs.begin(), jobs.end(), later);
        Job& job = jobs.back();
        const double service = row.bus * draw();
        run.end = std::max(run.end, job.arrival) + service;
        run.served += service;
        if (--job.left > 0) {
            delay(job, run.end, row.delay, draw);
            std::push_heap(jobs.begin(), jobs.end(), later);
        } else {
            run.longest = std::max(run.longest, job.delays);
            jobs.pop_back();
        }
    }
    return run;
}

// Running means and co-moments (Welford) of the end and of two controls, whose means are subtracted first.
class Regression {
  public:
    void add(double end, double first, double second) {
        ++count_;
        const double step = 1 / static_cast<double>(count_);
        const double dy = end - y_, da = first - a_, db = second - b_;
        y_ += dy * step, a_ += da * step, b_ += db * step;
        yy_ += dy * (end - y_), aa_ += da * (first - a_), bb_ += db * (second - b_);
        ya_ += dy * (first - a_), yb_ += dy * (second - b_), ab_ += da * (second - b_);
    }

    [[nodiscard]] std::int64_t count() const { return count_; }

    // The mean at controls of zero, and its standard error.
    [[nodiscard]] std::pair<double, double> mean() const {
        const double determinant = aa_ * bb_ - ab_ * ab_;
        const bool two = determinant > 1e-9 * aa_ * bb_;
        const double slope_a = two ? (ya_ * bb_ - yb_ * ab_) / determinant : 0;
        const double slope_b = two ? (yb_ * aa_ - ya_ * ab_) / determinant : 0;
        const double left = std::max(0.0, yy_ - slope_a * ya_ - slope_b * yb_);
        const double runs = static_cast<double>(count_);
        return {y_ - slope_a * a_ - slope_b * b_, std::sqrt(left / (runs - 3) / runs)};
    }

  private:
    std::int64_t count_ = 0;
    double y_ = 0, a_ = 0, b_ = 0, yy_ = 0, aa_ = 0, bb_ = 0, ya_ = 0, yb_ = 0, ab_ = 0;
};

std::pair<double, double> row_time(const Row& row, double tolerance, std::int64_t most_visits,
                                   const std::function<void()>& keep_going) {
    const std::int64_t visits = row.population * row.loops;
    const double work = static_cast<double>(visits) * row.bus;
    const std::int64_t batch = std::max(fewest_runs / 4, batch_visits / visits);
    Draws draw;
    std::vector<Job> jobs;
    Regression runs;
    std::pair<double, double> found;
    do {
        keep_going();
        for (std::int64_t i = 0; i < batch; ++i) {
            const Run run = simulate(row, jobs, draw);
            runs.add(run.end, run.longest - row.apart, run.served - work);
        }
        found = runs.mean();
    } while ((runs.count() < fewest_runs || found.second > tolerance * found.first) &&
             runs.count() * visits < most_visits);
    return found;
}

void check(const FixedLoopRows& rows) {
    const std::size_t count = rows.population.size();
    if (rows.delay.size() != count || rows.bus.size() != count || rows.loops.size() != count ||
        rows.apart.size() != count) {
        throw std::invalid_argument("rows of the fork-join network differ in length");
    }
    for (std::size_t row = 0; row < count; ++row) {
        if (rows.population[row] < 1 || rows.loops[row] < 1)
            throw std::invalid_argument("a fork-join network needs a job and a loop at least");
        if (rows.population[row] > most_jobs || rows.loops[row] > most_jobs / rows.population[row])
            throw std::invalid_argument("too many visits to simulate");
    }
}

}  // namespace

SimulatedTimes fixed_loop_times(const FixedLoopRows& rows, double tolerance, std::int64_t most_visits,
                                const std::function<void()>& keep_going) {
    check(rows);
    SimulatedTimes times;
    for (std::size_t i = 0; i < rows.population.size(); ++i) {
        const Row row{rows.population[i], rows.delay[i], rows.bus[i], rows.loops[i], rows.apart[i]};
        const auto [mean, error] = row_time(row, tolerance, most_visits, keep_going);
        times.mean.push_back(mean);
        times.error.push_back(error);
    }
    return times;
}

}  // namespace striate
